"""`nestling emit`: a design as scripts, schemas, code, diagrams and descriptions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options


@click.command(
    "emit",
    short_help="Print scripts, validators, code or diagrams of a design.",
    epilog="\b\nExample:\n  nestling emit design.yaml --as mongosh -o scripts",
)
@options.design_file
@click.option(
    "--as", "as_name", required=True, metavar="FORMAT", help="mongosh, jsonschema, python, mermaid or markdown."
)
@click.option(
    "-o",
    "--output",
    type=options.RESULT_FOLDER,
    metavar="DIR",
    help="Write the files into this folder.",
)
@click.option(
    "--workload",
    type=options.READABLE,
    metavar="FILE",
    help="With --as python: also write a function for each statement of this workload file.",
)
@options.statements_dialect
@options.as_json
def command(design: Path, as_name: str, output: Path | None, workload: Path | None, dialect: str, as_json: bool) -> int:
    """Print or write scripts, validators, code or diagrams of a design.

    mongosh and python create its collections, validators and indexes; jsonschema is only the validators; mermaid draws it;
    markdown describes it, with a sample document of each collection. Several schemas are printed as one JSON object keyed by
    file name, several modules under comments with their names. Exits 1 when statements have no function, and names them.
    """
    from nestling.cli.parts import text
    from nestling.emitters import emit
    from nestling.pipeline import queries_module, read_proposal

    if workload is not None and as_name != "python":
        raise click.UsageError("--workload needs --as python")
    proposal = read_proposal(design)
    files, gaps = dict(emit(proposal, as_name)), tuple[tuple[str, str], ...]()
    if workload is not None:
        files["queries.py"], gaps = queries_module(proposal, workload, dialect)
    if output is not None:
        for name in files:
            text.check_place(output / name)
        for name, content in files.items():
            text.write_text(output / name, content)
            text.say(f"Wrote {output / name}")
    if as_json:
        text.print_json(
            {"format": as_name, "files": files, "gaps": [{"statement": name, "what": why} for name, why in gaps]}
        )
    elif output is None:
        _print(files)
    return _say_gaps(gaps)


def _print(files: Mapping[str, str]) -> None:
    """Print the files: JSON as one object by file name, so that it stays JSON; others one after another, under comments."""
    from nestling.cli.parts import text

    if len(files) > 1 and all(name.endswith(".json") for name in files):
        text.print_json({name: json.loads(content) for name, content in files.items()})
        return
    for name, content in files.items():
        if len(files) > 1:
            click.echo(f"# --- {name}")
        click.echo(content, nl=not content.endswith("\n"))


def _say_gaps(gaps: tuple[tuple[str, str], ...]) -> int:
    """The statements without a function; the exit code."""
    from nestling.cli.parts import text

    for name, why in gaps:
        text.say(f"gap: {name}: {why}" if name else f"gap: {why}")
    if gaps:
        text.say(f"queries.py has no function for {text.counted(len(gaps), 'statement')}")
    return DIFFERENT if gaps else FINE
