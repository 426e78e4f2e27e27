"""Checking and repairing copies: what a database holds is compared with what their sources imply."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import first_of
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pymongo.database import Database

    from nestling.executors.check import CheckReport
    from nestling.executors.design_match import Looks
    from nestling.ir.drift import Check, Checks, CompiledCheck
    from nestling.ir.reading import Gap

REPAIRED = "repairs made so far are kept; the same command repairs the rest"
MOST_NAMED = 5
"""References named that are not compared."""


@checks_arguments
def check(
    proposal: Proposal,
    database: Database[Any],
    *,
    repair: bool = False,
    remove: bool = False,
    sample: float | None = None,
    since: datetime | None = None,
    checkpoint: Path | str | None = None,
    watch: Watch | None = None,
) -> CheckReport:
    """Compare every copy, computed value, summary, flag, reference and row position with its source.

    Writes only with `repair`. `remove`: a repair also deletes copies whose source is gone, although such a copy may be the last
    one. When all documents are examined, fields that are not in the design are reported too. `sample`: the number of random
    documents to examine in each collection, or a share of them if below 1. `since`: examine only what changes since then may
    have affected, which a standalone server cannot say. `checkpoint`: a file that records progress, so that an interrupted
    check can continue.

    Raises `VerifyError` if the database does not have this design, `MigrationError` if a migration between this design and
    another one is under way, and `ChangesError` if the server's history does not reach back that far.
    """
    from nestling.common.stopping import telling_what_stays
    from nestling.emitters.field_searches.unknown_fields import unknown_fields
    from nestling.emitters.field_searches.unset_commands import unset_commands
    from nestling.executors.check import CheckOptions, changed_since, checks_touched, run_checks
    from nestling.executors.found_fields import find_fields
    from nestling.executors.migrate import check_in_use, strays
    from nestling.ir.digest import stored_digest
    from nestling.ir.values import Policy
    from nestling.planner.checks import checks_of

    check_in_use(database, stored_digest(proposal.design, Policy()))
    require_design(proposal, database)
    found = checks_of(proposal.design)
    compiled, gaps = compiled_checks(found)
    gaps += tuple(_not_enforced(proposal))
    only = None
    if since is not None:
        names = [store.name for store in proposal.design.stores]
        only = checks_touched(compiled, changed_since(database, names, since))
    kept = Path(checkpoint) if checkpoint is not None else None
    way = CheckOptions(repair=repair, remove=remove, sample=sample, only=only, checkpoint=kept)
    with telling_what_stays(lambda: REPAIRED) if repair else nullcontext():
        report = run_checks(compiled, database, gaps=gaps, way=way, report=watch)
    if sample is not None or since is not None:
        return report
    stores = [store.name for store in proposal.design.stores]
    unknown = find_fields(database, unknown_fields(proposal.design))
    gone = unset_commands(proposal.design, unknown)
    return replace(report, unknown=unknown, unset_commands=gone, strays=strays(database, stores))


def unread(proposal: Proposal, database: Database[Any]) -> Iterator[str]:
    """Yield a sentence for each collection with documents that belong to no row."""
    from nestling.executors.check import CheckOptions, run_checks
    from nestling.ir.drift import Checks
    from nestling.ir.quantity_words import agreeing, counted
    from nestling.ir.words.value_words import value_words
    from nestling.planner.checks import checks_of

    asked, _ = compiled_checks(Checks(tuple(each for each in checks_of(proposal.design).checks if each.is_unread)))
    report = run_checks(asked, database, way=CheckOptions(shown=1))
    for each in report.findings:
        documents = report.verdicts[each.check].differing
        tells = agreeing(documents, "belongs", "belong")
        yield (
            f"{counted(documents, 'document')} of `{each.collection}` {tells} to no row, such as "
            f"_id {value_words(each.id)}: {each.next_move}"
        )


def _not_enforced(proposal: Proposal) -> Iterator[Gap]:
    """Yield a gap for the references that are not enforced: their targets may be gone, and that is no finding."""
    from nestling.ir.reading import Gap, GapKind

    model = proposal.design.model
    links = [link for link in model.relationships if not link.enforced]
    names = [f"`{link.child}` ({', '.join(link.child_attributes)})" for link in links]
    if names:
        what = "references that the source does not enforce are not compared; `nestling doctor` finds the dangling ones"
        yield Gap(GapKind.INPUT, f"{what}: {first_of(names, MOST_NAMED)}")


def require_design(proposal: Proposal, database: Database[Any]) -> None:
    """Raise `VerifyError` if collections or documents are missing, or the documents have another design."""
    from nestling.emitters.kept_fields import kept_fields
    from nestling.executors.design_match import require_fields

    require_fields(database, kept_fields(proposal.design, arrays=not proposal.is_in_place))


def looks(proposal: Proposal, database: str, digest: str, before: object) -> Looks:
    """Ask the database whether the design is in use: before a program's first statement and regularly after that.

    A migration may end at any time. `digest`: the design's digest, as migrations record it. `before`: the collections that
    existed last time; if they have changed, their documents are examined. Returns the collections that exist now, and whether
    the answer can be relied on for a while.
    """
    from nestling.emitters.kept_fields import kept_fields
    from nestling.executors.design_match import collections_there, first_looks
    from nestling.executors.migrate import ask_in_use

    is_sure = yield from ask_in_use(digest)
    there = yield from collections_there([store.name for store in proposal.design.stores])
    if before is None or there != before:
        yield from first_looks(database, kept_fields(proposal.design, arrays=not proposal.is_in_place))
    return there, is_sure


def compiled_checks(checks: Checks) -> tuple[tuple[CompiledCheck, ...], tuple[Gap, ...]]:
    """The checks a server can be asked, and why it cannot be asked the others."""
    from nestling.ir.reading import FoundGap

    made: list[CompiledCheck] = []
    gaps = list(checks.gaps)
    for each in checks.checks:
        try:
            made.append(compiled_check(each))
        except FoundGap as error:
            gaps.append(error.at(each.id))
    return tuple(made), tuple(gaps)


def compiled_check(check: Check) -> CompiledCheck:
    """Compile a check into queries for the server."""
    from nestling.emitters.mql.read import compiled_read
    from nestling.emitters.mql.write import compiled_write
    from nestling.ir.drift import CompiledCheck
    from nestling.ir.paths.write_path import WritePlan

    read = compiled_read(check.read, name=check.id, find=False)
    repair = compiled_write(WritePlan((check.repair,), ())).command if check.repair is not None else None
    screen = check.screen
    first = compiled_read(screen.read, find=False) if screen is not None else None
    source = compiled_check(check.source) if check.source is not None else None
    return CompiledCheck(check, read, repair, first, source)
