"""A live MongoDB in, findings out; nothing is written to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments
from nestling.pipeline.read_only import looked_at, nothing_there

if TYPE_CHECKING:
    from nestling.cost import Profile
    from nestling.ir.facts import Facts
    from nestling.ir.finding import Findings


@checks_arguments
def facts_of(
    uri: str,
    *,
    seconds: float = 60.0,
    documents: int = 10_000,
    whole: bool = False,
    structure: bool = False,
    rest: float = 4.0,
    watch: Watch | None = None,
) -> Facts:
    """What a live MongoDB is: of the URI's database, else of all that are not the server's own. Writes nothing.

    `structure`: also what relates the rows of the documents, which a model is made of. `rest`: while others use the
    server, so many times as long as each look took nothing is asked.

    Raises ConnectionFailed, PermissionDenied or, when there is nothing to look at, SourceError.
    """
    from nestling.executors.facts import Amount, Budget, gather

    told = (lambda name, done, total: watch(f"looking at {name}", done, total)) if watch is not None else None
    budget = Budget(seconds, Amount(documents), whole, structure, rest)
    with looked_at(uri) as (client, databases):
        found = gather(client, databases, budget, told)
    if not found.collections:
        raise nothing_there(databases)
    return found


@checks_arguments
def diagnose(
    facts: Facts,
    *,
    earlier: Facts | None = None,
    rules: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    office: str = "",
    profile: Profile | None = None,
) -> Findings:
    """What the doctor's rules find in facts, with what it costs by a profile; `office`: whose thresholds."""
    from nestling.cost import default_profile, price
    from nestling.doctor import diagnose as findings_in
    from nestling.doctor import limits
    from nestling.ir.finding import Findings

    prices = profile or default_profile()
    found = findings_in(facts, earlier=earlier, chosen=rules, in_force=limits(thresholds, office))
    return Findings(
        replace(each, cost_seconds=price(each.work, prices)) if each.work and not each.measured else each
        for each in found
    )


@checks_arguments
def price_notes(facts: Facts) -> tuple[str, ...]:
    """What to say of the prices in findings where the profile they are of is another server's."""
    from nestling.cost import default_profile

    return default_profile().notes_for(facts.server.version, facts.server.engine)
