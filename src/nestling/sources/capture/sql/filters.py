"""Filters as conditions of SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nestling.ir.capture.clauses import BEGINS
from nestling.ir.facts.steps import ANY_KEY
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.elements import elements
from nestling.sources.capture.sql.entity_rows import token
from nestling.sources.capture.sql.expressions import scalar
from nestling.sources.capture.sql.field_values import (
    AskedByKind,
    CannotSay,
    Discriminator,
    DocumentTree,
    FieldValue,
    Many,
    RowAttribute,
    ScalarValue,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.paths import find

_Condition = Mapping[str, Any]
NULL, ANY_BOUND = "?null", "?minmax"
ENDS_OF_BEGINNING = {"$gte": "from", "$lt": "before"}
"""Texts that begin alike are a range: from that beginning to before the first text behind them all."""
_COMPARED = {"$eq": "=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
MOST_LISTED = 50
"""Values a list is written with at most."""


def conditions(saying: StatementDraft, document: FieldValue, condition: _Condition) -> list[str]:
    """The conditions of a filter, all of which must hold; raises CannotSay."""
    made: list[str] = []
    for name, test in condition.items():
        match name:
            case "$and":
                made += [text for each in test for text in conditions(saying, document, each)]
            case "$or":
                made.append(_any([_all(conditions(saying, document, each)) for each in test]))
            case "$nor":
                made += [f"NOT {_within(_all(conditions(saying, document, each)))}" for each in test]
            case "$expr":
                made.append(scalar(saying, document, test).text)
            case _ if name.startswith("$"):
                raise CannotSay(f"`{name}` in a filter")
            case _:
                made += _field(saying, document, name, test)
    return made


def _field(saying: StatementDraft, document: FieldValue, path: str, tests: _Condition) -> list[str]:
    found = find(document, path)
    match found.value:
        case Discriminator():
            return [_of_kind(saying, found.value, tests)]
        case Unmapped():
            raise found.value.refusal()
        case Many():
            if ANY_KEY in found.places:
                saying.notes.append(f"`{path}` is one position in an array; the SQL statement matches any")
            return _of_array(saying, found.value, path, found.rest, tests)
        case DocumentTree():
            return _of_document(saying, found.value, path, tests)
        case RowAttribute() | Sql():
            return list(tested(saying, found.value, path, tests))


def _of_kind(saying: StatementDraft, value: Discriminator, tests: _Condition) -> str:
    """A test of the field that tells subtypes apart: the row of the subtype is there."""
    if set(tests) != {"$eq"} or not isinstance(tests["$eq"], str) or tests["$eq"] == NULL:
        raise CannotSay(value.why)
    if saying.kind not in value.kinds:
        raise AskedByKind(tuple(value.kinds))
    return f"{value.kinds[saying.kind].text} IS NOT NULL"


def _of_document(saying: StatementDraft, value: DocumentTree, path: str, tests: _Condition) -> list[str]:
    made = []
    for name, operand in tests.items():
        if name == "$exists" or operand == NULL:
            made.append(_there(value, path, is_there=operand is True or name == "$ne"))
        elif name == "$eq" and isinstance(operand, Mapping):
            equal = {f"{path}.{inner}": {"$eq": word} for inner, word in operand.items()}
            made += conditions(saying, _at(path, value), equal)
        else:
            raise CannotSay(f"`{name}` on the document `{path}`")
    return made


def _at(path: str, value: DocumentTree) -> DocumentTree:
    first, _, rest = path.partition(".")
    return DocumentTree({first: _at(rest, value) if rest else value})


def _there(value: DocumentTree, path: str, *, is_there: bool) -> str:
    if value.row is None or not value.key:
        raise CannotSay(f"whether the document `{path}` exists")
    return f"{token(value.row, value.key)} IS {'NOT ' if is_there else ''}NULL"


def _of_array(  # noqa: C901 - one case for each
    saying: StatementDraft, value: Many, path: str, rest: str, tests: _Condition
) -> list[str]:
    """A test of an array: some element passes it."""
    if value.own:
        return _of_own_rows(saying, value, path, rest, tests)
    made = []
    for name, operand in tests.items():
        match name:
            case "$elemMatch" if not rest:
                made.append(exists(saying, value, operand))
            case "$size" if not rest:
                counted = f"({_sub(saying, value, {}, 'COUNT(*)')})"
                made.append(f"{counted} = {saying.parameters.new('size', f'{path} $size')}")
            case "$exists":
                made.append(exists(saying, value, {}, negated=operand is not True))
            case "$ne" if operand == []:
                made.append(exists(saying, value, {}))
            case "$eq" if operand == []:
                made.append(exists(saying, value, {}, negated=True))
            case "$ne" | "$nin":
                positive = {"$eq" if name == "$ne" else "$in": operand}
                made.append(exists(saying, value, {rest: positive}, negated=True))
            case "$all":
                made += [exists(saying, value, each) for each in _each_of_all(saying, rest, operand)]
            case "$size" | "$elemMatch":
                raise CannotSay(f"`{name}` on the array `{path}`")
            case _:
                made.append(exists(saying, value, {rest: {name: operand}}))
    return made


class Nth(int):
    """The place of a value in an `$all`, in the condition of the one element that has to have it."""


def _each_of_all(saying: StatementDraft, rest: str, operand: Any) -> list[_Condition]:
    """A condition for each value that some element has to have; the list says of each kind one only."""
    words = operand if isinstance(operand, list) else []
    if words and not rest and all(isinstance(word, dict) and set(word) == {"$elemMatch"} for word in words):
        return [word["$elemMatch"] for word in words]
    _no_documents(words)
    number = min(max(saying.listed, 1), MOST_LISTED)
    return [{rest: {"$all": Nth(each)}} for each in range(number)]


def _of_own_rows(saying: StatementDraft, value: Many, path: str, rest: str, tests: _Condition) -> list[str]:
    """A test of a bucket's events, each of which is a row by itself."""
    element = value.element(value.join(False)[1])
    if rest:
        return conditions(saying, element, {rest: tests})
    if set(tests) == {"$elemMatch"}:
        return conditions(saying, element, tests["$elemMatch"])
    raise CannotSay(f"a test of the bucket `{path}` as a whole")


