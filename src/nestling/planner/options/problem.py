"""Everything there is to choose for a situation and its candidates, with the work of each choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from nestling.common.collector import no_cycle_search
from nestling.ir.candidate import (
    HOMES,
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
)
from nestling.ir.design_problem import (
    CHANGE,
    Charge,
    DesignProblem,
    Group,
    Limit,
    Mode,
    Needs,
    StatementStep,
    Structure,
)
from nestling.ir.quantity_words import size
from nestling.ir.situation import Situation
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.hops import Hops
from nestling.planner.options.reads.reads import Reads
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.sizes.cold_reads import cold_shares
from nestling.planner.options.sizes.document_sizes import VALUE_BYTES, DocumentSizes
from nestling.planner.options.sizes.prices import Price, UnitPrices
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.any_case_use import AnyCaseUse
from nestling.planner.options.statements.readable import Readable
from nestling.planner.options.structures.pairs import added_bytes, apart_from_indexes, present
from nestling.planner.options.structures.places import Home, Places
from nestling.planner.options.structures.simplicity import SIMPLICITY, arrivals, departures, least_costs, simplicity
from nestling.planner.options.structures.slight_indexes import without_slight
from nestling.planner.options.writes.changes import Changes
from nestling.planner.options.writes.copy_costs import Copies
from nestling.planner.options.writes.inserts import Inserts
from nestling.planner.options.writes.key_checks import Guards
from nestling.planner.options.writes.one_command import OneCommand
from nestling.planner.options.writes.transactions import Together
from nestling.planner.options.writes.upkeep import UpkeepCosts
from nestling.planner.options.writes.write_steps import Writes
from nestling.planner.work.cold_reads import HELD

INDEX_ENTRY_BYTES = 12.0
"""An index entry beyond half of its values' bytes, compressed. Measured on 200,000 documents: 3 for 50 different integers, 9 for
random ones, 12 for random texts; the most is taken."""
COLD_BYTES = 60.0
"""A second document with its `_id`, and the index entry of that. Measured on 200,000 documents with one small field: 16 and 28;
the rest is for field names."""


@no_cycle_search()
def design_problem(
    situation: Situation,
    candidates: Iterable[Candidate],
    price: Price,
    *,
    cache_bytes: float | None = None,
    today: frozenset[str] | None = None,
) -> DesignProblem:
    """Return structures, their exclusions, and for each statement the modes of its steps with prices.

    `cache_bytes`: the server's cache, for reads from disk; None if unknown. `today`: the structures of the design in place,
    None if there is none; it is preferred among equals, and a change must save something.
    """
    sizes = Sizes(situation)
    places = Places(situation, candidates, sizes)
    documents = DocumentSizes(situation, places, sizes)
    cold = cold_shares(situation, sizes, cache_bytes) if cache_bytes is not None else HELD
    modes = Modes(situation, places, sizes, documents, UnitPrices(price), cold)
    starts = Starts(modes, Readable(situation, places.aggregates), AnyCaseUse(situation))
    reads, writes = Reads(modes, starts, Hops(modes, starts)), _writes(modes, starts)
    steps: list[StatementStep] = []
    charges: list[Charge] = []
    for statement in situation.reading.workload.statements:
        one, asked = OneCommand.of(modes, statement), reads.steps(statement)
        for found in (*(one.besides(asked) if one is not None else asked), *writes.steps(statement)):
            if isinstance(found, StatementStep):
                steps.append(found)
            else:
                charges.append(found)
    rates = {s.name: s.rate_per_second for s in situation.reading.workload.statements}
    least = least_costs(steps, charges)
    indexes = {each.id for each in places.candidates if _is_more(each, situation)}
    steps = list(without_slight(steps, indexes, least, rates))
    charges += simplicity(places.candidates, indexes - (today or frozenset()))
    if today is not None:
        charges += arrivals(places.candidates, today)
        steps += departures(places.candidates, today)
    shares = (SIMPLICITY,) if today is None else (SIMPLICITY, CHANGE)
    whole = sum(rates[name] * seconds for name, seconds in least.items())
    return DesignProblem(
        structures=tuple(
            Structure(
                c.id,
                c.id,
                _bytes(c, places, documents, sizes),
                weight=0 if isinstance(c.part, Own) else 1,  # of equals the plainest
                in_place=c.id in (today or ()),
            )
            for c in places.candidates
        ),
        groups=tuple(_groups(situation, places)),
        needs=tuple(_needs(places)),
        steps=tuple(_possible(apart_from_indexes(places, steps))),
        charges=tuple(charges),
        limits=tuple(_limits(situation, places, documents)),
        rates={**rates, **dict.fromkeys(shares, whole)},
        loads=tuple(documents.loads()),
        along={name: dict.fromkeys(shares, seconds) for name, seconds in least.items()},
    )


def _is_more(candidate: Candidate, situation: Situation) -> bool:
    """Whether it is an index built only for statements: foreign keys have one in any design."""
    match candidate.part:
        case Indexed(entity, keys, rows=()):
            names = tuple(name for name, _ in keys)
            return all(link.child_attributes != names for link in situation.parents[entity])
        case Indexed() | IndexedAcross() | IndexedAnyCase():
            return True
        case _:
            return False


def _writes(modes: Modes, starts: Starts) -> Writes:
    guards, changes = Guards(modes, starts), Changes(modes, starts)
    upkeep = UpkeepCosts(modes, Copies(modes))
    return Writes(modes, guards, Inserts(modes, guards), changes, Together(modes, changes), upkeep)


def home_group(entity: str) -> str:
    """The name of the group that decides where an entity lives."""
    return f"home of {entity}"


def _groups(situation: Situation, places: Places) -> Iterator[Group]:
    """One home for each entity; everything else is there or not."""
    for entity in situation.model.entities:
        absorbed = (name for name, _ in places.absorbed[entity.name])
        yield Group(home_group(entity.name), (*(home.id for home in places.homes[entity.name]), *absorbed))
    for archives in places.archives.values():
        if archives:
            yield Group(archives[0][1].decision, tuple(name for name, _ in archives), optional=True)
    several = {entity: parts for entity, parts in places.cold.items() if len(parts) > 1}
    for name, parts in several.items():
        yield Group(f"what of {name} is stored separately", tuple(name for name, _ in parts), optional=True)
    decided = {name for parts in several.values() for name, _ in parts}
    for candidate in places.candidates:
        if candidate.id not in decided and not isinstance(candidate.part, (*HOMES, Archived)):
            yield Group(candidate.id, (candidate.id,), optional=True)


def _possible(steps: Iterable[StatementStep]) -> Iterator[StatementStep]:
    """Steps on entities without rows cannot fail: they get one mode without work."""
    for step in steps:
        yield step if step.modes else StatementStep(step.statement, step.name, (Mode("nothing to do", (), 0.0),))


def _needs(places: Places) -> Iterator[Needs]:
    """Yield dependencies: an embedding needs its parent's place; ids of the other side need the junction in its partner."""
    for homes in places.homes.values():
        for home in homes:
            if home.links:
                yield Needs(home.id, tuple(above.id for above in places.homes_above(home)))
    for side, mirrors in places.mirrors.items():
        for name, mirror in mirrors:
            junction = places.situation.model.relationship(side).child
            both = next(link for link in places.situation.model.many_to_many if link.name == mirror.link)
            other = both.right if side == both.left else both.left
            embedded = tuple(h.id for h in places.homes[junction] if h.links and h.links[0].name == other)
            yield Needs(name, embedded)
    for absorbed in places.absorbed.values():
        for name, part in absorbed:
            holder = places.situation.model.relationship(part.relationship).child
            yield Needs(name, tuple(home.id for home in places.homes[holder] if home.own))
    for relationship, lineages in places.lineages.items():
        rows = places.situation.model.relationship(relationship).child
        own = tuple(home.id for home in places.homes[rows] if home.own)
        yield from (Needs(name, own) for name, _ in lineages)
    yield from _both_held(places)
    for entity, homes in places.homes.items():
        own = tuple(home.id for home in homes if home.own)
        parts = (places.cold, places.paired, places.archives, places.any_case)
        apart = [name for each in parts for name, _ in each[entity]]
        apart += [name for name, index in places.partial[entity] if not index.works_inside]
        yield from (Needs(name, own) for name in apart)


