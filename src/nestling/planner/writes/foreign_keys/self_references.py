"""Trees of rows that refer to rows of their own entity: the keys of all deleted rows are read once, level by level.

Further steps use these keys alone, so that only the deleted rows are read. This is the same wherever the rows are stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from nestling.common.errors import name_list
from nestling.ir.model import OnDelete, Relationship
from nestling.ir.paths.write_path import Fetch
from nestling.ir.statements.algebra import Named, Project, filtered
from nestling.ir.statements.expression import Expression, IsNull, Not
from nestling.ir.statements.operands import conjunction, has_subquery
from nestling.planner.writes.draft.fetch import plan, rule_of
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.key_lists import KEY, Keys
from nestling.planner.writes.draft.phases import WritePhase
from nestling.planner.writes.draft.renamed_scans import said_of
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.foreign_keys.effects import Effect, RowDelete
from nestling.planner.writes.foreign_keys.referring_rows import any_of, is_direct, is_true


def add_below(work: WriteDraft, links: Sequence[Relationship], effect: Effect) -> None:
    """Of an entity's rows that go, also those below them along these relationships go."""
    attribute = _key(links)
    first = [_found(work, effect, each, attribute) for each in effect.deletes]
    effect.deletes = [delete for delete, _ in first]
    rows = tuple(name for _, name in first)
    below = _below(work, links, effect, attribute, rows)
    effect.keys = Keys(attribute, work.names.list_of(KEY, (*rows, below)))
    effect.deletes.append(RowDelete(_is_below(work, links, effect, below)))


def read_keys(work: WriteDraft, links: Sequence[Relationship], effect: Effect, reached: Collection[str]) -> None:
    """Of rows that go with others, the keys are read too, for what refers to them in turn: an index finds that by keys.

    Only of rows that go with those of a tree, or with one row, as a list of keys has to fit into a command; and of these only
    where rows are also `reached` from another entity, as no index finds those that meet one condition or that of a subquery.
    """
    predicates = [each.predicate for each in effect.deletes]
    attributes = [link.parent_attributes for link in links if len(link.parent_attributes) == 1]
    by_lists = work.names.lists_in(tuple(predicates))
    is_searched = any(
        _is_reached_twice(work, link, reached) and not is_direct(link, effect.scan, each)
        for link in links
        for each in predicates
    )
    if not attributes or not (by_lists or (work.is_of_one_row and is_searched)):
        return
    ((attribute,), _), *_ = Counter(attributes).most_common(1)
    rows = tuple(_found(work, effect, each, attribute)[1] for each in effect.deletes)
    effect.keys = Keys(attribute, work.names.list_of(KEY, rows))


def _is_reached_twice(work: WriteDraft, link: Relationship, reached: Collection[str]) -> bool:
    """Whether something happens to a relationship's children also because of rows of another entity."""
    acting = [each for each in work.model.parents_of(link.child) if each.enforced and each.parent in reached]
    return link in acting and len([each for each in acting if each.on_delete is not OnDelete.RESTRICT]) > 1


def _key(links: Sequence[Relationship]) -> str:
    """The attribute that the rows refer to."""
    keys = {link.parent_attributes for link in links}
    names = name_list(link.name for link in links)
    if len(keys) > 1:
        raise write_gap(f"DELETE that follows {names} down trees of `{links[0].parent}` with different keys")
    (attributes,) = keys
    if len(attributes) != 1:
        raise write_gap(f"DELETE that follows {names}, of several attributes, down a tree")
    return attributes[0]


def _found(work: WriteDraft, effect: Effect, delete: RowDelete, attribute: str) -> tuple[RowDelete, str]:
    """Rows that go, told by their keys where they were told by other rows; and the name of the keys."""
    key = effect.scan.column(attribute)
    shown = Project(filtered(effect.scan, delete.predicate), "key", (Named(KEY, key),))
    name = work.name(f"keys of {effect.scan.entity}")
    work.add(WritePhase.FETCH, [Fetch(name, plan(work.design, shown, work.prices))])
    if key.nullable or delete.predicate is None or not has_subquery(delete.predicate):
        return delete, name
    return RowDelete(Keys(attribute, work.names.list_of(KEY, (name,))).among(key), delete.along), name


def _below(
    work: WriteDraft, links: Sequence[Relationship], effect: Effect, attribute: str, rows: tuple[str, ...]
) -> str:
    """The name of the keys of all rows below."""
    key = effect.scan.column(attribute)
    level = Keys(attribute, work.names.list_of(KEY, rows))
    has_key = Not(IsNull(key)) if key.nullable else None
    there = filtered(effect.scan, conjunction(_refer(work, links, effect, level), has_key))
    name = work.name(f"keys of {effect.scan.entity} below")
    found = plan(work.design, Project(there, "key", (Named(KEY, key),)), work.prices)
    work.add(WritePhase.FETCH, [Fetch(name, found, repeats=True)])
    return name


def _refer(work: WriteDraft, links: Sequence[Relationship], effect: Effect, keys: Keys) -> Expression:
    """The condition that a row refers to one with one of these keys."""
    references = ((effect.scan.column(link.child_attributes[0]), rule_of(work.design, link)) for link in links)
    return any_of([keys.among(column, rule) for column, rule in references])


def _is_below(work: WriteDraft, links: Sequence[Relationship], effect: Effect, below: str) -> Expression:
    """The condition that a row is one of those below, by its key, or by what it refers to if it may have no key."""
    assert effect.keys is not None
    key = effect.scan.column(effect.keys.attribute)
    if not key.nullable:
        return Keys(effect.keys.attribute, work.names.list_of(KEY, (below,))).among(key)
    first = any_of([each.predicate for each in effect.deletes if each.predicate is not None])
    others = Not(is_true(said_of(work, first, effect.scan, effect.scan)))
    return conjunction(_refer(work, links, effect, effect.keys), others) or others
