"""Filters as conditions of SQL.

A negated test (`$nor`, `$not`, `$ne`, `$nin`) is the test itself, negated: of an array `NOT EXISTS`, of one value with
`OR … IS NULL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

from nestling.ir.capture.clauses import LOGICAL
from nestling.ir.capture.masks import NULL_SHAPE
from nestling.ir.facts.steps import ANY_KEY
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.elements import elements
from nestling.sources.capture.sql.entity_rows import token
from nestling.sources.capture.sql.expressions import ONE_NULL, truth
from nestling.sources.capture.sql.field_values import (
    Absent,
    AskedByKind,
    AskedOfNoDocument,
    Discriminator,
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.paths import PathTarget, find
from nestling.sources.capture.sql.predicates import (
    ALWAYS,
    NEVER,
    CapturedCondition,
    CapturedTest,
    OneWay,
    conjuncts,
    every,
    negated,
    some,
    text_of,
)
from nestling.sources.capture.sql.scalar_tests import (
    ANY_BOUND,
    NOT_TOLD_APART,
    OneOfAll,
    asks_for_any,
    no_documents,
    requires_value,
    tested,
)

_Condition = Mapping[str, Any]
_NEGATIVE = ("$ne", "$nin")
_OF_NOTHING = ("$eq", "$ne", "$gte", "$lte")
"""Comparisons that null and missing fields pass if they are compared with null."""
_EMPTY_IS_MISSING = "`{}`: SQL does not distinguish an empty array from a missing one, and takes it for missing"
_MISSING_IS_EMPTY = "`{}`: SQL does not distinguish a missing array from an empty one, and takes it for empty"
_ORDER_OF_FIELDS = (
    "`{}` is compared as a whole: MongoDB also compares the order of its fields, the SQL statement does not"
)


def conditions(draft: StatementDraft, document: FieldValue, condition: _Condition) -> list[str]:
    """The conditions of a filter, all of which must hold; raises NotExpressible."""
    return [text for text in conjuncts(predicate(draft, document, condition)) if text != "1 = 1"]


def element_conditions(draft: StatementDraft, element: FieldValue, path: str, tests: _Condition) -> list[str]:
    """The conditions that an element of an array has to meet itself; raises NotExpressible."""
    return [text for text in conjuncts(_passes(draft, PathTarget(element), path, tests)) if text != "1 = 1"]


def predicate(draft: StatementDraft, document: FieldValue, condition: _Condition) -> CapturedCondition:
    """A filter; raises NotExpressible."""
    return every(_parts(draft, document, condition))


def _parts(draft: StatementDraft, document: FieldValue, condition: _Condition) -> Iterator[CapturedCondition]:
    for name, test in condition.items():
        if name in LOGICAL and any(each == other for each, other in pairwise(test)):
            draft.notes.append(
                f"`{name}` has several conditions of one form; the SQL statement has two of each such form"
            )
        match name:
            case "$and":
                yield every(predicate(draft, document, each) for each in test)
            case "$or":
                yield some(_alternatives(draft, document, test))
            case "$nor":
                yield negated(some(predicate(draft, document, each) for each in test))
            case "$expr":
                yield truth(draft, document, test)
            case _ if name.startswith("$"):
                raise NotExpressible(f"`{name}` in a filter")
            case _:
                yield _passes(draft, _target(draft, document, name), name, test)


def _alternatives(draft: StatementDraft, document: FieldValue, test: list[_Condition]) -> list[CapturedCondition]:
    """The alternatives that some document may meet; raises NotExpressible if there is none."""
    found, refusals = [], []
    for each in test:
        try:
            found.append(predicate(draft, document, each))
        except AskedOfNoDocument as refusal:
            refusals.append(refusal)
            draft.notes.append(f"{refusal}: an alternative that needs it is left out")
    if not found:
        raise refusals[0]
    return found


def _target(draft: StatementDraft, document: FieldValue, path: str) -> PathTarget:
    found = find(document, path)
    if isinstance(found.value, Many) and ANY_KEY in found.places:
        draft.notes.append(f"`{path}` is one position in an array; the SQL statement matches any")
    return found


def _passes(draft: StatementDraft, found: PathTarget, path: str, tests: _Condition) -> CapturedCondition:
    """All the tests of a field."""
    needs_value = any(requires_value(*each) for each in tests.items())
    left = {
        name: operand
        for name, operand in tests.items()
        if isinstance(found.value, Many) or not (needs_value and asks_for_any(name, operand))
    }
    return every(_pass(draft, found, path, name, operand) for name, operand in left.items())


def _pass(draft: StatementDraft, found: PathTarget, path: str, name: str, operand: Any) -> CapturedCondition:
    """One test of a field."""
    if isinstance(found.value, Absent) and _holds_of_nothing(name, operand):
        draft.notes.append(f"{found.value.why}: taken to be missing in all documents")
        return ALWAYS
    if name == "$not":
        return negated(_passes(draft, found, path, operand))
    if name == "$exists" and not operand:
        return negated(_met(draft, found, path, name, True))
    made = _met(draft, found, path, name, operand)
    return negated(made) if name in _NEGATIVE else made


def _holds_of_nothing(name: str, operand: Any) -> bool:
    """Whether a test is true of a missing field."""
    match name:
        case "$not":
            return any(requires_value(*each) or asks_for_any(*each) for each in operand.items())
        case "$exists":
            return not operand
        case "$ne" | "$eq" | "$gte" | "$lte":
            return bool(operand == NULL_SHAPE) != (name == "$ne")
        case "$in" | "$nin":
            return (NULL_SHAPE in operand) != (name == "$nin")
        case _:
            return False


def _met(draft: StatementDraft, found: PathTarget, path: str, name: str, operand: Any) -> CapturedCondition:
    """One test of a field, `$ne` and `$nin` without their negation: it holds if any of the values under the path passes."""
    match found.value:
        case Discriminator():
            return _of_kind(draft, found.value, name, operand)
        case Unmapped():
            raise found.value.refusal()
        case Many():
            return _of_array(draft, found, path, name, operand)
        case DocumentTree():
            return _of_document(draft, found.value, path, name, operand)
        case RowAttribute() | Sql():
            return tested(draft, found.value, path, name, operand)


def _of_kind(draft: StatementDraft, value: Discriminator, name: str, operand: Any) -> CapturedCondition:
    """A test of the field that tells subtypes apart: the row of the subtype is there."""
    if name != "$eq" or not isinstance(operand, str) or operand == NULL_SHAPE:
        raise NotExpressible(value.why)
    if draft.kind not in value.kinds:
        raise AskedByKind(tuple(value.kinds))
    return OneWay(f"{value.kinds[draft.kind].text} IS NOT NULL", value.why)


def _of_document(draft: StatementDraft, value: DocumentTree, path: str, name: str, operand: Any) -> CapturedCondition:
    """A test of a sub-document."""
    if name == "$exists":
        if value.row is not None and value.row.may_lack:
            draft.notes.append(NOT_TOLD_APART.format(name, path))
        return _there(value, path)
    if name in _OF_NOTHING and operand == NULL_SHAPE:
        return negated(_there(value, path))
    if name in ("$gt", "$lt") and operand == NULL_SHAPE:
        return NEVER
    if name in ("$eq", "$ne") and isinstance(operand, Mapping):
        return _same_document(draft, value, path, operand)
    raise NotExpressible(f"`{name}` on the document `{path}`")


def _same_document(draft: StatementDraft, value: DocumentTree, path: str, given: _Condition) -> CapturedCondition:
    """The document has these fields, with these values, and no others."""
    if list(given) != [name for name in value.fields if name in given]:
        draft.notes.append(_ORDER_OF_FIELDS.format(path))
    parts = [_there(value, path)] if value.row is not None and value.row.may_lack else []
    for name, word in given.items():
        inner = f"{path}.{name}"
        if word == NULL_SHAPE:
            draft.notes.append(f"`{inner}` compared with null: {ONE_NULL}")
        parts.append(_met(draft, find(value, name), inner, "$eq", word))
    for name, other in value.fields.items():
        if name not in given:
            if isinstance(other, Many):
                raise NotExpressible(f"the document `{path}` compared with one that lacks the array `{name}`")
            parts.append(negated(_met(draft, PathTarget(other), f"{path}.{name}", "$exists", True)))
    return every(parts)


def _there(value: DocumentTree, path: str) -> CapturedCondition:
    if value.row is None or not value.key:
        raise NotExpressible(f"whether the document `{path}` exists")
    key = token(value.row, value.key)
    return CapturedTest((f"{key} IS NOT NULL",), (f"{key} IS NULL",))


def _of_array(draft: StatementDraft, found: PathTarget, path: str, name: str, operand: Any) -> CapturedCondition:
    """A test of an array or of what lies in it: some element passes it."""
    value, rest = found.value, found.rest
    assert isinstance(value, Many)
    if operand == ANY_BOUND:
        raise NotExpressible(f"the array `{path}` compared with MinKey or MaxKey")
    if value.own:
        return _of_own_rows(draft, value, path, rest, name, operand)
    if name == "$all" and not isinstance(operand, OneOfAll):
        return every(_every_one(draft, value, path, rest, operand))
    if name in _OF_NOTHING and operand == NULL_SHAPE:
        return some([_some_element(draft, value, path, rest, "$eq", NULL_SHAPE), *_missing(draft, value, path)])
    if name in ("$in", "$nin") and isinstance(operand, list) and NULL_SHAPE in operand:
        return some([_some_element(draft, value, path, rest, name, operand), *_missing(draft, value, path)])
    if rest:
        return _some_element(draft, value, path, rest, name, operand)
    return _of_whole_array(draft, value, path, name, operand, by_place=bool(found.places))


def _of_whole_array(
    draft: StatementDraft, value: Many, path: str, name: str, operand: Any, *, by_place: bool
) -> CapturedCondition:
    match name:
        case "$exists" if value.always and not by_place:
            return ALWAYS
        case "$exists":
            if not by_place:
                _note(draft, value, _EMPTY_IS_MISSING, path)
            return _exists(draft, value, path, lambda _: ())
        case "$eq" | "$ne" if operand == []:
            _note(draft, value, _MISSING_IS_EMPTY, path)
            return negated(_exists(draft, value, path, lambda _: ()))
        case "$size":
            _note(draft, value, _MISSING_IS_EMPTY, path)
            query, _ = elements(draft, value)
            counted = query.text([("one", "COUNT(*)")], draft.design.model)
            size = draft.parameters.new("size", f"{path} $size")
            return CapturedTest((f"({counted}) = {size}",), (f"({counted}) <> {size}",))
        case "$elemMatch":
            return _element_match(draft, value, path, operand)
        case _:
            return _some_element(draft, value, path, "", name, operand)


def _note(draft: StatementDraft, value: Many, note: str, path: str) -> None:
    if not value.always:
        draft.notes.append(note.format(path))


def _missing(draft: StatementDraft, value: Many, path: str) -> Iterator[CapturedCondition]:
    """The array itself is missing or null."""
    if not value.always:
        _note(draft, value, _EMPTY_IS_MISSING, path)
        yield negated(_exists(draft, value, path, lambda _: ()))


def _some_element(
    draft: StatementDraft, value: Many, path: str, rest: str, name: str, operand: Any
) -> CapturedCondition:
    """Some element passes a test, itself or by what lies under the rest of the path in it."""

    def test(element: FieldValue) -> Iterator[CapturedCondition]:
        if not rest and isinstance(element, DocumentTree) and operand == NULL_SHAPE:
            yield NEVER  # an element that is a document is not null
        elif rest:
            with draft.parameters.inside(value.name):
                yield _met(draft, find(element, rest), rest, name, operand)
        else:
            yield _met(draft, PathTarget(element), value.name, name, operand)

    return _exists(draft, value, path, test)


def _every_one(draft: StatementDraft, value: Many, path: str, rest: str, operand: Any) -> Iterator[CapturedCondition]:
    """The tests of an `$all`, each of which some element has to pass."""
    words = operand if isinstance(operand, list) else []
    if not words:
        yield NEVER
    elif not rest and all(isinstance(word, dict) and set(word) == {"$elemMatch"} for word in words):
        for word in words:
            yield _element_match(draft, value, path, word["$elemMatch"])
    else:
        given = [word for word in no_documents(words) if word != NULL_SHAPE]
        if NULL_SHAPE in words:
            yield _of_array(draft, PathTarget(value, rest), path, "$eq", NULL_SHAPE)
        place = f"{rest or value.name} $all"
        with draft.parameters.inside(value.name) if rest else nullcontext():
            number = draft.list_length(place) if given else 0
        for each in range(number):
            yield _some_element(draft, value, path, rest, "$all", OneOfAll(each, tuple(given)))


def _element_match(draft: StatementDraft, value: Many, path: str, operand: _Condition) -> CapturedCondition:
    """One element passes all tests of an `$elemMatch`."""
    of_value = any(name.startswith("$") and name not in (*LOGICAL, "$expr") for name in operand)

    def test(element: FieldValue) -> Iterator[CapturedCondition]:
        if of_value:
            yield _passes(draft, PathTarget(element), value.name, operand)
        elif isinstance(element, DocumentTree):
            with draft.parameters.inside(value.name):
                yield predicate(draft, element, operand)
        else:
            raise NotExpressible(f"fields of the elements of `{path}`, which are single values")

    return _exists(draft, value, path, test)


def _of_own_rows(
    draft: StatementDraft, value: Many, path: str, rest: str, name: str, operand: Any
) -> CapturedCondition:
    """A test of a bucket's events, each of which is a row by itself."""
    element = value.element(value.join(False)[1])
    why = f"a bucket none of whose events passes a test of `{path}`"
    if name in _NEGATIVE:
        raise NotExpressible(why)
    if rest:
        made = _met(draft, find(element, rest), rest, name, operand)
    elif name == "$elemMatch":
        with draft.parameters.inside(value.name):
            made = predicate(draft, element, operand)
    else:
        raise NotExpressible(f"a test of the bucket `{path}` as a whole")
    return OneWay(text_of(made), why)


def _exists(
    draft: StatementDraft, value: Many, path: str, test: Callable[[FieldValue], Iterable[CapturedCondition]]
) -> CapturedCondition:
    """The array has an element that passes a test."""
    if value.limit is not None:
        draft.notes.append(f"`{path}` keeps only the first {value.limit}; the SQL statement tests all")
    query, element = elements(draft, value)
    found = every(test(element))
    if found == NEVER:
        return NEVER
    query.keep(conjuncts(found))
    text = f"EXISTS ({query.text([('one', '1')], draft.design.model)})"
    return CapturedTest((text,), (f"NOT {text}",))
