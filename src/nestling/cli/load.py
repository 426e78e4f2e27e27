"""`nestling load`: create a design's collections, fill them, verify."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.common.server import Server
    from nestling.pipeline import Loaded


@click.command(
    "load",
    short_help="Create the collections, load the rows, verify them.",
    epilog="\b\nExample:\n  nestling load design.yaml --from sqlite:///shop.db --to mongodb://localhost/shop",
)
@options.design_file
@options.from_source
@options.to_mongodb
@options.as_argument
@click.option("--replace", is_flag=True, help="Drop the design's own collections first.")
@click.option("--resume", is_flag=True, help="Continue an interrupted load.")
@click.option("--no-verify", is_flag=True, help="Do not read everything back to compare it.")
@options.long_decimals
@options.microseconds
@options.as_json
def command(
    design: Path,
    source: str | None,
    target: str | None,
    replace: bool,
    resume: bool,
    no_verify: bool,
    long_decimals: str,
    microseconds: str,
    as_json: bool,
) -> int:
    """Create a design's collections, validators and indexes, load the rows of a SQL database, and verify that they are equal.

    Without --from, or from a schema.sql or a model.yaml, the collections are created empty. Collections that hold data
    are an error without --replace or --resume. Ctrl-C is safe at any time; --resume continues.
    Exits 1 when they are not equal.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.afterwards import say_afterwards
    from nestling.cli.parts.progress import progress
    from nestling.pipeline import LoadMode, load, opened, reach_rows, read_proposal

    if replace and resume:
        raise click.UsageError("--replace starts over and --resume continues: choose one")
    if replace and source is None:
        raise click.UsageError("--replace drops existing data: add --from with the data to load instead")
    mode = LoadMode.REPLACE if replace else LoadMode.RESUME if resume else LoadMode.REFUSE
    proposal, policy = read_proposal(design), options.policy(long_decimals, microseconds)
    reach_rows(proposal, source)
    with opened(target, proposal.design.model.name) as (server, database):
        say_server(server, database.name)
        with _honest(server), progress(enabled=not as_json) as watch:
            done = load(proposal, source, database, mode=mode, policy=policy, check=not no_verify, watch=watch)
    if as_json:
        text.print_json(load_json(done))
        text.notices((), done.report.notes)
    else:
        show(done, source)
        if target is not None and done.verified is not None and done.verified.equal:
            say_afterwards(proposal, design, target)
    return FINE if done.verified is None or done.verified.equal else DIFFERENT


@contextmanager
def _honest(server: Server) -> Iterator[None]:
    """Make Ctrl-C not promise that a load can be resumed if its MongoDB ends with the command."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        if server.data_directory is None:
            raise
        raise KeyboardInterrupt from stopped.with_traceback(None)


def say_server(server: Server, database: str) -> None:
    """Say which server and database are used, and what happens to a server that was started for this command."""
    from nestling.cli.parts import text

    text.say(f"Using {server.text()}, database {database}")
    if server.data_directory is not None:
        text.say(
            "This server and its data are gone when the command ends; `nestling server --data-dir DIR` keeps one running."
        )


def load_json(done: Loaded) -> dict[str, object]:
    """The load as JSON: entities, seconds, peak bytes, `verified` (null if not verified), and what was left out."""
    report = done.report
    return {
        "entities": {name: {"rows": rows, "loaded": loaded} for name, (rows, loaded) in report.entities.items()},
        "seconds": round(report.seconds, 3),
        "peak_bytes": report.peak_bytes,
        "verified": None if done.verified is None else done.verified.equal,
        "left_out": list(done.left_out),
    }


def show(done: Loaded, source: str | None) -> None:
    """Print the collections filled, the time taken and the verdict, or that the source has no rows."""
    from nestling.cli.parts import text
    from nestling.cli.parts.table import table
    from nestling.cli.verify import say_left_out
    from nestling.cli.verify import show as show_verdict
    from nestling.ir.quantity_words import size
    from nestling.sources.front import has_rows

    report = done.report
    table("", ("collection", "documents"), report.documents.items(), right=(1,))
    click.echo()
    if source is None or not has_rows(source):
        without = "no --from was given" if source is None else f"{source} has none"
        click.echo(f"Created the collections with their validators and indexes. No rows were loaded: {without}.")
        text.notices((), report.notes)
        return
    rows, documents = sum(loaded for _, loaded in report.entities.values()), sum(report.documents.values())
    rate = rows / report.seconds if report.seconds else 0
    click.echo(
        f"Loaded {text.counted(rows, 'row')} as {text.counted(documents, 'document')} in {report.seconds:.1f} "
        f"s: {rate:,.0f} rows/s, {size(report.peak_bytes)} peak memory."
    )
    text.notices((), report.notes)
    if done.verified is not None:
        show_verdict(done.verified)
    else:
        say_left_out(done.left_out)
