"""`nestling migrate`: moves a live database from one design to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.executors.migrate import MigrationReport
    from nestling.ir.found_field import FoundField


_LOSSES = {
    "unknown": "Leave behind fields that are not in the designs. Otherwise they are an error.",
    "nulls": "Lose nulls that the new design has no field for, such as a null instead of an array. Otherwise they are an error.",
    "empty": "Turn empty sub-documents into missing fields. Otherwise they are an error.",
    "order": "Lose the order of arrays whose elements have no field to sort by. Otherwise it is an error.",
    "id_order": "Reorder the fields of compound `_id`s to match the new design. Otherwise a different order is an error.",
    "copies": "Lose copies and computed values that differ from their source. Otherwise they are an error.",
    "indexes": "Lose indexes that the new design does not have. Otherwise they are an error.",
    "options": "Lose a collection's own collation, size limits or validator. Otherwise they are an error.",
    "views": "Let views over replaced collections return different documents. Otherwise they are an error.",
}
"""The help of `--drop-…`, by the value of `ir.migration.Loss`."""


def _losses(command: Callable[..., int]) -> Callable[..., int]:
    """An option for each kind of loss; the parameter is called as the kind."""
    for loss, words in reversed(_LOSSES.items()):
        command = click.option(f"--drop-{loss.replace('_', '-')}", loss, is_flag=True, help=words)(command)
    return command


@click.command(
    "migrate",
    short_help="Move a live MongoDB from one design to another.",
    epilog="\b\nExample:\n  nestling migrate --from-design old.yaml --to-design new.yaml mongodb://localhost/shop",
)
@partial(options.two_designs, but_to="--abort")
@options.renamed
@options.filled
@click.option("--cutover", is_flag=True, help="Switch to the new design once both are equal.")
@click.option(
    "--abort",
    is_flag=True,
    help="Abort the migration, whatever its designs: drop what was built, and leave the old design as it was.",
)
@click.option("--drop-old", is_flag=True, help="After the cutover: drop what the old design left behind.")
@_losses
@click.option("--offline", is_flag=True, help="Nothing else writes until the cutover, so a standalone server will do.")
@options.long_decimals
@options.microseconds
@options.as_json
def command(
    old: Path | None,
    new: Path | None,
    target: str,
    renamed: dict[str, str],
    filled: dict[str, str],
    cutover: bool,
    abort: bool,
    drop_old: bool,
    offline: bool,
    long_decimals: str,
    microseconds: str,
    as_json: bool,
    **lets_go: bool,
) -> int:
    """Build the new design beside the old one while the application keeps writing, and prove that both hold the same rows.

    Without --cutover the old design stays in use: run it again to carry over what has changed since. After an interruption, even
    a kill, it continues where it stopped. Exits 1 when rows still differ.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.afterwards import say_afterwards
    from nestling.cli.parts.progress import progress
    from nestling.ir.migration import Phase
    from nestling.pipeline import drop_old as drop_what_is_left
    from nestling.pipeline import migrate, opened, read_proposal

    if cutover + abort + drop_old > 1:
        raise click.UsageError("choose one of --cutover, --abort and --drop-old")
    if abort:
        return _abort(target, old, as_json=as_json)
    old, new = options.need(old, "--from-design"), options.need(new, "--to-design")
    may_lose = [loss for loss, given in lets_go.items() if given]
    designs, policy = (read_proposal(old), read_proposal(new)), options.policy(long_decimals, microseconds)
    with opened(target, designs[0].design.model.name) as (server, database):
        text.say(f"Using {server.text()}, database {database.name}")
        if drop_old:
            dropped = drop_what_is_left(
                *designs, database, may_lose=may_lose, renamed=renamed, filled=filled, policy=policy
            )
            names = dropped.collections
            what = f"Dropped {text.counted(len(names), 'collection')}: {', '.join(names) or 'none was left'}."
            shape = {"dropped": list(names), "unknown": [each.shape() for each in dropped.unknown]}
            return _print_result(shape, "\n".join([*_gone(dropped.unknown), what]), as_json=as_json)
        with progress(enabled=not as_json) as watch:
            done = migrate(
                *designs,
                database,
                offline=offline,
                cutover=cutover,
                may_lose=may_lose,
                renamed=renamed,
                filled=filled,
                policy=policy,
                watch=watch,
            )
    if as_json:
        text.print_json(migrate_json(done))
    elif designs[0].design == designs[1].design:
        click.echo("Both designs are the same: there is nothing to migrate.")
    else:
        show(done)
        if done.equal and done.phase is Phase.DONE:
            say_afterwards(designs[1], new, target)
    return FINE if done.equal else DIFFERENT


