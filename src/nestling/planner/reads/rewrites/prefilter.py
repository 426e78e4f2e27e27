"""Predicates before unwinding: on the root they move there, on elements they leave out documents without an element that fits.
What asks nothing of a document's second part comes before that is looked up.

Only where every row comes from an element: a row that stays without one may satisfy a predicate no element does. The value of a
list of pairs is compared in the list, so that an index over the pairs finds the documents, and it need not be taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from nestling.ir.paths.access_path import CollectionScan, FieldPath, FilterDocuments, Lookup, PairValue, Step, Unwind
from nestling.ir.paths.row_steps import VARIABLE, Add, Layout, Where, WhereElement, WherePair
from nestling.ir.statements.expression import And, Column, Compare, Expression, InList
from nestling.ir.statements.operands import conjunction, conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.names import is_within, join
from nestling.planner.reads.traverse import mentioned

_Simple: TypeAlias = Unwind | FilterDocuments | Where | WhereElement | WherePair | Add


def filtered_early(step: Step, predicate: Expression, layout: Layout, identity: tuple[str, ...] = ()) -> Step:
    """The step restricted by the predicate, tested before arrays are unwound and parts looked up, as far as possible."""
    if isinstance(step, Lookup):
        return _below_lookup(step, predicate, layout, identity)
    arrays, made, pairs = _unwound(step), _made(step), _pairs(step)
    if not arrays and not pairs:
        return _restricted(step, predicate, layout, identity)
    asked = [(each, _array_of(each, layout, arrays, made)) for each in conjuncts(predicate)]
    root = conjunction(*(each for each, array in asked if array == ""))
    if root is not None:
        step = _at_scan(step, Where(step, root, layout, identity))
    for inside in dict.fromkeys(array for _, array in asked if array):
        fits = conjunction(*(each for each, array in asked if array == inside))
        assert fits is not None
        step = _at_scan(step, WhereElement(step, fits, layout, inside))
    rest: list[Expression] = []
    for each, array in asked:
        if array is None and (pair := _in_pair(step, each, layout, pairs)) is not None:
            step = _at_scan(step, pair)
        elif array != "":
            rest.append(each)
    left = conjunction(*rest)
    return step if left is None else Where(step, left, layout)


def asked_of_documents(step: Step, collection: str, predicate: Expression, layout: Layout) -> Step:
    """The step with a condition on the documents of a collection, asked before their arrays are unwound; the step where that is
    none of those it takes rows out of.
    """
    if not _unwound(step) or _since_scan(step)[-1].source != CollectionScan(collection):
        return step
    return _below_elements(step, Where(step, predicate, layout))


def _below_lookup(step: Lookup, predicate: Expression, layout: Layout, identity: tuple[str, ...]) -> Step:
    """What asks nothing of the document that is looked up, asked before: only rows that are left look for theirs."""
    parts = conjuncts(predicate)
    late = [each for each in parts if _asks_of(each, layout, step.field)]
    early = conjunction(*(each for each in parts if each not in late))
    found = step if early is None else replace(step, source=filtered_early(step.source, early, layout, identity))
    rest = conjunction(*late)
    return found if rest is None else Where(found, rest, layout)


def _asks_of(predicate: Expression, layout: Layout, field: str) -> bool:
    """Whether it is about a field or something in it."""
    paths = (layout.path(column) for column in mentioned(predicate) if column in layout)
    return any(is_within(path, field) for path in paths)


def without_values(step: Step, fields: frozenset[str]) -> Step:
    """The step without adding these fields, where all that asks for them is asked already."""
    match step:
        case Where(source, predicate, layout):
            asked = {layout.path(column) for column in mentioned(predicate) if column in layout}
            return replace(step, source=without_values(source, fields - asked))
        case Add(source, added):
            kept = tuple((name, value) for name, value in added if name not in fields)
            return replace(step, fields=kept) if kept else source
        case _:
            return step


def _restricted(step: Step, predicate: Expression, layout: Layout, identity: tuple[str, ...]) -> Step:
    """One condition rather than one after another: what a `find` takes."""
    if isinstance(step, Where) and not identity and _means_the_same(step, layout):
        return replace(step, predicate=And((*conjuncts(step.predicate), *conjuncts(predicate))), layout=layout)
    return Where(step, predicate, layout, identity)


def _means_the_same(step: Where, layout: Layout) -> bool:
    """Whether what the step asks reads the same with the later layout, which may have dropped columns."""
    return all(c in layout and layout.path(c) == step.layout.path(c) for c in mentioned(step.predicate))


def _since_scan(step: Step) -> list[_Simple]:
    """The steps since the scan of the collection; none where anything else was done, or a document may stay without."""
    found = list(_above(step))
    begin = found[-1].source if found else step
    if not isinstance(begin, CollectionScan) or any(isinstance(each, Unwind) and each.keep_empty for each in found):
        return []
    return found


def _unwound(step: Step) -> list[str]:
    """The arrays unwound since the scan of the collection."""
    return [each.path for each in _since_scan(step) if isinstance(each, Unwind)]


def _pairs(step: Step) -> Mapping[str, PairValue]:
    """The fields added since the scan that are values of lists of pairs, where the documents are still whole."""
    steps = _since_scan(step)
    if any(isinstance(each, Unwind) for each in steps):
        return {}
    added = (field for each in steps if isinstance(each, Add) for field in each.fields)
    return {name: value for name, value in added if isinstance(value, PairValue)}


def _in_pair(step: Step, predicate: Expression, layout: Layout, pairs: Mapping[str, PairValue]) -> WherePair | None:
    """The documents with a pair that fits, where the predicate compares one such value: NULL has no pair, and equals nothing."""
    column = compared_column(predicate)
    pair = pairs.get(layout.path(column)) if column is not None and column in layout else None
    if column is None or pair is None or not isinstance(pair.array, FieldPath):
        return None
    inside = Layout.of({(column.alias, column.name): join(pair.array.path, pair.value)})
    return WherePair(step, predicate, inside, pair.array.path, pair.key, pair.name, pair.value)


def compared_column(predicate: Expression) -> Column | None:
    """The one column that must be a value, as it is, for a predicate to be true."""
    match predicate:
        case Compare(Comparison.EQUAL, Column() as column, other, Collation.BINARY):
            others = [other]
        case Compare(Comparison.EQUAL, other, Column() as column, Collation.BINARY):
            others = [other]
        case InList(Column() as column, items, Collation.BINARY):
            others = list(items)
        case _:
            return None
    return None if any(True for each in others for _ in mentioned(each)) else column


def _made(step: Step) -> frozenset[str]:
    """The fields that steps since the scan added: nothing can be asked of them before."""
    return frozenset(name for each in _above(step) if isinstance(each, Add) for name, _ in each.fields)


def _above(step: Step) -> Iterator[_Simple]:
    """The steps down to the first that does more than leave out, take apart and add."""
    while isinstance(step, _Simple):
        yield step
        step = step.source


def _array_of(predicate: Expression, layout: Layout, arrays: list[str], made: frozenset[str]) -> str | None:
    """The innermost unwound array all its columns are in, empty when they are in none; None when they differ."""
    paths = [layout.path(column) for column in mentioned(predicate)]
    if not paths or any(path.split(".", 1)[0] in made for path in paths):
        return None
    found = {_innermost(path, arrays) for path in paths if not path.startswith(VARIABLE)}
    if len(found) != 1:
        return None
    (array,) = found
    return array if array == "" or not any(path.startswith(VARIABLE) for path in paths) else None


def _innermost(path: str, arrays: list[str]) -> str:
    return max((array for array in arrays if is_within(path, array)), key=len, default="")


def _below_elements(step: Step, asked: Where) -> Step:
    """The step with a condition put right above what is asked of the documents but for their elements."""
    if isinstance(step, Unwind | Add | WhereElement | WherePair) or (isinstance(step, _Simple) and _unwound(step)):
        return replace(step, source=_below_elements(step.source, asked))
    return replace(asked, source=step)


def _at_scan(step: Step, asked: Where | WhereElement | WherePair) -> Step:
    """The step with a condition put right above the scan of the collection and what is asked there already, such as whether
    the document is of this kind: others may lack what the condition rests on.
    """
    if isinstance(step, Unwind | Add) or (
        isinstance(step, FilterDocuments | Where | WhereElement | WherePair) and (_unwound(step) or _pairs(step))
    ):
        return replace(step, source=_at_scan(step.source, asked))
    return replace(asked, source=step)
