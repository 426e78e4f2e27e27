"""`docs/commands.md`: every command, as its own help has it."""

from __future__ import annotations

import inspect

import click

from nestling.cli import group
from scripts.pages._markdown import code, table

HEAD = """# Commands

{about}

A `SOURCE` is a database (`sqlite:///shop.db`, `postgresql://…`, `mysql://…`, or the path of a `.db` or `.sqlite` file), a
`schema.sql`, or a `model.yaml`. A MongoDB is a URI that ends with the database: `mongodb://host/shop`. Without a database in
it, the design's name is used; where a command works on a loaded one, `URI` and `--to URI` say the same. Addresses may be those
of Django (`postgis://`), Rails (`mysql2://`) and JDBC (`jdbc:postgresql://…?user=…`). TLS is `?sslmode=verify-full` and the rest
of libpq's for PostgreSQL, and for MySQL `?ssl_mode=VERIFY_CA&ssl_ca=…`, as its own programs have it; a parameter that nobody
would heed is refused.

Results go to stdout, everything else to stderr. **Exit codes:** 0 fine; 1 differences, findings, or something that was asked
about and is left out: a table of the source, a statement of the workload; 2 could not run, or the output cannot be written; 141
whoever read the output has gone (`| head`), as of programs that a closed pipe ends. Other gaps and notes leave the code as it
is; where a command exits 1, it says so below. Every command takes `-h` and `--help`, and `--json` ([the shapes](json.md)).
Long work shows its progress while a terminal watches, and writes a line to stderr every half minute where none does. Passwords
are never shown.

| variable | does |
|---|---|
| `NESTLING_MONGODB_URI` | the MongoDB to use where none is named |
| `NESTLING_DEBUG` | set to 1: an unexpected error ends with its traceback |
| `NO_COLOR` | set to anything: no colours; bold text stays, and so does the line of progress, which `--json` leaves out |
| `PAGER` | what long explanations are shown with |
"""


def page() -> str:
    """The page's text."""
    context = click.Context(group, info_name="nestling")
    parts = [HEAD.format(about=_paragraphs(group.help or "")[0])]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        parts.append(_command(command, click.Context(command, info_name=name, parent=context)))
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    paragraphs = "\n\n".join(_paragraphs(command.help or ""))
    example = (command.epilog or "").partition("Example:\n")[2].strip()
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    rows = [_option(option, context) for option in options if "--help" not in option.opts and not option.hidden]
    parts = [f"## {command.name}", paragraphs, f"```\nnestling {command.name} {usage}\n```"]
    parts += [f"Example: `{example}`"] if example else []
    return "\n\n".join([*parts, table(("option", "does"), rows)])


def _option(option: click.Option, context: click.Context) -> tuple[str, str]:
    record = option.get_help_record(context)
    assert record is not None
    names, words = record
    return code(names), " ".join(words.split())


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n")]