def _both_held(places: Places) -> Iterator[Needs]:
    """Yield dependencies: an index over rows and their parents needs the rows inside these, or copies of the attributes."""
    for entity, indexes in places.across.items():
        for name, index in indexes:
            for key in index.keys:
                link = places.situation.model.relationship(key.along) if key.along else None
                if link is not None and key.attribute not in link.parent_attributes:
                    inside = (home.id for home in places.homes[entity] if home.links == (link,))
                    copied = (
                        found for found, copy in places.copied[entity][link.name] if copy.attribute == key.attribute
                    )
                    yield Needs(name, (*inside, *copied))


def _bytes(  # noqa: C901 - one case for each
    candidate: Candidate, places: Places, documents: DocumentSizes, sizes: Sizes
) -> float:
    """The stored bytes that a structure adds."""
    match candidate.part:
        case CopiedAttribute(holder) as copy:
            return sizes.rows(holder) * documents.copied_bytes(copy)
        case FirstChildren(relationship, attributes) as few:
            link = places.situation.model.relationship(relationship)
            rows = few.kept(sizes.children(link)) * sizes.rows(link.parent)
            return rows * sizes.bytes_of(link.child, attributes)
        case Lineage(relationship, indexed=indexed) as lineage:
            link = places.situation.model.relationship(relationship)
            entries = sizes.on_the_way(link) * INDEX_ENTRY_BYTES if indexed else 0.0
            return sizes.rows(link.child) * (documents.lineage_bytes(lineage) + entries)
        case Indexed() as index:
            return sum(_index_bytes(each, sizes) for each in places.with_beside(index))
        case IndexedAnyCase() as by_case:
            return _index_bytes(by_case.plain, sizes)
        case IndexedAcross(entity, keys):
            of = {name: places.situation.model.relationship(name).parent for name in candidate.part.links}
            held = sum(sizes.bytes_of(of.get(each.along, entity), [each.attribute]) for each in keys)
            return sizes.rows(entity) * (INDEX_ENTRY_BYTES + held / 2)
        case Cold(entity):
            return sizes.rows(entity) * COLD_BYTES
        case Paired(entity) as paired:
            each = added_bytes(sizes, paired) + present(sizes, paired) * INDEX_ENTRY_BYTES
            return sizes.rows(entity) * (each + sizes.bytes_of(entity, paired.attributes[:1]) / 2)
        case Mirror(_, side):
            return sizes.rows(places.situation.model.relationship(side).child) * INDEX_ENTRY_BYTES
        case Aggregate():
            return VALUE_BYTES
        case Own() | Nested() | Bucketed() | Absorbed() | Archived():
            return 0.0
        case _:
            assert_never(candidate.part)


