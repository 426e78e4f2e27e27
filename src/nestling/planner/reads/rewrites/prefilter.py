"""Predicates before unwinding: on the root they move there, on elements they leave out documents without an element that fits.

Only where every row comes from an element: a row that stays without one may satisfy a predicate no element does.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.access_path import CollectionScan, Filter, Step, Unwind
from nestling.ir.expression import And, Expression, conjunction
from nestling.ir.row_steps import VARIABLE, Add, Layout, Prefilter, Where
from nestling.planner.reads.rewrites.conjuncts import conjuncts
from nestling.planner.reads.traverse import mentioned


def filtered_early(step: Step, predicate: Expression, layout: Layout, identity: tuple[str, ...]) -> Step:
    """The step restricted by the predicate, asked before arrays are unwound as far as it can be."""
    arrays, made = _unwound(step), _made(step)
    if not arrays:
        return _restricted(step, predicate, layout, identity)
    asked = [(each, _array_of(each, layout, arrays, made)) for each in conjuncts(predicate)]
    root = conjunction(*(each for each, array in asked if array == ""))
    if root is not None:
        step = _at_scan(step, Where(step, root, layout, identity))
    for each, array in asked:
        if array:
            step = _at_scan(step, Prefilter(step, each, layout, array))
    rest = conjunction(*(each for each, array in asked if array != ""))
    return step if rest is None else Where(step, rest, layout)


def _restricted(step: Step, predicate: Expression, layout: Layout, identity: tuple[str, ...]) -> Step:
    """One condition rather than one after another: what a `find` takes."""
    if isinstance(step, Where) and not identity and _means_the_same(step, layout):
        return replace(step, predicate=And((*conjuncts(step.predicate), *conjuncts(predicate))), layout=layout)
    return Where(step, predicate, layout, identity)


def _means_the_same(step: Where, layout: Layout) -> bool:
    """Whether what the step asks reads the same with the later layout, which may have dropped columns."""
    return all(c in layout and layout.path(c) == step.layout.path(c) for c in mentioned(step.predicate))


def _unwound(step: Step) -> list[str]:
    """The arrays unwound since the scan of the collection; none where anything else was done, or a document may stay without."""
    found: list[str] = []
    while not isinstance(step, CollectionScan):
        if not isinstance(step, Unwind | Filter | Where | Prefilter | Add) or (
            isinstance(step, Unwind) and step.keep_empty
        ):
            return []
        if isinstance(step, Unwind):
            found.append(step.path)
        step = step.source
    return found


def _made(step: Step) -> frozenset[str]:
    """The fields that steps since the scan added: nothing can be asked of them before."""
    found: set[str] = set()
    while isinstance(step, Unwind | Filter | Where | Prefilter | Add):
        if isinstance(step, Add):
            found |= {name for name, _ in step.fields}
        step = step.source
    return frozenset(found)


def _array_of(predicate: Expression, layout: Layout, arrays: list[str], made: frozenset[str]) -> str | None:
    """The innermost unwound array all its columns are in, empty when they are in none; None when they differ."""
    paths = [layout.path(column) for column in mentioned(predicate)]
    if not paths or any(path in arrays or path.split(".", 1)[0] in made for path in paths):
        return None
    found = {_innermost(path, arrays) for path in paths if not path.startswith(VARIABLE)}
    if len(found) != 1:
        return None
    (array,) = found
    return array if array == "" or not any(path.startswith(VARIABLE) for path in paths) else None


def _innermost(path: str, arrays: list[str]) -> str:
    return max((array for array in arrays if path.startswith(f"{array}.")), key=len, default="")


def _at_scan(step: Step, asked: Where | Prefilter) -> Step:
    """The step with a condition put right above the scan of the collection and what is asked there already."""
    if isinstance(step, Unwind | Filter | Add) or (isinstance(step, Where | Prefilter) and _unwound(step)):
        return replace(step, source=_at_scan(step.source, asked))
    return replace(asked, source=step)
