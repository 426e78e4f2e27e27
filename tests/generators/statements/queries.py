"""Whole statements: one SELECT, a set operation, CTEs and recursion, with an order and a limit."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tests.generators.statements.ground import Ground, Kind, Table, quoted
from tests.generators.statements.hand import Hand
from tests.generators.statements.selects import Select, as_table, inside, plain, select
from tests.generators.statements.statement import Statement


@st.composite
def statements(draw: st.DrawFn, ground: Ground) -> Statement:
    """A SELECT over the ground's tables."""
    hand = Hand(draw, ground)
    shape = hand.weighted((8, _alone), (2, _set_operation), (1, _with_cte), (1, _recursive))
    before, made = shape(hand)
    tail, order = _tail(hand, made)
    sql = f"{before}{made.sql}{tail}"
    values = {name: value for name, value in hand.values.items() if f":{name}" in sql}
    return Statement(sql, values, frozenset(hand.constructs or {"plain"}), order)


def _alone(hand: Hand) -> tuple[str, Select]:
    return "", select(hand)


def _set_operation(hand: Hand) -> tuple[str, Select]:
    kinds = tuple(hand.some(lambda: hand.one_of((Kind.NUMBER, Kind.TEXT, Kind.TIME)), 1, 2))
    text = plain(hand, kinds).sql
    for _ in range(hand.number(1, 2)):
        operator = hand.one_of(("UNION", "UNION ALL", "INTERSECT", "EXCEPT"))
        hand.uses(operator)
        text += f" {operator} {plain(hand, kinds).sql}"
    return "", Select(text, list(kinds))


def _with_cte(hand: Hand) -> tuple[str, Select]:
    hand.uses("CTE")
    inner = inside(hand)
    hand.tables["w"] = replace(as_table("w", inner), sql="w")
    return f"WITH w AS ({inner.sql}) ", select(hand)


def _recursive(hand: Hand) -> tuple[str, Select]:
    """Down or up a tree; any SELECT where there is none."""
    trees = [link for link in hand.ground.model.relationships if link.is_self]
    if not trees:
        return _alone(hand)
    hand.uses("recursive CTE")
    link = hand.one_of(trees)
    table = hand.ground.tables[link.parent]
    entity = hand.ground.model.entity(link.parent)
    wanted = tuple(dict.fromkeys((*link.parent_attributes, *link.child_attributes, *entity.key)))
    columns = [each for each in table.columns if each[0] in wanted]
    down = hand.one_of((True, False))
    mine, theirs = (
        (link.child_attributes, link.parent_attributes) if down else (link.parent_attributes, link.child_attributes)
    )
    on = " AND ".join(f"r.{quoted(one)} = w.{quoted(other)}" for one, other in zip(mine, theirs, strict=True))
    listed = ", ".join(quoted(name) for name, _, _ in columns)
    more = ", ".join(f"r.{quoted(name)}" for name, _, _ in columns)
    start = f" WHERE {_start(hand, columns)}" if hand.chance(2) else ""
    with_depth, is_bounded = hand.chance(2), hand.chance(4)  # without a bound, SQLite may go round in circles
    union = hand.one_of(("UNION", "UNION", "UNION ALL"))
    depth, deeper = (", 0 AS depth", ", w.depth + 1") if with_depth else ("", "")
    bound = " WHERE w.depth < 3" if with_depth and is_bounded else ""
    names = listed + (", depth" if with_depth else "")
    text = (
        f"WITH RECURSIVE w ({names}) AS (SELECT {listed}{depth} FROM {table.sql}{start} "
        f"{union} SELECT {more}{deeper} FROM {table.sql} r JOIN w ON {on}{bound}) "
    )
    known = (*columns, ("depth", Kind.NUMBER, ())) if with_depth else tuple(columns)
    hand.tables["w"] = Table("w", tuple(known))
    if hand.chance(2):
        return text, select(hand)
    return text, Select("SELECT * FROM w", [kind for _, kind, _ in known])


def _start(hand: Hand, columns: list[tuple[str, Kind, tuple[str, ...]]]) -> str:
    name, _, literals = hand.one_of(columns)
    return f"{quoted(name)} = {hand.one_of(literals)}" if literals else f"{quoted(name)} IS NULL"


def _tail(hand: Hand, made: Select) -> tuple[str, tuple[int, ...]]:
    """ORDER BY and LIMIT: with a limit, mostly an order over every output, so that no choice is left."""
    limited = hand.chance(2) if made.key else hand.chance(4)
    if not limited and hand.chance(2):
        return "", ()
    places = list(range(1, (made.key or made.width) + 1))
    full = limited and not hand.chance(6)
    chosen = (
        hand.draw(st.permutations(places))
        if full
        else hand.draw(st.lists(st.sampled_from(places), max_size=2, unique=True))
    )
    keys, order = [], []
    for place in chosen:
        direction = hand.one_of(("", "", " DESC", " ASC", " NULLS LAST", " DESC NULLS FIRST", " NULLS FIRST"))
        if "NULLS" in direction:
            hand.uses("NULLS FIRST/LAST")
        keys.append(f"{place}{direction}")
        order.append(place - 1)
    if made.sortable and not full and hand.chance(3):
        keys.append(hand.one_of(made.sortable).sql)
    if keys:
        hand.uses("ORDER BY")
    text = f" ORDER BY {', '.join(keys)}" if keys else ""
    return text + (_limit(hand) if limited else ""), tuple(order)


def _limit(hand: Hand) -> str:
    hand.uses("LIMIT")
    if hand.chance(4):
        return f" LIMIT {hand.parameter(hand.number(0, 4))}"
    if hand.chance(2):
        hand.uses("OFFSET")
        return f" LIMIT {hand.one_of((2, 3, -1))} OFFSET {hand.number(0, 2)}"
    return f" LIMIT {hand.number(0, 4)}"
