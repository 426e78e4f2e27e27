"""Strategies: each turns a reading into a proposal. To add one, add a file to this folder.

A strategy is a module with one function, `outline(situation) -> Outline`; its name is the file's. Shared code is in
`placement`. The steps below are the same for all: gather, decide, assemble, and move out whatever would break a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nestling.common.errors import InputError, unknown
from nestling.common.folders import member, module_names
from nestling.ir.candidate import Candidate, Nested, Refused
from nestling.ir.design import Design
from nestling.ir.design_problem import Solution, Weighing
from nestling.ir.indexes.kept_uniques import unkept_words
from nestling.ir.outline import Outline
from nestling.ir.primitives import Collection
from nestling.ir.proposal import OPTIMAL, Costs, Proposal, Reason
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.situation.assumed_growth import assumed_growth
from nestling.ir.situation.null_orders import null_orders
from nestling.ir.situation.scanned import scanned
from nestling.ir.situation.situation import Situation, situation
from nestling.ir.situation.thresholds import Thresholds
from nestling.ir.situation.time_series import ruled_out
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.statistics import Statistics
from nestling.ir.storage.bounds import elements, mistakes_in_size, node_bytes
from nestling.ir.storage.kept_checks import check_gaps
from nestling.ir.storage.layout import Node, Role
from nestling.strategies import tree
from nestling.strategies.placement.already_built import built_anyway, without_built
from nestling.strategies.placement.archives import archives
from nestling.strategies.placement.assembly import collections
from nestling.strategies.placement.chosen import chosen_outline
from nestling.strategies.placement.costed import decisions
from nestling.strategies.placement.decided_relationships import subject_of
from nestling.strategies.placement.factors import weighed
from nestling.strategies.placement.indexes import Indexes, indexes
from nestling.strategies.placement.names_in_use import with_familiar_names
from nestling.strategies.placement.one_statement import one_command, one_statement
from nestling.strategies.placement.short_names import saved_bytes, shortened
from nestling.strategies.placement.weighed import considered, passing_bounds

__all__ = ["Thresholds", "assembled", "built_anyway", "check_strategy", "design", "drafted", "strategy_names"]


def design(reading: Reading, strategy: str, thresholds: Thresholds | None = None) -> Proposal:
    """Decide where everything in `reading` is stored.

    Raises `InputError` that lists the strategies if there is none called `strategy`, and `DesignError` only if single rows
    exceed the document bound and nothing can be split off from them.
    """
    decide = _strategy(strategy)
    known = situation(reading, thresholds or Thresholds())
    return _within_bounds(known, strategy, decide(known))


def assembled(
    known: Situation,
    candidates: Sequence[Candidate],
    solution: Solution,
    weighings: tuple[Weighing, ...],
    costs: Costs,
    today: Design | None = None,
    *,
    refused: Sequence[Refused] = (),
    arriving: frozenset[str] = frozenset(),
) -> Proposal:
    """The proposal of chosen structures, with decisions explained by the alternatives' costs and compared with the decision tree.

    `today`: the design of a database in use, whose names are kept; `arriving`: structures that it does not have. `refused`:
    structures that were not considered because they break a bound.
    """
    told = decisions(known, candidates, solution, weighings, tree.outline(known), arriving)
    made = _within_bounds(known, OPTIMAL, chosen_outline(candidates, solution.chosen, told), today)
    others = without_built(considered(known, candidates, solution, weighings), candidates, made.design)
    embeddable = {
        each.part.links[0] for each in candidates if isinstance(each.part, Nested) and each.part.overflow is None
    }
    pairs = (*one_statement(known, told, embeddable), *one_command(known, told))
    notes = (*made.notes, *ruled_out(known), *pairs)
    return replace(made, weighed=(*others, *passing_bounds(known, refused)), costs=costs, notes=notes)


def drafted(
    known: Situation,
    candidates: Sequence[Candidate],
    chosen: frozenset[str],
    today: Design | None = None,
) -> Proposal:
    """The design of chosen structures without explanations, for pricing its statements; `today` as above."""
    made = _bounded(known, chosen_outline(candidates, chosen, ()), today)[2]
    dialect = known.reading.dialect or SQLITE
    return Proposal(OPTIMAL, made, (), known.statistics, known.requirements, dialect=dialect)


def strategy_names() -> tuple[str, ...]:
    """The names of all strategies: the modules of this folder."""
    return module_names(__path__)


def check_strategy(name: str) -> None:
    """Raise `InputError`, which lists the strategies, for an unknown name."""
    if name != OPTIMAL:
        _check_module(name)


def _check_module(name: str) -> None:
    if name not in strategy_names():
        raise InputError(unknown("strategy", name, (OPTIMAL, *strategy_names())))


def _strategy(name: str) -> Callable[[Situation], Outline]:
    _check_module(name)
    decide: Callable[[Situation], Outline] = member(__name__, name).outline
    return decide


def _within_bounds(known: Situation, strategy: str, outline: Outline, today: Design | None = None) -> Proposal:
    """The proposal; embeddings that would pass a bound all the same are moved out."""
    outline, indexed, made, names = _bounded(known, outline, today)
    return Proposal(
        strategy,
        made,
        weighed(known, outline.homes, outline.decisions),
        known.statistics,
        known.requirements,
        (*known.reading.gaps, *_gaps(known), *check_gaps(made)),
        (
            *known.reading.notes,
            *indexed.notes,
            *unkept_words(made),
            *names,
            *archives(known, made.collections),
            *assumed_growth(known),
            *scanned(known, made, weighed=outline.indexes is not None),
            *null_orders(known),
        ),
        dialect=known.reading.dialect or SQLITE,
        left_out=known.reading.workload.left_out,
        in_part=known.reading.workload.in_part,
    )


def _bounded(
    known: Situation, outline: Outline, today: Design | None
) -> tuple[Outline, Indexes, Design, tuple[str, ...]]:
    """Move out the embeddings that would break a bound, heaviest first.

    Returns the outline, its indexes, its design, and notes on names.
    """
    while True:
        proposed = collections(known, outline)
        proposed = with_familiar_names(proposed, today) if today is not None else proposed
        names: tuple[str, ...] = ()
        if known.requirements.short_names:
            long, proposed = proposed, shortened(proposed, known.model)
            names = (_said_of_names(known, long, proposed),)
        indexed = indexes(known, outline, proposed)
        made = Design(known.model, proposed, indexed.indexes)
        problem = next(mistakes_in_size(made, known.statistics, known.requirements), None)
        heaviest = _heaviest(made, known.statistics, str(problem.path[1])) if problem is not None else None
        if problem is None or heaviest is None:
            return outline, indexed, made, names
        link = known.model.relationship(heaviest)
        outline = outline.without(heaviest, subject_of(known, link), Reason("A12", problem.what))


def _said_of_names(known: Situation, long: tuple[Collection, ...], short: tuple[Collection, ...]) -> str:
    """A note on what short field names save, before compression."""
    saved = saved_bytes(Design(known.model, long), Design(known.model, short), known.statistics)
    rows = {entity: numbers.count for entity, numbers in known.statistics.entities}
    stored = sum(count.value * known.row_bytes[entity] for entity, count in rows.items() if count is not None)
    share = f" ({saved / stored:.0%} of the data)" if stored else ""
    return (
        f"short field names save about {saved:,.0f} bytes{share} before compression, which saves a part of that anyway"
    )


def _heaviest(made: Design, statistics: Statistics, collection: str) -> str | None:
    """The relationship whose children take most space in a collection's documents; None if nothing is embedded."""
    roots = [
        root for store in made.stores if store.name == collection and store.role is Role.HOME for root in store.roots
    ]
    children = [child for root in roots for child in root.children if child.embedding is not None]

    def weight(child: Node) -> float:
        return elements(child, statistics) * node_bytes(child, statistics)

    embedding = max(children, key=weight).embedding if children else None
    return embedding.relationship if embedding is not None else None


def _gaps(known: Situation) -> list[Gap]:
    """Rows that may not fit a document, because nothing can be split off them."""
    found = []
    for entity in known.model.entities:
        for name, numbers in known.statistics.entity(entity.name).attributes:
            size = numbers.maximum_bytes.value if numbers.maximum_bytes is not None else 0.0
            if size > known.thresholds.blob_bytes and name not in known.blobs[entity.name]:
                what = (
                    f"`{name}` has values of {size:,.0f} bytes and cannot go to GridFS; a document holds at most 16 MiB"
                )
                found.append(Gap(GapKind.NEVER, what, entity.name))
    return found
