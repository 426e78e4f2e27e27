"""A planned application-level join as two reads; as people and machines take it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeGuard, cast

from nestling.emitters.mql.read import compiled_read
from nestling.emitters.mql.script import read_json, read_shell
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.ir.literals import quoted
from nestling.ir.noun_json import Json
from nestling.ir.programs.client_join import IDS, MOST_IDS, ClientJoin, JoinPlan, with_ids
from nestling.ir.programs.compiled import CompiledRead, Mql, Placeholder, parameters_in


def compiled_join(plan: JoinPlan, *, name: str = "", sql: str = "") -> ClientJoin:
    """The join; raises a gap error where the ids are asked for otherwise than by an equality of a field."""
    first = compiled_read(plan.first, name=name, sql=sql)
    second = _by_ids(compiled_read(plan.second, name=name, sql=sql), plan.parameter)
    found = (*first.parameters, *second.parameters)
    order = "in the order of the first" if plan.joining.ordered_by == 0 else "in the order of the second"
    words = f"{first.access_path}\nthe client collects `{plan.joining.given}`, and then\n{second.access_path}\n"
    return ClientJoin(
        name,
        sql,
        plan.columns,
        tuple(dict.fromkeys(found)),
        first,
        second,
        plan.joining,
        f"{words}the client joins both, {order}",
    )


def _by_ids(read: CompiledRead, parameter: str) -> CompiledRead:
    """Replace an equality with the parameter by `$in` and the list; other lists on the field are kept."""

    def is_asked(value: object) -> TypeGuard[Mql]:
        return (
            isinstance(value, dict) and isinstance(found := value.get("$eq"), Placeholder) and found.name == parameter
        )

    def put(value: object) -> object:
        match value:
            case {"$eq": _, **others} if is_asked(value):
                rest = {name: each for name, each in others.items() if name != "$in" and (name, each) != ("$ne", None)}
                return {**rest, "$in": IDS}
            case dict():
                lists = [
                    {name: {"$in": each["$in"]}} for name, each in value.items() if is_asked(each) and "$in" in each
                ]
                made: dict[str, Any] = {name: put(inner) for name, inner in value.items()}
                return {**made, "$and": [*made.get("$and", ()), *lists]} if lists else made
            case list() | tuple():
                return [put(inner) for inner in value]
            case _:
                return value

    filter_, stages = put(read.filter), tuple(cast(Mql, put(stage)) for stage in read.pipeline)
    left = tuple(dict.fromkeys(parameters_in([filter_, *stages, read.projection, read.skip, read.limit])))
    if parameter in left:
        raise rendering_gap("a list of ids where no field is compared with them")
    return replace(read, filter=cast("Mql | None", filter_), pipeline=stages, parameters=left)


def join_json(join: ClientJoin) -> Json:
    """The documented shape: the two reads as `steps`, `{"$ids": field}` where the first one's ids go in the second."""
    steps = [_step(read, join.joining.given) for read in (join.first, join.second)]
    on = {"first": join.joining.given, "second": join.joining.found or None}
    columns = [
        {"name": column.name, "field": column.field, "step": step, "from": field}
        for column, (step, field) in zip(join.columns, join.joining.outputs, strict=True)
    ]
    return {
        "name": join.name,
        "sql": join.sql,
        "gap": None,
        "steps": steps,
        "on": on,
        "ordered_by": join.joining.ordered_by,
        "keep_unmatched": join.joining.lonely,
        "ids_at_once": None if join.joining.whole else MOST_IDS,
        "columns": columns,
        "parameters": [*join.parameters],
        "access_path": join.access_path.splitlines(),
        **({"notes": [*join.notes]} if join.notes else {}),
    }


def _step(read: CompiledRead, given: str) -> Json:
    shown = read_json(with_ids(read, {"$ids": given}))
    return {
        name: value for name, value in shown.items() if name not in ("name", "sql", "gap", "columns", "access_path")
    }


@dataclass(frozen=True, slots=True)
class _Named(Placeholder):
    """A name that stands in a query as a variable of the shell."""

    name: str

    def bind(self, value: object) -> object:
        """The variable is given a value where the script runs."""
        return value


_SHELL = """\
const first = {first}.toArray();
const given = first.map((row) => row[{given}]).filter((id) => id != null);
const keys = [...new Map(given.map((id) => [EJSON.stringify(id), id])).values()];
const second = {second}.toArray();
"""
_MATCHED = """\
const partners = Map.groupBy({other}, (row) => EJSON.stringify(row[{their}]));
{rows}.flatMap((row) => (partners.get(EJSON.stringify(row[{own}])) ?? {none}).map((partner) => ({{{fields}}})));"""
_ALONE = "second.map((row) => ({{{fields}}}));"


def join_shell(join: ClientJoin) -> str:
    """The join for mongosh. Free parameters are variables of the same name, to be set before."""
    joining = join.joining
    text = _SHELL.format(
        first=read_shell(join.first),
        second=read_shell(with_ids(join.second, _Named("keys"))),
        given=quoted(joining.given),
    )
    sides = ("row", "partner") if joining.ordered_by == 0 else ("partner", "row")
    fields = ", ".join(
        f"{quoted(column.field)}: {sides[side]}[{quoted(field)}] ?? null"
        for column, (side, field) in zip(join.columns, joining.outputs, strict=True)
    )
    if not joining.found:
        return text + _ALONE.format(fields=fields)
    rows, other = ("first", "second") if joining.ordered_by == 0 else ("second", "first")
    own, their = (joining.given, joining.found) if joining.ordered_by == 0 else (joining.found, joining.given)
    none = "[{}]" if joining.lonely else "[]"
    return text + _MATCHED.format(
        other=other, their=quoted(their), rows=rows, own=quoted(own), none=none, fields=fields
    )