def _abort(target: str, old: Path | None, *, as_json: bool) -> int:
    """End the migration of a database, which needs no designs: the old one only names it where the URI does not."""
    from nestling.cli.parts import text
    from nestling.common.connection import database_name
    from nestling.pipeline import abort_migration, opened, read_proposal

    name = database_name(target, "") or (read_proposal(old).design.model.name if old is not None else "")
    if not name:
        raise click.UsageError("name the database: mongodb://host/database")
    with opened(target, name) as (server, database):
        text.say(f"Using {server.text()}, database {database.name}")
        aborted = abort_migration(database)
    indexes = [f"{each.collection}.{each.name}" for each in aborted.indexes]
    lines = ["Aborted: the old design is unchanged."]
    if indexes:
        lines.append(f"Dropped the indexes that the migration had built on collections in use: {', '.join(indexes)}.")
    lines += [
        f"`{name}` holds documents written while a collection was being renamed that cannot be put back: their key is "
        "taken, or the validator refuses them. Write them again, and drop the collection."
        for name in aborted.late
    ]
    shape = {"aborted": True, "indexes_dropped": indexes, "late": list(aborted.late)}
    return _print_result(shape, "\n".join(lines), as_json=as_json)


def _print_result(shape: dict[str, object], sentence: str, *, as_json: bool) -> int:
    from nestling.cli.parts import text

    if as_json:
        text.print_json(shape)
    else:
        click.echo(sentence)
    return FINE


def migrate_json(done: MigrationReport) -> dict[str, object]:
    """The documented shape: phase, equal, rows, differing, repeated, changes, documents, unknown, lagging, seconds,
    refused_seconds, late.
    """
    return {
        "phase": str(done.phase),
        "equal": done.equal,
        "rows": dict(done.rows),
        "differing": [asdict(each) for each in done.differing],
        "repeated": [asdict(each) for each in done.repeated],
        "changes": done.changes,
        "documents": done.documents,
        "unknown": [each.shape() for each in done.unknown],
        "lagging": [each.shape() for each in done.lagging],
        "seconds": round(done.seconds, 3),
        "refused_seconds": None if done.refused_seconds is None else round(done.refused_seconds, 3),
        "late": list(done.late),
    }


def _gone(unknown: Sequence[FoundField]) -> list[str]:
    return [f"Left behind, not in the designs: {each.text()}." for each in unknown]


def _show_differing(done: MigrationReport) -> None:
    """Print the rows that differ, the reason if known, and what to do."""
    for row in done.differing:
        click.echo(f"  {row.text()}")
    for key in done.repeated:
        click.echo(f"{key.collection}: {key.text()}.")
    if uniques := [key for key in done.repeated if key.is_unique]:
        click.echo(
            f"Change all but one of them and run this again; or end the migration with --abort; {uniques[0].allowing()}."
        )
        return
    if done.repeated:
        click.echo(
            "The new design keeps one row per key: change or remove all but one, and run this again; or end the migration "
            "with\n--abort, and give these rows a unique key, in the model and in both designs."
        )
        return
    click.echo("Run this again, at a quieter time if there are many writes.")
    if any(row.has_texts for row in done.differing):
        click.echo(
            "If the same rows differ although nothing writes, they may spell their parent's key in a different case.\n"
            "Design again from the source: the new design will not embed or copy along such keys."
        )


def show(done: MigrationReport) -> None:
    """Print the progress, what was compared, and what comes next."""
    from nestling.cli.parts.text import counted
    from nestling.ir.migration import Phase

    if done.changes:
        click.echo(f"Carried over {counted(done.changes, 'change')} made in the meantime.")
    if done.rows:
        verdict = "equal in both designs" if done.equal else "compared: some still DIFFER"
        click.echo(f"{counted(sum(done.rows.values()), 'row')} of {counted(len(done.rows), 'entity')} {verdict}.")
    for line in _gone(done.unknown):
        click.echo(line)
    for each in done.lagging:
        click.echo(f"Lagged behind its source, from which the new design is made: {each.text()}.")
    if not done.equal:
        _show_differing(done)
    elif done.phase is Phase.DONE:
        click.echo("The new design has taken over. --drop-old drops what the old one left behind.")
    else:
        click.echo(
            "Ready. Run this again with --cutover, and have the application use the new design from then on. --abort ends the "
            "migration."
        )
    for name in done.late:
        click.echo(
            f"`{name}` holds documents written while collections were being renamed: they have the old form and are in "
            "neither design. Write them again with the new design, and drop the collection."
        )
    if done.refused_seconds is not None:
        click.echo(f"The old collections refused writes for {done.refused_seconds:.1f} s.")
    click.echo(f"It took {done.seconds:.1f} s.")
