"""`nestling check`: whether every copy and computed value in a database matches its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.check import CheckReport
    from nestling.ir.drift import Check, Drift
    from nestling.ir.freshness import Freshness
    from nestling.ir.proposal import Proposal

SHOWN_ALIKE = 10
"""Differences of one check that the terminal shows; `--json` has more."""
MOST_NAMED = 20
"""Documents that one command names."""

NOTHING_TO_COMPARE = "Nothing to compare: this design has no copies and no computed values."


def _sample(context: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """`1000` documents, or `0.01` or `1%` of them."""
    if text is None:
        return None
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = 0.0
    most = 1.0 if text.endswith("%") else inf
    if not 0 < number <= most or not isfinite(number) or (number > 1 and number != int(number)):
        raise click.BadParameter(f"{text!r} is neither a number of documents nor a share (0.01, 1%)", context, option)
    return None if text.endswith("%") and number == 1 else number


def _time(context: click.Context, option: click.Parameter, text: str | None) -> datetime | None:
    """A time in ISO form."""
    try:
        return datetime.fromisoformat(text) if text is not None else None
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a time such as 2024-05-31T14:00", context, option) from None


@click.command(
    "check",
    short_help="Find stale copies, and repair them.",
    epilog="\b\nExample:\n  nestling check design.yaml mongodb://localhost/shop --repair",
)
@options.design_file
@options.mongodb_argument
@click.option("--repair", is_flag=True, help="Correct the values that differ. Otherwise nothing is written.")
@click.option(
    "--remove",
    is_flag=True,
    help="With --repair: also remove copies of rows that no longer exist. They may be all that is left of those rows.",
)
@click.option(
    "--sample",
    metavar="N|SHARE",
    callback=_sample,
    help="Compare only this many documents, or this share, of each collection: 1000, 0.01 or 1%.",
)
@click.option(
    "--since",
    metavar="TIME",
    callback=_time,
    help="Compare only what may have been affected by changes since then (ISO 8601; UTC).",
)
@click.option(
    "--resume",
    "checkpoint",
    type=options.RESULT_FILE,
    metavar="FILE",
    help="Save progress to this file, and continue from it after an interruption.",
)
@options.as_json
def command(
    design: Path,
    target: str,
    repair: bool,
    remove: bool,
    sample: float | None,
    since: datetime | None,
    checkpoint: Path | None,
    as_json: bool,
) -> int:
    """Compare every copy, computed value, summary, flag, reference and row position with its source, on the server.

    Snapshot copies are meant to stay as written, so they are not compared. Fields that are not in the design are listed as notes.
    Exits 1 when something differs and is not repaired.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.pipeline import check, opened, read_proposal

    if remove and not repair:
        raise click.UsageError("--remove has no effect without --repair: add it")
    proposal = read_proposal(design)
    text.check_place(checkpoint)
    with opened(target, proposal.design.model.name) as (server, database):
        text.say(f"Using {server.text()}, database {database.name}")
        with progress(enabled=not as_json) as watch:
            report = check(
                proposal,
                database,
                repair=repair,
                remove=remove,
                sample=sample,
                since=since,
                checkpoint=checkpoint,
                watch=watch,
            )
        is_synced = not as_json and _lagging(report) and _is_synced(proposal, database)
    if as_json:
        text.print_json(check_json(report))
    else:
        sync = None if is_synced else f"nestling sync {text.argument(design)} {text.argument(target)}"
        show(report, is_whole=since is None, sync=sync)
    return FINE if report.clean else DIFFERENT


def check_json(report: CheckReport) -> dict[str, object]:
    """The documented shape: clean, checked, findings, repaired, passes, checks, unknown, strays, gaps."""
    return {
        "clean": report.clean,
        "checked": report.checked,
        "findings": [_finding(each) for each in report.findings],
        "repaired": report.repaired,
        "passes": report.passes,
        "checks": [_check(report, key) for key in report.verdicts],
        "strays": dict(report.strays),
        "unknown": [each.shape() for each in report.unknown],
        "gaps": [asdict(gap) for gap in report.gaps],
        "seconds": round(report.seconds, 3),
    }