def exists(saying: StatementDraft, value: Many, condition: _Condition, *, negated: bool = False) -> str:
    """Whether an array has an element that fits; the condition's empty path is the element itself."""
    return f"{'NOT ' if negated else ''}EXISTS ({_sub(saying, value, condition, '1')})"


def _sub(saying: StatementDraft, value: Many, condition: _Condition, shown: str) -> str:
    query, element = elements(saying, value)
    own = condition.get("")
    with saying.parameters.inside(value.name):
        query.keep(conditions(saying, element, {name: test for name, test in condition.items() if name}))
    if own is not None or any(name.startswith("$") for name in condition):
        if not isinstance(element, RowAttribute):
            raise CannotSay("elements of an array compared as a whole")
        query.where += tested(saying, element, value.name, own if own is not None else condition)
    return query.text([("one", shown)], saying.design.model)


def tested(saying: StatementDraft, value: ScalarValue, path: str, tests: _Condition) -> Iterator[str]:
    """The tests of one value."""
    for name, operand in tests.items():
        text = _test(saying, value, path, name, operand, tests)
        if text:
            yield text


def _test(  # noqa: C901 - one case for each
    saying: StatementDraft, value: ScalarValue, path: str, name: str, operand: Any, tests: _Condition
) -> str:
    text, place = value.text, f"{path} {name}"
    match name:
        case "$eq" | "$ne" if operand in (NULL, ANY_BOUND):
            equal = name == "$eq"
            return f"{text} IS NULL" if equal else "" if _compares(tests, name) else f"{text} IS NOT NULL"
        case "$exists":
            if value.may_be_null:
                saying.notes.append(
                    f"`$exists` on `{path}` becomes IS NULL, which does not distinguish null from a missing field"
                )
            return "" if operand and _compares(tests, name) else f"{text} IS {'NOT ' if operand else ''}NULL"
        case "$gt" | "$gte" | "$lt" | "$lte" if operand in (NULL, ANY_BOUND):
            return "" if _compares(tests, name) else f"{text} IS NOT NULL"
        case "$eq" | "$gt" | "$gte" | "$lt" | "$lte":
            _plain(operand, path)
            return f"{text} {_COMPARED[name]} {saying.parameters.compared(value.name, path, name)}"
        case "$ne":
            _plain(operand, path)
            return _or_null(value, f"{text} <> {saying.parameters.new(value.name, place)}")
        case "$all" if isinstance(operand, Nth):
            return f"{text} = {saying.parameters.new(value.name, f'{place} {operand}')}"
        case "$in" | "$nin":
            return _listed(saying, value, place, operand, negated=name == "$nin")
        case "$not":
            inner = " AND ".join(tested(saying, value, path, operand))
            return _or_null(value, f"NOT {_within(inner)}")
        case "$regex" if operand == BEGINS:
            saying.notes.append(f"the pattern on `{path}` becomes a range condition on its prefix")
            compared = (
                f"{text} {_COMPARED[way]} {saying.parameters.compared(f'{value.name}_{word}', path, way)}"
                for way, word in ENDS_OF_BEGINNING.items()
            )
            return " AND ".join(compared)
        case "$regex":
            any_case = "" if str(operand).endswith("i") else ", which ignores the case of A to Z"
            saying.notes.append(f"the pattern on `{path}` becomes LIKE{any_case}")
            return f"{text} LIKE {saying.parameters.new(f'{value.name}_pattern')}"
        case "$mod":
            by, left = saying.parameters.new("divisor"), saying.parameters.new("remainder")
            return f"{text} % {by} = {left}"
        case _:
            raise CannotSay(f"`{name}` on `{path}`")


