"""`nestling plan`: what a migration would do, before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.ir.migration import MigrationPlan, Phase

FEW_CHANGES = 1_000
"""Below this many changes per second the plan says how many can be applied."""


@click.command(
    "plan",
    short_help="Show what `migrate` would do, how long it takes, and its risks.",
    epilog="\b\nExample:\n  nestling plan --from-design old.yaml --to-design new.yaml mongodb://localhost/shop",
)
@options.two_designs
@options.renamed
@options.filled
@options.as_json
def command(old: Path, new: Path, target: str, renamed: dict[str, str], filled: dict[str, str], as_json: bool) -> int:
    """Compare two designs in words, and measure on the live database what migrating between them takes. Writes nothing.

    Exits 1 when `migrate` would refuse to run.
    """
    from nestling.cli.parts import text
    from nestling.pipeline import opened, plan_migration, read_proposal

    designs = read_proposal(old), read_proposal(new)
    with opened(target, designs[0].design.model.name) as (server, database):
        text.say(f"Using {server.text()}, database {database.name}")
        made = plan_migration(*designs, database, renamed=renamed, filled=filled)
    if as_json:
        text.print_json(plan_json(made))
    else:
        show(made)
    return DIFFERENT if made.refused else FINE


def plan_json(made: MigrationPlan) -> dict[str, object]:
    """The documented shape: phase, collections, left, untouched, changes, indexes, risks, refused, unknown, rows, seconds,
    changes_per_second, refused_seconds.
    """
    return {
        "phase": None if made.phase is None else str(made.phase),
        "collections": [
            {
                "collection": each.collection,
                "staged": each.staged,
                "way": str(each.way),
                "entities": list(each.of),
                "documents": each.documents,
                "bytes": each.size_bytes,
            }
            for each in made.moves
        ],
        "left": list(made.left),
        "untouched": list(made.untouched),
        "changes": list(made.changes),
        "indexes": {"built": list(made.indexes_built), "not_needed": list(made.indexes_dropped)},
        "risks": list(made.risks),
        "refused": list(made.refused),
        "unknown": [each.shape() for each in made.unknown],
        "rows": dict(made.rows),
        "seconds": None if made.seconds is None else round(made.seconds, 1),
        "changes_per_second": None if made.changes_per_second is None else round(made.changes_per_second),
        "refused_seconds": None if made.refused_seconds is None else round(made.refused_seconds, 1),
    }


def _under_way(phase: Phase) -> str:
    """Say how far this migration is, and what comes next."""
    from nestling.ir.migration import Phase

    ends = "`migrate --abort` ends it"
    match phase:
        case Phase.BACKFILL:
            return f"This migration has begun, and its collections are being built: `migrate` continues; {ends}."
        case Phase.FOLLOWING:
            return f"This migration has built everything: `migrate` carries over what has changed since, and compares; {ends}."
        case Phase.READY:
            return f"This migration was ready when `migrate` last ran: `migrate --cutover` completes it; {ends}."
        case Phase.FENCED | Phase.SWITCHING:
            return (
                "The cutover of this migration is under way, and all writes to the old collections are refused, even to "
                f"those that stay: `migrate --cutover` continues; {ends}."
            )
        case Phase.DONE:
            return "The new design has taken over: `migrate --drop-old` drops what the old one left behind."
        case _:
            assert_never(phase)


def show(made: MigrationPlan) -> None:
    """Print what changes, what becomes of each collection, how long it may take, and what could go wrong."""
    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import counted
    from nestling.ir.migration import CollectionOrigin

    if made.phase is not None:
        click.echo(f"{_under_way(made.phase)}\n")
    has_other_indexes = bool(made.indexes_built or made.indexes_dropped)
    same = (
        "only indexes: both designs store the same documents"
        if has_other_indexes
        else "nothing: both designs store the same documents"
    )
    _list("What changes", made.changes or (same,))
    rows = (
        (each.collection, each.way, ", ".join(each.of), each.documents, _megabytes(each.size_bytes))
        for each in made.moves
    )
    table("Collections", ("collection", "how", "holds", "documents", "MB, without copies"), rows, right=(3, 4))
    click.echo()
    if made.left:
        click.echo(f"Kept aside until --drop-old: {', '.join(made.left)}.\n")
    if made.untouched:
        click.echo(f"Not touched, in neither design: {', '.join(made.untouched)}.\n")
    _list("Indexes to build", made.indexes_built)
    _list("Indexes dropped at the cutover", made.indexes_dropped)
    _list("Risks", made.risks)
    if made.refused:
        click.echo(f"{_refused(made)}\n")
    if made.seconds is not None:
        total = counted(sum(made.rows.values()), "row")
        seconds = max(made.seconds, 1.0)
        click.echo(f"{total}; building and comparing may take about {seconds:,.0f} s, give or take a factor of three.")
    if made.changes_per_second is not None and made.changes_per_second < FEW_CHANGES:
        click.echo(
            f"While applications write, about {made.changes_per_second:,.0f} changes a second to documents of "
            f"`{made.slowest}` can be carried over, give or take a factor of three, because each change makes `migrate` "
            "read or compute a whole document again. If applications write faster than that, it catches up only when they "
            "slow down."
        )
    if made.refused_seconds is not None and any(each.way is not CollectionOrigin.KEPT for each in made.moves):
        seconds = max(made.refused_seconds, 1.0)
        click.echo(
            "At the cutover the old collections refuse writes while the last changes are carried over and all rows that "
            f"move are compared: about {seconds:,.0f} s, longer under a heavy write load."
        )


def _refused(made: MigrationPlan) -> str:
    """That `migrate` would not do it, and with which options it would."""
    from nestling.common.errors import name_list

    missing = name_list((loss.flag for loss in made.lost), " ")
    if not missing:
        return "`migrate` would REFUSE this: see the risks."
    if len(made.refused) == len(made.lost):
        return f"`migrate` would REFUSE this without {missing}: the risks say what would be lost."
    return f"`migrate` would REFUSE this: see the risks. Besides, it needs {missing}, if what they name may be lost."


def _megabytes(size_bytes: int | None) -> str | None:
    return None if size_bytes is None else f"{size_bytes / 1e6:,.1f}"


def _list(title: str, lines: tuple[str, ...]) -> None:
    if lines:
        click.echo("\n".join([f"{title}:", *(f"  {line}" for line in lines)]) + "\n")
