"""Diagnosing a live MongoDB: facts in, findings out.

Writes nothing to the database.
"""

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
    """Gather facts about a live MongoDB: the URI's database, or else all databases that are not the server's own. Writes nothing.

    `structure`: also find how the rows in the documents are related, which a model needs. `rest`: while others use the server,
    pause after each query for this multiple of the time that it took.

    Raises `ConnectionFailed`, `PermissionDenied` or, if there is nothing to look at, `SourceError`.
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
    """Apply the doctor's rules to facts, with costs by a profile. `office`: whose published thresholds to use."""
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
    """Return notes on the prices in findings if their profile was measured on another kind of server."""
    from nestling.cost import default_profile

    return default_profile().notes_for(facts.server.version, facts.server.engine)
