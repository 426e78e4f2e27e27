"""`nestling convert`: SQL into MongoDB queries for a design."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.ir.compiled import CompiledRead
    from nestling.ir.proposal import Proposal


@click.command(
    "convert",
    short_help="Turn SELECT statements into MongoDB queries.",
    epilog='\b\nExample:\n  nestling convert design.yaml "SELECT name FROM product WHERE product_id = 7"',
)
@options.design_file
@click.argument("sql", required=False)
@click.option(
    "--file",
    "file",
    type=options.READABLE,
    metavar="FILE",
    help="A workload file instead: every statement of it.",
)
@click.option("--bind", "bound", is_flag=True, help="With --file: put in the values of its `-- params: {…}` lines.")
@click.option("--dialect", default="sqlite", show_default=True, metavar="NAME", help="sqlite, postgresql or mysql.")
@options.as_json
def command(design: Path, sql: str | None, file: Path | None, bound: bool, dialect: str, as_json: bool) -> int:
    """Turn SELECT statements into MongoDB queries for a design."""
    from nestling.emitters.mql.script import read_json, read_shell
    from nestling.pipeline import convert, read_proposal

    if (sql is None) == (file is None):
        raise click.UsageError("give one SELECT, or --file with a workload")
    proposal, gaps = read_proposal(design), 0
    if sql is not None:
        reads = iter((convert(proposal, sql, dialect=dialect),))
    else:
        assert file is not None
        reads = _statements(proposal, file, dialect, bound=bound)
    for read in reads:
        gaps += read.gap is not None
        if as_json:
            click.echo(json.dumps(read_json(read), ensure_ascii=False, default=str))
        elif read.gap is not None:
            click.echo(f"// {read.name + ': ' if read.name else ''}not converted: {read.gap}")
        else:
            click.echo((f"// {read.name}\n" if read.name else "") + read_shell(read))
    return 1 if gaps else 0


def _statements(proposal: Proposal, file: Path, dialect: str, *, bound: bool) -> Iterator[CompiledRead]:
    """Every statement compiled; a mistake in one is its gap, and never stops the rest."""
    from nestling.common.errors import WorkloadError
    from nestling.ir.compiled import CompiledRead
    from nestling.ir.reading import Gap, GapKind
    from nestling.pipeline import convert, statements_of

    workload, gaps = statements_of(proposal, file, dialect)
    for statement in workload.statements:
        values = dict(statement.samples) if bound else None
        try:
            yield convert(proposal, statement.sql, name=statement.name, dialect=dialect, values=values)
        except WorkloadError as error:
            problem = error.problems[0]
            yield CompiledRead(statement.name, statement.sql, gap=Gap(GapKind.NOTIMPL, problem.what, problem.where))
    known = {statement.name for statement in workload.statements}
    for gap in gaps:
        if not any(name in gap.where for name in known):
            yield CompiledRead("", "", gap=gap)