def _compares(tests: _Condition, but: str) -> bool:
    """Whether another test is false of NULL anyway."""
    return any(
        (name in ("$eq", "$gt", "$gte", "$lt", "$lte") and operand not in (NULL, ANY_BOUND))
        or name in ("$in", "$regex")
        for name, operand in tests.items()
        if name != but
    )


def _plain(operand: Any, path: str) -> None:
    if not isinstance(operand, str):
        raise CannotSay(f"`{path}` compared with a document or list")


def _listed(saying: StatementDraft, value: ScalarValue, place: str, operand: Any, *, negated: bool) -> str:
    words = operand if isinstance(operand, list) else []
    _no_documents(words)
    number = min(max(saying.listed, 1), MOST_LISTED)
    names = [saying.parameters.new(value.name, f"{place} {at}") for at in range(number)]
    text = f"{value.text} {'NOT ' if negated else ''}IN ({', '.join(names)})"
    has_null = NULL in words
    if negated:
        return f"({text} AND {value.text} IS NOT NULL)" if has_null else _or_null(value, text)
    return f"({text} OR {value.text} IS NULL)" if has_null else text


def _no_documents(words: list[Any]) -> None:
    if any(not isinstance(word, str) or word.startswith("?regex") for word in words):
        raise CannotSay("a list of documents or patterns")


def _or_null(value: ScalarValue, text: str) -> str:
    """MongoDB's negations hold of what is not there, too."""
    return f"({text} OR {value.text} IS NULL)" if value.may_be_null else text


def _all(texts: list[str]) -> str:
    return " AND ".join(texts) if texts else "1 = 1"


def _any(texts: list[str]) -> str:
    return f"({' OR '.join(map(_within, texts))})" if len(texts) > 1 else texts[0]


def _within(text: str) -> str:
    return f"({text})" if " AND " in text or " OR " in text else text
