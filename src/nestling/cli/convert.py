"""`nestling convert`: SQL into MongoDB queries for a design."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options, text

if TYPE_CHECKING:
    from nestling.emitters.python_code import CodeStatement, CompiledCode
    from nestling.ir.proposal import Proposal

_COMMENT = re.compile(r"--\s")


class _OfSql(click.Command):
    """A command whose argument may begin with an SQL comment (`--`), which is not an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f"\n{each}" if _COMMENT.match(each) else each for each in args])


@click.command(
    "convert",
    cls=_OfSql,
    short_help="Convert SQL statements to MongoDB's.",
    epilog='\b\nExample:\n  nestling convert design.yaml "SELECT name FROM product WHERE product_id = 7"',
)
@options.design_file
@click.argument("sql", required=False)
@click.option(
    "--file",
    "--workload",
    "file",
    type=options.READABLE,
    metavar="FILE",
    help="Convert every statement of this workload file instead.",
)
@click.option("--bind", "bound", is_flag=True, help="With --file: insert the values of its `-- params: {…}` lines.")
@options.statements_dialect
@click.option(
    "--as",
    "form",
    type=click.Choice(["mongosh", "python", "json"]),
    help="What to print; mongosh unless given. json is one line per statement.",
)
@click.option(
    "--join",
    "join",
    type=click.Choice(["server", "client"]),
    default="server",
    show_default=True,
    help="Where to join: on the server with $lookup, or in the client with a second query for the ids found.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document per statement, each on a line: --as json.")
def command(
    design: Path,
    sql: str | None,
    file: Path | None,
    bound: bool,
    dialect: str,
    form: str | None,
    join: str,
    as_json: bool,
) -> int:
    """Convert SQL statements to MongoDB's for a design: queries, commands, and programs where one command is not enough.

    --as python prints a module of functions that needs only pymongo. Exits 1 when a statement is not
    converted, or has no function.
    """
    from nestling import pipeline

    if (sql is None) == (file is None):
        raise click.UsageError("give one statement, or a workload file with --file (or --workload)")
    if bound and file is None:
        raise click.UsageError(
            "--bind needs --file, whose `-- params: {…}` lines hold the values: leave it out, or write the values into the SQL"
        )
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json prints JSON and --as {form} something else: choose one")
    proposal, is_client = pipeline.read_proposal(design), join == "client"
    if sql is not None:
        _refuse_file(sql)
        _refuse_name(proposal, sql)
        convert = pipeline.convert_join if is_client else pipeline.convert
        found = iter((convert(proposal, sql, dialect=dialect),))
    else:
        assert file is not None
        found = pipeline.convert_all(proposal, file, dialect, bound=bound, client_joins=is_client)
    return _print_python(tuple(found)) if form == "python" else _print(found, as_json or form == "json")


def _refuse_file(sql: str) -> None:
    """The name of a file is no SQL."""
    with suppress(OSError, ValueError):  # a text that no file can be called
        if Path(sql).is_file():
            raise click.UsageError(f"`{sql}` is a file, not SQL: convert its statements with --file {sql}")


def _refuse_name(proposal: Proposal, sql: str) -> None:
    """The name of a statement is no SQL, and a design does not hold the statement's text."""
    from nestling.emitters.explanation.scope import known_statements

    if sql in known_statements(proposal):
        raise click.UsageError(
            f"`{sql}` is a statement's name, not SQL: give its SQL, or convert the whole workload with --file WORKLOAD"
        )


def _print(statements: Iterable[CodeStatement], as_json: bool) -> int:
    from nestling.emitters.mql.shell_names import legend
    from nestling.ir.programs.compiled import NotCompiled

    gaps = 0
    defined: set[str] = set()
    for each in statements:
        gaps += isinstance(each, NotCompiled)
        if as_json:
            text.print_json(_as_json(each), indent=None)
        elif isinstance(each, NotCompiled):
            click.echo(f"// {each.name + ': ' if each.name else ''}not converted: {each.gap}")
        else:
            script = _for_shell(each, defined)
            comments = [*filter(None, (each.name,)), *legend(each)]
            click.echo("".join(f"// {line}\n" for line in comments) + script)
            _say_notes(each)
    return DIFFERENT if gaps else FINE


def _print_python(statements: tuple[CodeStatement, ...]) -> int:
    from nestling.emitters.python_code import lacking, module
    from nestling.ir.programs.compiled import NotCompiled

    click.echo(module(statements), nl=False)
    for each in statements:
        if not isinstance(each, NotCompiled):
            _say_notes(each)
    return DIFFERENT if lacking(statements) else FINE


def _say_notes(statement: CompiledCode) -> None:
    for note in statement.notes:
        text.say(f"note: {statement.name + ': ' if statement.name else ''}{note}")


def _as_json(statement: CodeStatement) -> dict[str, object]:
    from nestling.emitters.mql.client_join import join_json
    from nestling.emitters.mql.script import read_json
    from nestling.emitters.mql.write_json import write_json
    from nestling.ir.programs.client_join import ClientJoin
    from nestling.ir.programs.compiled import CompiledRead, NotCompiled

    if isinstance(statement, NotCompiled):
        return asdict(statement)
    if isinstance(statement, ClientJoin):
        return join_json(statement)
    return read_json(statement) if isinstance(statement, CompiledRead) else write_json(statement)


def _for_shell(statement: CompiledCode, defined: set[str]) -> str:
    """The statement for mongosh. Functions that scripts share are defined once."""
    from nestling.emitters.mql.client_join import join_shell
    from nestling.emitters.mql.script import read_shell
    from nestling.emitters.mql.write_shell import write_shell
    from nestling.ir.programs.client_join import ClientJoin
    from nestling.ir.programs.compiled import CompiledRead

    if isinstance(statement, ClientJoin):
        return join_shell(statement)
    return read_shell(statement) if isinstance(statement, CompiledRead) else write_shell(statement, defined)
