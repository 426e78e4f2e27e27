"""Window functions as stages: `$set` for the keys, `$setWindowFields`, and `$set` to finish the result.

`$setWindowFields` sorts by fields, ranks by one field, and measures a range in numbers. So the keys become fields, peers share
a number that sorts as they do, and a frame that ends with a row's peers is a range over that number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.sort_keys import SortPart, sort_parts
from nestling.ir.statements.algebra import Bound, FrameUnit, WindowFunction, WindowOnly
from nestling.ir.types import NUMBERS

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

from nestling.emitters.mql.sql.window_functions import RANKS, WHOLE_PARTITION, distance, numbered, windowing

_Stage = dict[str, MqlValue]


def window_stages(node: WindowFunction, name: str, r: Renderer) -> tuple[_Stage, ...]:
    """Stages that add the function's value as the field `name`; other fields they make are removed again."""
    parts = _in_place(sort_parts(node.order, f"{name}_key", r))
    made = windowing(node, name, r, ordered=bool(parts))
    stages: list[_Stage] = []
    sort: dict[str, MqlValue] = {part.field: part.direction for part in parts}
    if computed := {part.field: part.value for part in parts if part.value != f"${part.field}"}:
        stages.append({"$set": computed})
    partition = _partition(node, r)
    window = _frame(node, r) if made.framed else _Frame(None)
    by_rank = made.framed and window.by_rank and bool(parts)
    one_key = isinstance(node.function, WindowOnly) and node.function in (
        *RANKS,
        WindowOnly.PERCENT_RANK,
        WindowOnly.CUME_DIST,
    )
    if (by_rank or one_key) and parts:
        sort, ranking = _by_rank(node, parts, partition, name)
        stages += ranking
    elif window.by_value:
        sort = _by_value(node, parts)
    elif len(sort) > 1:  # what all rows of a part share orders none of them
        sort = {field: direction for field, direction in sort.items() if f"${field}" != partition} or sort
    output = {field: _with_window(value, window.window, made.framed) for field, value in made.output.items()}
    stages.append(_window_stage(partition, sort, output))
    if made.result is not None:
        stages.append({"$set": {name: made.result}})
    temporary = _temporary(stages, name)
    return (*stages, {"$unset": temporary}) if temporary else tuple(stages)


def _in_place(parts: list[SortPart]) -> list[SortPart]:
    """The parts, by the field of the document where one is nothing else: an index may have the rows in that order."""
    found: dict[str, SortPart] = {}
    for part in parts:
        is_field = isinstance(part.value, str) and part.value.startswith("$") and not part.value.startswith("$$")
        field = str(part.value)[1:] if is_field else part.field
        found.setdefault(field, SortPart(field, part.value, part.direction))
    return list(found.values())


def _temporary(stages: list[_Stage], name: str) -> list[str]:
    """Every field the stages make but the result's own, in the order they are made."""
    made: list[str] = []
    for stage in stages:
        inner = stage.get("$set") or stage["$setWindowFields"]["output"]  # type: ignore[index]
        assert isinstance(inner, dict)
        made += [field for field in inner if field != name and field not in made]
    return made


def _window_stage(partition: MqlValue, sort: dict[str, MqlValue], output: dict[str, MqlValue]) -> _Stage:
    inner: dict[str, MqlValue] = {} if partition is None else {"partitionBy": partition}
    if sort or any(map(_wants_order, output.values())):
        inner["sortBy"] = sort or {"_id": 1}  # SQL leaves the order open, the server wants one
    return {"$setWindowFields": {**inner, "output": output}}


def _wants_order(value: MqlValue) -> bool:
    """Whether it depends on the rows' places."""
    return isinstance(value, dict) and ("$shift" in value or ("window" in value and value["window"] != WHOLE_PARTITION))


def _with_window(value: MqlValue, window: MqlValue, framed: bool) -> MqlValue:
    if not framed or window is None:
        return value
    assert isinstance(value, dict)
    return value if "window" in value else {**value, "window": window}


def _partition(node: WindowFunction, r: Renderer) -> MqlValue:
    values = [{"$ifNull": [r.value(key), None]} if r.nullable(key) else r.value(key) for key in node.partition]
    if not values:
        return None
    return values[0] if len(values) == 1 else {f"p{place}": value for place, value in enumerate(values)}


# --- frames ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
    """A window; `by_rank`, `by_value`: its range counts peers, or the one key's own value."""

    window: MqlValue
    by_rank: bool = False
    by_value: bool = False


def _frame(node: WindowFunction, r: Renderer) -> _Frame:
    start, end = (_edge(bound) for bound in (node.frame.start, node.frame.end))
    if (start, end) == ("unbounded", "unbounded"):
        return _Frame(WHOLE_PARTITION)
    if node.frame.unit is FrameUnit.ROWS:
        return _Frame({"documents": [start, end]})
    if not node.order:  # all rows are peers
        if isinstance(start, int) or isinstance(end, int):
            raise rendering_gap("a frame of peers without an order")
        return _Frame(WHOLE_PARTITION)
    if node.frame.unit is FrameUnit.GROUPS or not (_is_distance(start) or _is_distance(end)):
        return _Frame({"range": _peers(start, end)}, by_rank=True)
    key = node.order[0].expression
    if len(node.order) > 1 or node.order[0].descending or key.type.name not in NUMBERS or r.nullable(key):
        raise rendering_gap("a frame of values by distance, unless ordered by one ascending number that is never NULL")
    return _Frame({"range": _peers(start, end)}, by_value=True)


def _peers(start: MqlValue, end: MqlValue) -> MqlValue:
    """The server's `current` is the row alone; a distance of 0 takes in its peers."""
    return [0 if edge == "current" else edge for edge in (start, end)]


def _is_distance(edge: MqlValue) -> bool:
    return not isinstance(edge, str)


def _edge(bound: Bound) -> MqlValue:
    if bound.offset is None:
        return "unbounded"
    count = distance(bound.offset)
    return "current" if count == 0 else count if bound.following else -count


def _by_value(node: WindowFunction, parts: list[SortPart]) -> dict[str, MqlValue]:
    assert len(parts) == len(node.order)
    return {parts[0].field: 1}


def _by_rank(
    node: WindowFunction, parts: list[SortPart], partition: MqlValue, name: str
) -> tuple[dict[str, MqlValue], list[_Stage]]:
    """One number that sorts like all the keys and is the same for peers only."""
    rank, row, first = f"{name}_peers", f"{name}_place", f"{name}_first"
    if len(parts) == 1:
        dense = _window_stage(partition, {parts[0].field: parts[0].direction}, {rank: {"$denseRank": {}}})
        return {rank: 1}, [dense]
    peers = {f"k{place}": f"${part.field}" for place, part in enumerate(parts)}
    stages = [
        _window_stage(partition, {part.field: part.direction for part in parts}, numbered(row)),
        _window_stage({"p": partition, **peers}, {}, {first: {"$min": f"${row}", "window": WHOLE_PARTITION}}),
    ]
    if node.frame.unit is not FrameUnit.GROUPS:
        return {first: 1}, stages
    return {rank: 1}, [*stages, _window_stage(partition, {first: 1}, {rank: {"$denseRank": {}}})]
