"""Finding what a design cannot do of its workload, or does at a price that the search did not expect."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.proposal import Proposal, StatementCost
from nestling.ir.quantity_words import first_of
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.workload import Statement
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from nestling.cost.profile import Profile
    from nestling.ir.programs.compiled import CompiledRead
    from nestling.ir.programs.program import CompiledWrite

MANY_STATEMENTS = 1000
"""If there are more statements than this, time may run out before all are examined."""
_NAMED = 4
"""Statements a note names of many."""
MOST_SECONDS = 10.0
"""How long many statements are looked at."""
NAMED_TIMES, NAMED_SHARE = 1.5, 0.02
"""How many times the price of the search a statement's query must cost, and what share of the workload the difference must be,
for a note that names it. A judgement: a fiftieth is about what a user could measure."""


@checks_arguments
def with_unconverted(
    proposal: Proposal,
    reading: Reading,
    profile: Profile | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Proposal:
    """Add a gap for each statement that the design cannot convert, and for each sample value that its statement cannot take.

    Notes are added if time ran out, for statements whose answer may differ from the source's, and for each query that costs far
    more than the search expected. These gaps replace the reading's own gaps about statements that no design converts.
    `profile`: the profile that priced the proposal, by default the one that ships.
    """
    from nestling.common.errors import WorkloadError
    from nestling.ir.programs.compiled import NotCompiled
    from nestling.ir.statements.unconverted_gaps import is_unconverted, unconverted_gaps
    from nestling.pipeline.converting import convert
    from nestling.planner.sql.unconverted import gap_of, weighed

    statements, found, told = [*weighed(reading)], list[tuple[str, Gap]](), dict[str, list[str]]()
    unfit: list[Gap] = []
    ends = clock() + MOST_SECONDS if len(statements) > MANY_STATEMENTS else None
    looked_at = 0
    for statement in statements:
        if ends is not None and clock() > ends:
            break
        looked_at += 1
        try:
            made = convert(proposal, statement.sql, name=statement.name, dialect=reading.dialect_of(statement))
        except WorkloadError as error:
            found.append((statement.name, Gap(GapKind.INPUT, error.problems[0].what)))
        else:
            if isinstance(made, NotCompiled):
                found.append((statement.name, made.gap))
                continue
            unfit += _unfit_samples(made, statement, proposal)
            for note in made.notes:
                told.setdefault(note, []).append(f"`{statement.name}`")
    rest = ((each.name, gap_of(each, reading)) for each in statements[looked_at:])
    found += ((name, gap) for name, gap in rest if gap is not None)
    rates = {statement.name: statement.rate_per_second for statement in statements}
    found.sort(key=lambda each: -rates[each[0]])
    gaps = (*unconverted_gaps(found), *unfit, *(gap for gap in proposal.gaps if not is_unconverted(gap)))
    dearer = tuple(_dearer(proposal, reading, profile, statements[:looked_at]))
    costs = replace(proposal.costs, dearer=dearer) if proposal.costs is not None else None
    of_statements = (f"{first_of(names, _NAMED)}: {note}" for note, names in told.items())
    notes = (*proposal.notes, *of_statements, *(_told(each, proposal) for each in dearer))
    if looked_at < len(statements):
        notes = (*notes, _stopped(looked_at, len(statements)))
    return replace(proposal, gaps=gaps, notes=notes, costs=costs)


def _unfit_samples(made: CompiledRead | CompiledWrite, statement: Statement, proposal: Proposal) -> Iterator[Gap]:
    """Yield a gap for each value under `-- params:` that the statement cannot be run with."""
    from nestling.common.errors import WorkloadError
    from nestling.ir.programs.compiled import placeholders_in
    from nestling.pipeline.converting import samples_of

    if not statement.samples:
        return
    samples, refused = samples_of(statement, proposal), dict[str, str]()
    for each in placeholders_in(made):
        if each.name in samples and each.name not in refused:
            try:
                each.bind(samples[each.name])
            except WorkloadError as error:
                refused[each.name] = error.problems[0].what
    for said in refused.values():
        yield Gap(GapKind.INPUT, f"statement `{statement.name}`: its params do not fit: {said}")


def _dearer(
    proposal: Proposal, reading: Reading, profile: Profile | None, statements: Iterable[Statement]
) -> Iterator[StatementCost]:
    """A proof of least cost is one of the search's prices; where a query has another, it is not proved for that.

    What is a part of another statement's command has no query of its own in the application, and the search prices that command.
    """
    from nestling.cost import default_profile
    from nestling.pipeline.proving.statements import predicted_seconds

    costs, prices = proposal.costs, profile or default_profile()
    if costs is None or costs.profile != prices.name:
        return
    said = dict(costs.statements)
    for each in statements:
        if reading.workload.command_of(each) is not None:
            continue
        estimated, compiled = said.get(each.name), predicted_seconds(proposal, reading, each, prices)
        if estimated is None or compiled is None or compiled < NAMED_TIMES * estimated:
            continue
        if (compiled - estimated) * each.rate_per_second >= NAMED_SHARE * costs.cost:
            yield StatementCost(each.name, compiled, each.rate_per_second)


def _told(dearer: StatementCost, proposal: Proposal) -> str:
    assert proposal.costs is not None
    estimated = dict(proposal.costs.statements)[dearer.statement]
    return (
        f"the query for `{dearer.statement}` costs {dearer.seconds * 1e3:.3g} ms by the cost model, where the search "
        f"assumed {estimated * 1e3:.3g} ms: this design is not proved least for it"
    )


def _stopped(looked_at: int, of: int) -> str:
    return (
        f"only {looked_at:,} of {of:,} statements were tried for conversion in {MOST_SECONDS:g} s; `nestling convert "
        "DESIGN --file WORKLOAD` tries all"
    )
