"""Reads: a find, aggregate, count or distinct as one SELECT, or several when a document holds several arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from nestling.ir.capture import CommandOperation, CommandShape
from nestling.ir.free_names import free_name
from nestling.sources.capture.sql import stages
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.entity_rows import EntityRow
from nestling.sources.capture.sql.field_values import (
    Discriminator,
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    OfOtherKind,
    RowAttribute,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.paths import find
from nestling.sources.capture.sql.state import StatementState

MOST_BRANCHES = 60
"""Arrays of one document that become statements of their own."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A way down the arrays of a document: one statement reads the rows along it. `names` are empty for the document alone.

    `told`: how many levels on the way an earlier branch shows with all their rows, the document itself the first of them.
    """

    names: tuple[str, ...]
    told: int = 0


def pipeline_of(shape: CommandShape) -> list[dict[str, Any]]:
    """A read as the pipeline that does the same."""
    clauses = shape.clauses
    match shape.operation:
        case CommandOperation.AGGREGATE:
            found = clauses.get("pipeline", [])
            assert isinstance(found, list)
            return found
        case CommandOperation.COUNT:
            return [*_stage("$match", clauses.get("query")), {"$count": "count"}]
        case CommandOperation.DISTINCT:
            return [*_stage("$match", clauses.get("query")), {"$group": {"_id": f"${clauses['key']}"}}]
        case _:
            names = (
                ("$match", "filter"),
                ("$sort", "sort"),
                ("$skip", "skip"),
                ("$limit", "limit"),
                ("$project", "projection"),
            )
            return [stage for name, clause in names for stage in _stage(name, clauses.get(clause))]


def _stage(name: str, body: Any) -> list[dict[str, Any]]:
    return [{name: body}] if body else []


def selects(
    new: Callable[[], StatementDraft], collection: str, pipeline: list[dict[str, Any]]
) -> Iterator[tuple[str, str, StatementDraft]]:
    """The first branch's SELECT, and one for each further branch with its name, each with what was noted of it.

    `new` begins a statement. Raises NotExpressible.
    """
    for branch in branches(new(), collection, pipeline):
        draft = new()
        state = _run(draft, collection, pipeline)
        yield "_".join(branch.names) if branch.told else "", _select(state, branch), draft


def branches(draft: StatementDraft, collection: str, pipeline: list[dict[str, Any]]) -> list[Branch]:
    """The ways down the arrays of what a read gives, in the documents' order."""
    state = _run(draft, collection, pipeline)
    ways = list(_ways(state.document))
    found = [Branch(names, _told(names, ways[:place])) for place, names in enumerate(ways)]
    if len(found) > MOST_BRANCHES:
        raise NotExpressible(f"a whole document with {len(found)} arrays")
    return found or [Branch(())]


def _told(names: tuple[str, ...], earlier: list[tuple[str, ...]]) -> int:
    """The levels of a way that one of the earlier ways leads through too."""
    shared = (takewhile(lambda pair: pair[0] == pair[1], zip(names, other, strict=False)) for other in earlier)
    return max((1 + len([*each]) for each in shared), default=0)


def _run(draft: StatementDraft, collection: str, pipeline: list[dict[str, Any]]) -> StatementState:
    query, document = draft.opened(collection)
    state = StatementState(draft, query, document)
    stages.run(state, pipeline)
    return state


def _ways(found: FieldValue, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for path, array in _arrays(found):
        below = list(_ways(array.element(array.join(True)[1]), (*names, path)))
        yield from below or [(*names, path)]


def _arrays(found: FieldValue, prefix: str = "") -> Iterator[tuple[str, Many]]:
    for name, inner in found.fields.items() if isinstance(found, DocumentTree) else ():
        path = f"{prefix}{name}"
        if isinstance(inner, Many):
            yield path, inner
        elif isinstance(inner, DocumentTree):
            yield from _arrays(inner, f"{path}.")
    if isinstance(found, Many):
        yield "", found


def _select(state: StatementState, branch: Branch) -> str:
    shown: list[tuple[str, str]] = []
    document = state.document
    if _finds_one(state):
        state.query.limit = ""
    if state.query.limit and branch.names:
        state.settle()
        document = state.document
    if not branch.told:
        _columns(state.draft, document, "", shown)
    for level, path in enumerate(branch.names):
        array = find(document, path).value if path else document
        assert isinstance(array, Many)
        row = None if array.own else state.query.open(array, outer=level >= branch.told)
        document = array.element(row if row is not None else array.join(True)[1])
        if array.limit is not None:
            _first_only(state, array, row, branch)
        if level + 1 >= branch.told:
            _columns(state.draft, document, path, shown)
    if not shown:
        shown = [("one", "1")]
    return state.query.text(_unique(shown), state.draft.design.model)


def _finds_one(state: StatementState) -> bool:
    """Whether the documents are found by their key, so that a limit changes nothing."""
    query = state.query
    if query.inner is not None or query.grouped or query.offset or query.wanted:
        return False
    key = state.draft.design.model.entity(query.root.entity).key
    equal = [f"{RowAttribute(query.root, attribute).text} = :" for attribute in key]
    return bool(key) and all(any(text.startswith(start) for text in query.where) for start in equal)


def _first_only(state: StatementState, array: Many, row: EntityRow | None, branch: Branch) -> None:
    """The order and number of a copied part of an array; of one document only, so that they hold of the whole."""
    if branch.told and row is not None and not state.query.order and not state.query.limit:
        state.query.order = [(RowAttribute(row, each.attribute).text, each.descending) for each in array.order]
        state.query.limit = str(array.limit)
    else:
        state.draft.notes.append(f"`{array.name}` keeps only the first {array.limit}; the SQL statement returns all")


def _columns(draft: StatementDraft, found: FieldValue, name: str, shown: list[tuple[str, str]]) -> None:
    match found:
        case RowAttribute() | Sql():
            shown.append((name or found.name, found.text))
        case DocumentTree():
            for field, inner in found.fields.items():
                own = inner.attribute if isinstance(inner, RowAttribute) and field == "_id" else field
                _columns(draft, inner, f"{name}.{own}" if name else own, shown)
        case Discriminator() | OfOtherKind():
            return  # the subtypes' own attributes tell it; of other kinds there is nothing
        case Unmapped(why):
            draft.notes.append(f"left out: {why}")
        case Many():
            return  # arrays are branches


def _unique(shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each under the last step of its path, or under more of it where that is taken; each text once."""
    made: list[tuple[str, str]] = []
    taken: set[str] = set()
    for path, text in shown:
        steps = [step for step in path.split(".") if step != "_id"] or ["id"]
        length = 1
        name = steps[-1]
        while name in taken and length < len(steps):
            length += 1
            name = "_".join(steps[-length:])
        if name in taken:
            if (name, text) in made:
                continue
            name = free_name(name, taken)
        taken.add(name)
        made.append((name, text))
    return made