def _finding(drift: Drift) -> dict[str, object]:
    """A finding as JSON values. A missing value has no key."""
    from nestling.ir.programs.program import MISSING

    values = {"expected": drift.expected, "found": drift.found}
    shown: dict[str, object] = {
        "kind": str(drift.kind),
        "collection": drift.collection,
        "id": drift.id,
        "path": drift.path,
        **{name: value for name, value in values.items() if value is not MISSING},
        "repaired": drift.repaired,
    }
    shown |= {} if drift.compared else {"compared": False}
    shown |= {"freshness": str(drift.freshness)} if drift.freshness is not None else {}
    return shown | ({"next_move": drift.next_move} if drift.next_move else {})


def _check(report: CheckReport, key: str) -> dict[str, object]:
    check = next(each for each in report.checks if each.key == key)
    shown: dict[str, object] = {"kind": str(check.kind), "name": check.id, **report.verdicts[key]._asdict()}
    estimate = report.estimates.get(key)
    if estimate is not None:
        low, high = round(estimate.least, 1), round(estimate.most, 1)
        shown["estimate"] = {
            "of": estimate.documents,
            "differing": round(estimate.differing, 1),
            "interval": [low, high],
        }
    return shown


def _lagging(report: CheckReport) -> list[Freshness]:
    """How the values are kept that differ and may lag, each once."""
    kept = (each.freshness for each in report.findings if not each.repaired)
    return list(dict.fromkeys(each for each in kept if each is not None and each.seconds))


def _is_synced(proposal: Proposal, database: Database[Any]) -> bool:
    """Whether a sync is running, as far as the user may ask."""
    from pymongo.errors import OperationFailure

    from nestling.common.server_codes import UNAUTHORIZED
    from nestling.pipeline import sync_standing

    try:
        found = sync_standing(proposal, database)
    except OperationFailure as error:
        if error.code != UNAUTHORIZED:
            raise
        return True
    return found is not None and found.live


def show(report: CheckReport, *, is_whole: bool = True, sync: str | None = None) -> None:
    """Print the differences, check by check, and the verdict. `sync`: the command of the sync that is not running."""
    from nestling.cli.parts import text
    from nestling.cli.parts.table import table
    from nestling.ir.words.drift_rows import DRIFT_COLUMNS, drift_row

    for key, counted in report.verdicts.items():
        if counted.values:
            listed = [each for each in report.findings if each.check == key][:SHOWN_ALIKE]
            table(key, DRIFT_COLUMNS, [drift_row(each) for each in listed])
            more = counted.values - len(listed)
            click.echo(f"… and {more:,} more\n" if more else "")
    _say_moves(report, sync)
    for key, estimate in report.estimates.items():
        if report.verdicts[key].differing:
            click.echo(
                f"{key}: about {estimate.differing:,.0f} of {text.counted(estimate.documents, 'document')} differ, "
                f"{estimate.least:,.0f} to {estimate.most:,.0f} with 95 % confidence"
            )
    left = "is not in the design: no statement reads it, and a migration would not carry it over"
    text.notices(report.gaps, [f"{each.text()}, {left}" for each in report.unknown])
    text.notices(
        (),
        [
            f"`{name}` belongs to the design before the cutover but was written to after it; no statement reads "
            f"its {text.counted(count, 'document')}"
            for name, count in report.strays.items()
        ],
    )
    if report.strays:
        text.say(
            "→ stop the application that writes to them, write its changes again with statements of this design, and drop "
            "these collections"
        )
    _say_unknown(report)
    click.echo(verdict(report) if report.checks or not is_whole else NOTHING_TO_COMPARE)


