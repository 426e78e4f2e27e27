"""`nestling inspect`: read a source's model, statistics and workload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.ir.reading import Reading


@click.command(
    "inspect",
    short_help="Read a SOURCE: entities, relationships, counts, fan-out.",
    epilog="\b\nExample:\n  nestling inspect sqlite:///shop.db --workload workload.sql -o model.yaml",
)
@options.source
@options.milliseconds
@options.output_file("the model, a YAML file to edit,")
@click.option(
    "--design-out",
    "design_file",
    type=options.RESULT_FILE,
    metavar="FILE",
    help="For a MongoDB: write its current schema, as a design, to this file.",
)
@options.looking(120.0)
@options.no_values
@options.as_json
def command(
    source: str,
    workload: Path | None,
    dialect: str,
    milliseconds: bool,
    output: Path | None,
    design_file: Path | None,
    budget_seconds: float,
    rest: float,
    no_values: bool,
    as_json: bool,
) -> int:
    """Read a SOURCE: its entities and relationships, and measurements of them.

    With -o the model, its statistics and the workload become a file to edit. Writes nothing to the source. In a MongoDB
    (mongodb://host/database) sub-documents and arrays become entities too, references are found by names and values, and
    --design-out writes how everything is currently stored.

    The file holds values of the data: the most common ones of each column, and quantiles of the rest, by which ranges are
    priced. It omits values of columns that are named like secrets, hold long texts or are unique; --no-values omits all values.

    Exits 1 when a table could not be read and is not in the model. Anything else not understood is listed as a gap.
    """
    from dataclasses import replace

    from nestling.cli.parts import sources, text
    from nestling.cli.parts.progress import progress
    from nestling.ir.reading import lost_tables
    from nestling.ir.statistics import without_values
    from nestling.ir.text import write_proposal, write_reading
    from nestling.pipeline import is_mongodb

    text.check_place(output)
    text.check_place(design_file)
    if design_file is not None and not is_mongodb(source):
        raise click.UsageError("--design-out needs a live MongoDB: nestling inspect mongodb://host/database")
    sources.check_source(source, milliseconds=milliseconds)
    with progress(enabled=not as_json, noun="collection") as watch:
        reading, found = sources.read_source(
            source, workload, dialect, milliseconds=milliseconds, seconds=budget_seconds, rest=rest, watch=watch
        )
    if no_values:
        reading = replace(reading, statistics=without_values(reading.statistics))
    if design_file is not None and found is not None:
        text.write_result(design_file, write_proposal(found.in_place))
        text.say(f"Wrote {design_file}")
    if output is not None:
        text.write_result(output, write_reading(reading))
        text.say(f"Wrote {output}")
    code = DIFFERENT if lost_tables(reading.gaps) else FINE
    if as_json:
        from nestling.emitters.design_summary import reading_json

        text.print_json(reading_json(reading))
        return code
    show(reading)
    text.notices(reading.gaps, reading.notes)
    if not reading.model.entities:
        text.say(f"{sources.nothing_to_design(source).capitalize()}.")
        return code
    # What is in a live MongoDB is designed beside what is there: a file of it tells no prices of today.
    from_file = None if is_mongodb(source) else output
    given = f" --workload {text.argument(workload)}" if workload is not None and from_file is None else ""
    text.say_next(f"nestling design {text.argument(from_file or source)}{given} -o design.yaml")
    return code


def show(reading: Reading) -> None:
    """Entities, relationships and statements as tables."""
    from nestling.cli.parts.table import table
    from nestling.common.redaction import redact
    from nestling.ir.words.reading_rows import entity_rows, relationship_rows, statement_rows

    title = redact(f"{reading.model.name} ({reading.origin})" if reading.origin else reading.model.name)
    columns: tuple[str, ...] = ("entity", "rows", "bytes/row", "key", "attributes")
    table(title, columns, entity_rows(reading), right=(1, 2, 4))
    if reading.model.relationships:
        click.echo()
        columns = ("relationship", "kind", "mean", "p95", "max", "without parent")
        table("Children per parent", columns, relationship_rows(reading), right=(2, 3, 4, 5))
    if reading.workload.statements:
        click.echo()
        table("Workload", ("statement", "rate", "kind", "entities"), statement_rows(reading), right=(1,))