def _index_bytes(index: Indexed, sizes: Sizes) -> float:
    each = INDEX_ENTRY_BYTES + sizes.bytes_of(index.entity, [name for name, _ in index.keys]) / 2
    return sizes.rows_of(index.entity, index.rows) * each


def _limits(situation: Situation, places: Places, documents: DocumentSizes) -> Iterator[Limit]:
    """No document above its bound, whatever is embedded in it and however it grows; no more storage than the budget."""
    bound = situation.requirements.document_bound_bytes
    for root, homes in places.inside.items():
        amounts = tuple(((home.id,), _most_bytes(situation, home)) for home in homes)
        if sum(most for _, most in amounts) > bound / 2:
            most = bound - situation.row_bytes[root]
            said = f"the document bound of {size(bound)}, for documents of `{root}` with all they embed and their expected growth"
            yield Limit(f"documents of {root}", amounts, most, said, in_bytes=True)
    budget = situation.requirements.storage_budget_bytes
    if budget is not None:
        base = sum(documents.sizes.rows(e.name) * documents.sizes.row_bytes(e.name) for e in situation.model.entities)
        extra = [
            ((c.id,), taken) for c in places.candidates if (taken := _bytes(c, places, documents, documents.sizes)) > 0
        ]
        yield Limit("storage", (((), base), *extra), budget, "the storage budget", in_bytes=True)


def _most_bytes(situation: Situation, home: Home) -> float:
    """The most one root document holds of an entity's rows, with the growth expected."""
    most = situation.row_bytes[home.entity]
    for number, link in enumerate(home.links):
        most *= home.overflow if number == 0 and home.overflow is not None else situation.elements_expected(link)
    return most