def _say_unknown(report: CheckReport) -> None:
    """Say what to do about fields that the design does not know."""
    from nestling.cli.parts import text

    if not report.unset_commands:
        return
    text.say(
        "→ if an application needs the field, add an attribute for it to the model and the design. If an application still "
        "writes as it did before a cutover, change that application first, write its changes again with statements of this "
        "design, and then remove the field:"
    )
    for command in report.unset_commands[:SHOWN_ALIKE]:
        click.echo(f"  {command}", err=True)


def _say_moves(report: CheckReport, sync: str | None) -> None:
    """Say once for each kind of finding what to do about what was not repaired."""
    moves = dict.fromkeys(each.next_move for each in report.findings if each.next_move and not each.repaired)
    for move in moves:
        click.echo(f"→ {move}")
    for command in _mending(report):
        click.echo(f"  {command}")
    for freshness in _lagging(report):
        if sync is None:
            click.echo(f"→ values kept {freshness} may still be catching up: check again after that time")
        else:
            click.echo(f"→ values kept {freshness} stay behind, as no sync is running: run `{sync}`")


def _mending(report: CheckReport) -> Iterator[str]:
    """Yield commands for rows whose parents are gone, if the rows are documents; only a few if there are many.

    Optional references are cleared; rows with other references are deleted.
    """
    from nestling.ir.drift import DriftKind
    from nestling.ir.literals import of_collection, shell

    for check in report.checks:
        found = [each.id for each in report.findings if each.check == check.key and not each.repaired]
        if found and check.kind is DriftKind.DANGLING and not check.place:
            these = f"{{_id: {{$in: [{', '.join(' '.join(shell(each).split()) for each in found[:MOST_NAMED])}]}}}}"
            collection = of_collection("db", check.collection)
            unset = shell(dict.fromkeys(check.clears, ""))
            asked = f"updateMany({these}, {{$unset: {unset}}})" if check.clears else f"deleteMany({these})"
            more = report.verdicts[check.key].values - MOST_NAMED
            told = [] if check.clears else [*_hanging_on(check)]
            told += [f"{more:,} more remain: check again afterwards"] if more > 0 else []
            yield f"{collection}.{asked}{' // ' * bool(told)}{'; '.join(told)}"


def _hanging_on(check: Check) -> Iterator[str]:
    """Say what deleting the rows would delete too, and what would then refer to nothing."""
    from nestling.common.errors import name_list

    if check.inside:
        yield f"this also deletes their rows of {name_list(check.inside)}"
    if check.referring:
        yield f"rows of {name_list(check.referring)} may refer to them: check those first"


def verdict(report: CheckReport) -> str:
    """The last line: clean, repaired or not."""
    from nestling.ir.quantity_words import agreeing, counted

    values = sum(each.values for each in report.verdicts.values())
    documents = counted(report.checked, "document")
    if report.sampled_of:
        documents = f"a sample, {report.checked:,} of {counted(report.sampled_of, 'document')},"
    looked = f"{documents} in {counted(len(report.verdicts), 'check')} ({report.seconds:.1f} s)"
    if not values:
        unseen = [f"{counted(len(report.gaps), 'thing')} could not be compared"] if report.gaps else []
        outside = {"field": len(report.unknown), "collection": len(report.strays)}
        if named := [counted(number, noun) for noun, number in outside.items() if number]:
            are = agreeing(sum(outside.values()))
            unseen.append(f"{' and '.join(named)} outside the design {are} read by no statement")
        return f"Clean: {looked}{''.join(f'; {each}' for each in unseen)}{': see above' if unseen else ''}."
    if report.clean:
        times = f" in {counted(report.passes, 'pass')}" if report.passes > 1 else ""
        return f"Repaired: {counted(values, 'difference')}{times}, of {looked}."
    can_mend = any(not each.next_move for each in report.findings)
    left = values - report.repaired
    if report.repaired:
        are = agreeing(left)
        rest = f", {report.repaired:,} repaired; {left:,} {are} left: see → above, then check again"
    else:
        rest = "; `--repair` fixes what can be fixed" * can_mend
    return f"NOT clean: {counted(values, 'difference')}, of {looked}{rest}."
