"""`nestling completion`: completion of commands, options and files in a shell, and of design files in an editor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.ir.text.schema import FileKind

SHELLS = ("bash", "zsh", "fish")
SCHEMAS: tuple[FileKind, ...] = ("model", "design")
SET_UP = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/nestling.fish"}


@click.command(
    "completion",
    short_help="Print completions for your shell, or schemas for your editor.",
    epilog="\b\nExamples:\n  nestling completion bash >> ~/.bashrc\n  nestling completion design > design.schema.json",
)
@click.argument("kind", type=click.Choice((*SHELLS, *SCHEMAS)))
@options.as_json
def command(kind: str, as_json: bool) -> None:
    """Print the lines that let a shell complete commands, options and files. Put them in the file the shell reads at startup.

    With `model` or `design`, print the JSON Schema by which editors complete and check such files as you type. Save it beside
    them, as model.schema.json or design.schema.json: their first line names it.
    """
    if kind in SCHEMAS:
        _schema(kind, as_json=as_json)
    else:
        _lines(kind, as_json=as_json)


def _schema(kind: FileKind, *, as_json: bool) -> None:
    from nestling.cli.parts import text
    from nestling.ir.text.schema import published_schema, schema_name

    schema = published_schema(kind)
    if as_json:
        text.print_json({"kind": kind, "file": schema_name(kind), "schema": json.loads(schema)})
        return
    click.echo(schema, nl=False)
    text.say(f"Save this beside your {kind} files, as {schema_name(kind)}.")


def _lines(shell: str, *, as_json: bool) -> None:
    from click.shell_completion import get_completion_class

    from nestling.cli import group
    from nestling.cli.parts import text

    kind = get_completion_class(shell)
    assert kind is not None
    maker = kind(group, {}, "nestling", "_NESTLING_COMPLETE")
    script = (maker.source_template % maker.source_vars()).strip()
    if as_json:
        text.print_json({"shell": shell, "file": SET_UP[shell], "script": script})
        return
    click.echo(script)
    text.say(f"For {shell}, put this in {SET_UP[shell]}.")
