"""What pipelines join, wherever in them they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.facts.statement import JoinFacts


def joins_of(pipeline: object) -> Iterator[JoinFacts]:
    """The `$lookup`s and `$graphLookup`s of a pipeline, those of its inner pipelines too."""
    if not isinstance(pipeline, list):
        return
    for stage in pipeline:
        for name, body in stage.items() if isinstance(stage, Mapping) else ():
            yield from _joins(str(name), body)


def _joins(name: str, body: object) -> Iterator[JoinFacts]:
    if name == "$facet" and isinstance(body, Mapping):
        for inner in body.values():
            yield from joins_of(inner)
    if not isinstance(body, Mapping):
        return
    if name == "$lookup":
        yield _lookup(body)
    if name == "$graphLookup":
        yield JoinFacts(_text(body, "from"), _text(body, "startWith").lstrip("$"), _text(body, "connectToField"))
    if name in ("$lookup", "$unionWith"):
        yield from joins_of(body.get("pipeline"))


def _lookup(body: Mapping[str, object]) -> JoinFacts:
    """A `$lookup` by its two fields, or by what its pipeline compares with the variables of `let`."""
    foreign, equal = _text(body, "foreignField"), dict(_joined_fields(body))
    if not foreign:
        foreign = next((field for field, local in equal.items() if local), "")
    local = _text(body, "localField") or equal.get(foreign, "")
    return JoinFacts(_text(body, "from"), local, foreign, tuple(sorted(equal.keys() - {foreign})))


def _joined_fields(body: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The fields that the first stage of a `$lookup`'s pipeline compares for equality, and with which of the document before."""
    stages, variables = body.get("pipeline"), body.get("let")
    first = stages[0] if isinstance(stages, list) and stages else {}
    match = first.get("$match") if isinstance(first, Mapping) else None
    if isinstance(match, Mapping):
        yield from ((str(name), "") for name, test in match.items() if _is_equality(str(name), test))
        yield from _equal(match.get("$expr"), variables if isinstance(variables, Mapping) else {})


def _is_equality(name: str, test: object) -> bool:
    operators = {str(each) for each in test} if isinstance(test, Mapping) else {"$eq"}
    return not name.startswith("$") and operators <= {"$eq", "$in"}


def _equal(expression: object, variables: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    """The fields an expression wants equal to a variable, with the field the variable was given."""
    for name, sides in expression.items() if isinstance(expression, Mapping) else ():
        if not isinstance(sides, list):
            continue
        if name == "$and":
            for each in sides:
                yield from _equal(each, variables)
        elif name == "$eq":
            fields = [str(each)[1:] for each in sides if _is_field(each)]
            given = [variables.get(str(each)[2:]) for each in sides if isinstance(each, str) and each.startswith("$$")]
            if len(fields) == len(given) == 1:
                yield fields[0], str(given[0])[1:] if _is_field(given[0]) else ""


def _is_field(expression: object) -> bool:
    return isinstance(expression, str) and expression.startswith("$") and not expression.startswith("$$")


def _text(body: Mapping[str, object], key: str) -> str:
    found = body.get(key, "")
    return found if isinstance(found, str) else ""
