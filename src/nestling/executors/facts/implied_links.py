"""Links implied by others: columns of the same name, and columns next to one that refers to the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nestling.common.words_in_names import words
from nestling.executors.facts.evidence import SIBLING_CHANCE, KeyColumn, kind_of, texts_by_chance
from nestling.executors.facts.linked import counted_link
from nestling.executors.facts.name_words import is_generic, last_name
from nestling.executors.facts.row_hashes import HashedTable, ToldColumns
from nestling.ir.facts.structure import Evidence, FieldPlace, Link, Unclear


def namesakes(
    tables: Sequence[HashedTable],
    told: ToldColumns,
    found: Mapping[FieldPlace, Link | Unclear],
    main: Sequence[KeyColumn],
) -> Iterator[tuple[FieldPlace, Link]]:
    """Columns called like others that all refer to the same rows, whose values are all found there: `emp_no` everywhere."""
    targets = {each.table.place: each for each in main}
    by_name: dict[tuple[str, ...], set[FieldPlace]] = {}
    for link in (each for each in found.values() if isinstance(each, Link)):
        by_name.setdefault(words(last_name(link.columns[0])), set()).add((link.target, link.target_node))
    for table in tables:
        name = table.collection.name
        for steps in table.columns:
            ends = by_name.get(words(last_name(steps)), set())
            known = found.get((name, steps))
            is_key = told.get((name, table.node.steps)) == (steps,)
            if (
                len(ends) != 1
                or isinstance(known, Link)
                or is_key
                or is_generic(steps)
                or ends == {(name, table.node.steps)}
            ):
                continue
            target = targets.get(next(iter(ends)))
            values = frozenset(cell for cell in table.columns[steps] if cell is not None)
            if target is not None and values and values <= target.values:
                where = (target.table, (target.steps,), len(values), len(values), Evidence.NAME)
                yield (name, steps), counted_link(table, (steps,), *where)


def siblings(
    tables: Sequence[HashedTable],
    told: ToldColumns,
    found: Mapping[FieldPlace, Link | Unclear],
    main: Sequence[KeyColumn],
) -> Iterator[tuple[FieldPlace, Link]]:
    """Columns of few texts that are all keys of another column's target in the same rows: `origin` next to `dest`."""
    referred: dict[FieldPlace, set[FieldPlace]] = {}
    for link in (each for each in found.values() if isinstance(each, Link)):
        referred.setdefault((link.collection, link.node), set()).add((link.target, link.target_node))
    for table in tables:
        here = table.place
        beside = [each for each in main if each.table.place in referred.get(here, set())]
        for steps in table.columns:
            is_key = told.get(here) == (steps,)
            if kind_of(table, steps) != "string" or is_key or isinstance(found.get((here[0], steps)), Link):
                continue
            values = frozenset(cell for cell in table.columns[steps] if cell is not None)
            fits = [each for each in beside if texts_by_chance(table, steps, values, each) < SIBLING_CHANCE]
            if len(fits) == 1 and kind_of(fits[0].table, fits[0].steps) == "string":
                where = (fits[0].table, (fits[0].steps,), len(values), len(values), Evidence.VALUES)
                yield (here[0], steps), counted_link(table, (steps,), *where)
