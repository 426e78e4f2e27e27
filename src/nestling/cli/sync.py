"""`nestling sync`: copies kept right in the background, whoever writes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.executors.sync import Metrics, SyncReport, SyncState

STATUS_SECONDS = 1.0
LOCALHOST = "127.0.0.1"


@click.command(
    "sync",
    short_help="Keep copies and computed values up to date, whoever writes.",
    epilog="\b\nExample:\n  nestling sync design.yaml mongodb://localhost/shop --listen 9216",
)
@options.design_file
@options.mongodb_argument
@click.option("--once", is_flag=True, help="Apply everything written so far, then exit.")
@click.option("--no-wait", is_flag=True, help="Fail when another instance is active, instead of standing by.")
@click.option(
    "--restart", is_flag=True, help="Forget the resume point and compare everything once, for a changed design."
)
@click.option(
    "--pre-images",
    is_flag=True,
    help="Have the server keep pre-images of changed documents (collMod; 6.0 and later), where deletes and moves need them.",
)
@click.option(
    "--remove",
    is_flag=True,
    help="Remove copies of rows that no longer exist. They may be all that is left of those rows. Otherwise they stay, and a "
    "missing collection that was copied from is an error.",
)
@click.option(
    "--lease",
    "lease_seconds",
    type=options.FiniteRange(1, 3600),
    default=15.0,
    show_default=True,
    metavar="SECONDS",
    help="How long after an instance dies another one takes over.",
)
@click.option(
    "--listen", metavar="[HOST:]PORT", help=f"Serve /metrics, /status and /health; HOST is {LOCALHOST} by default."
)
@click.option(
    "--status-file",
    type=options.RESULT_FILE,
    metavar="FILE",
    help="Write the metrics into this file every second, as JSON.",
)
@click.option(
    "--status",
    "only_status",
    is_flag=True,
    help="Show whether an instance is active and how far it has got, then exit. Writes nothing.",
)
@options.as_json
def command(
    design: Path,
    target: str,
    once: bool,
    no_wait: bool,
    restart: bool,
    pre_images: bool,
    remove: bool,
    lease_seconds: float,
    listen: str | None,
    status_file: Path | None,
    only_status: bool,
    as_json: bool,
) -> int:
    """Follow the changes of a database and update everything derived from them: copies, computed values, ids.

    Changes may come from any program. Runs until Ctrl-C or SIGTERM; when started again, it continues where it stopped. One
    instance per design is active, others stand by. Snapshots are never touched.

    Exits 1 when something could not be repaired, and names it, or was unfinished when it was stopped; with --status, when no
    instance is active.
    """
    from nestling.cli.parts import text
    from nestling.executors.sync import Metrics
    from nestling.pipeline import opened, read_proposal, sync, sync_standing

    acting = {
        "--once": once,
        "--no-wait": no_wait,
        "--restart": restart,
        "--pre-images": pre_images,
        "--remove": remove,
    }
    acting |= {"--listen": listen is not None, "--status-file": status_file is not None}
    if only_status and (given := [name for name, is_given in acting.items() if is_given]):
        raise click.UsageError(f"--status only shows how a sync is getting on: leave out {' and '.join(given)}")
    text.check_place(status_file)
    proposal = read_proposal(design)
    with opened(target, proposal.design.model.name) as (server, database), ExitStack() as stack:
        text.say(f"Using {server.text()}, database {database.name}")
        if only_status:
            return _say_standing(sync_standing(proposal, database), as_json=as_json)
        stop, metrics = stack.enter_context(_stopping()), Metrics()
        _tell(stack, metrics, proposal.design.model.name, listen, status_file)
        report = sync(
            proposal,
            database,
            once=once,
            wait=not no_wait,
            restart=restart,
            images=pre_images,
            remove=remove,
            lease_seconds=lease_seconds,
            stop=stop,
            metrics=metrics,
            say=text.say,
        )
    if as_json:
        text.print_json(metrics.snapshot())
    else:
        _show(report, metrics)
    return FINE if report.clean else DIFFERENT


@contextmanager
def _stopping() -> Iterator[Event]:
    """An event that Ctrl-C and SIGTERM set; a second Ctrl-C ends at once."""
    stop = Event()

    def ask(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, before[signal.Signals(number)])

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(stack: ExitStack, metrics: Metrics, name: str, listen: str | None, status_file: Path | None) -> None:
    from nestling.cli.parts import text
    from nestling.executors.sync import served, status_written

    if listen is not None:
        host, _, port = listen.rpartition(":")
        if not port.isdigit() or int(port) > 65_535:
            raise click.BadParameter(f"`{listen}` is not [HOST:]PORT", param_hint="--listen")
        found = stack.enter_context(served(metrics, name, host or LOCALHOST, int(port)))
        text.say(f"Metrics at http://{host or LOCALHOST}:{found}/metrics")
    if status_file is not None:
        stack.enter_context(status_written(metrics, status_file, STATUS_SECONDS))


def _say_standing(found: SyncState | None, *, as_json: bool) -> int:
    from nestling.cli.parts import text

    if as_json:
        text.print_json(
            {
                "active": found is not None and found.live,
                "owner": found.owner if found is not None else None,
                "resume_point": found.time.as_datetime().isoformat() if found is not None and found.time else None,
                "behind_seconds": found.behind_seconds if found is not None else None,
                "last_computed": {name: at.isoformat() for name, at in found.computed.items()} if found else {},
                "unrepaired": list(found.unrepaired) if found is not None else [],
            }
        )
    elif found is None:
        click.echo("No sync has run here yet.")
    else:
        behind = f"{found.behind_seconds:.0f} s ago" if found.behind_seconds is not None else "none yet"
        click.echo(f"{'Active' if found.live else 'NOT active'}: {found.owner}. Resume point: {behind}.")
        if found.unrepaired:
            click.echo(f"NOT all repaired: {', '.join(found.unrepaired)}. `nestling check` names the copies.")
    return FINE if found is not None and found.live else DIFFERENT


def _show(report: SyncReport, metrics: Metrics) -> None:
    from nestling.executors.check.sourceless import BRING_BACK
    from nestling.ir.quantity_words import agreeing, counted

    click.echo(
        f"{counted(report.changes, 'change')} followed, {counted(report.written, 'copy')} "
        f"written, {counted(report.full_refreshes, 'full comparison')}."
    )
    if refused := metrics.refused():
        click.echo(f"\nNOT repaired: {counted(report.refused, 'copy')}; the latest:")
        for why, copies in refused.items():
            click.echo("\n".join([*(f"  {each}" for each in copies), f"→ {why}"]))
        click.echo("`nestling check --repair` shows what to do about each.")
    if left := metrics.left_copies():
        click.echo(f"\n{counted(report.sourceless, 'copy')} left in place whose source is gone; the latest:")
        click.echo("\n".join(f"  {each}" for each in left))
        click.echo(f"→ {BRING_BACK} (--remove)")
    if report.left:
        click.echo(
            f"\nStopped early: {counted(report.left, 'task')} {agreeing(report.left)} not done, so copies may be stale. "
            "The next run continues from there: start it again, or bring everything up to date with --once."
        )
