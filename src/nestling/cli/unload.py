"""`nestling unload`: the conceptual data, rebuilt from its homes."""

from __future__ import annotations

from pathlib import Path

import click

from nestling.cli.parts import options


@click.command(
    "unload",
    short_help="Rebuild the rows from MongoDB into a SQL database.",
    epilog="\b\nExample:\n  nestling unload design.yaml --from mongodb://localhost/shop --to sqlite:///copy.db",
)
@options.design_file
@options.loaded_mongodb("--from")
@options.as_argument
@click.option(
    "--to",
    "copy",
    required=True,
    metavar="SQL",
    help="The SQL database to write: sqlite:///copy.db, postgresql://…, mysql://… Existing tables must be empty.",
)
@options.as_json
def command(design: Path, target: str, copy: str, as_json: bool) -> None:
    """Rebuild the rows from a MongoDB of this design and write them to a SQL database, all or nothing.

    Missing tables are created. Existing tables are filled as they are: none is dropped or changed, and their triggers run. If
    triggers add or remove rows, nothing is kept; `nestling verify` shows what they change within rows.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.cli.parts.table import table
    from nestling.pipeline import opened, read_proposal, unload

    proposal = read_proposal(design)
    with opened(target, proposal.design.model.name) as (server, database):
        text.say(f"Using {server.text()}, database {database.name}")
        with progress(enabled=not as_json) as watch:
            report = unload(proposal, copy, database, watch=watch)
    if as_json:
        notes = list(report.notes)
        text.print_json({"entities": dict(report.entities), "seconds": round(report.seconds, 3), "notes": notes})
        return
    table("", ("entity", "rows"), report.entities.items(), right=(1,))
    click.echo()
    rows = text.counted(sum(report.entities.values()), "row")
    click.echo(f"Unloaded {rows} of {text.counted(len(report.entities), 'entity')} in {report.seconds:.1f} s.")
    text.all_notes(report.notes)
