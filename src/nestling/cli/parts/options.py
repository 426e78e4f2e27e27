"""Options and arguments several commands share, worded once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

if TYPE_CHECKING:
    from nestling.ir.values import Policy

Command = TypeVar("Command", bound=Callable[..., object])

READABLE = click.Path(exists=True, dir_okay=False, path_type=Path)
VARIABLE = "NESTLING_MONGODB_URI"


def as_json(command: Command) -> Command:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for machines.")(command)


def source(command: Command) -> Command:
    """The `SOURCE` argument, and how to read it."""
    decorated = click.option(
        "--workload", type=READABLE, help="SQL statements, each under a line `-- name: …, rate: 5/s`."
    )(command)
    decorated = click.option(
        "--dialect",
        default="",
        metavar="NAME",
        help="What a schema.sql is written in: sqlite, postgresql or mysql. Default: found out from the text.",
    )(decorated)
    return click.argument("source")(decorated)


def design_file(command: Command) -> Command:
    """The `DESIGN.YAML` argument."""
    return click.argument("design", type=READABLE, metavar="DESIGN.YAML")(command)


def output_file(what: str) -> Callable[[Command], Command]:
    """`-o FILE`: where to write `what`."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"Write {what} to this file.",
    )


def from_sql(command: Command) -> Command:
    """`--from SQL`."""
    return click.option(
        "--from",
        "source",
        required=True,
        metavar="SQL",
        help="The SQL database whose rows they are: sqlite:///…, postgresql://…, mysql://…",
    )(command)


def to_mongodb(command: Command) -> Command:
    """`--to URI`, which may be an embedded MongoDB."""
    return click.option(
        "--to",
        "target",
        metavar="URI",
        help=f"mongodb://host/database. Default: ${VARIABLE}, else an embedded MongoDB that ends with the command.",
    )(command)


def loaded_mongodb(name: str) -> Callable[[Command], Command]:
    """`--to URI` or `--from URI`: a MongoDB that has been loaded already, so never an embedded one."""
    return click.option(
        name,
        "target",
        metavar="URI",
        callback=_named,
        help=f"The MongoDB that was loaded: mongodb://host/database. Default: ${VARIABLE}.",
    )


def _named(context: click.Context, option: click.Parameter, value: str | None) -> str:
    return named_mongodb(value, "" if isinstance(option, click.Argument) else f"{option.opts[0]} ", context)


def named_mongodb(uri: str | None, option: str = "", context: click.Context | None = None) -> str:
    """The URI given or the environment's, never an embedded one: a MongoDB just started would be empty."""
    found = uri or os.environ.get(VARIABLE)
    if not found:
        raise click.UsageError(f"no MongoDB is named: give {option}mongodb://host/database, or set {VARIABLE}", context)
    return found


def mongodb_argument(command: Command) -> Command:
    """The `URI` argument: a MongoDB that has been loaded already."""
    return click.argument("target", metavar="[URI]", required=False, callback=_named)(command)


def two_designs(command: Command) -> Command:
    """`--from-design` and `--to-design`."""
    decorated = click.option(
        "--to-design", "new", type=READABLE, required=True, metavar="DESIGN.YAML", help="The design it is to have."
    )(command)
    return click.option(
        "--from-design", "old", type=READABLE, required=True, metavar="DESIGN.YAML", help="The design the database has."
    )(decorated)


def long_decimals(command: Command) -> Command:
    """`--long-decimals`."""
    return click.option(
        "--long-decimals",
        type=click.Choice(["error", "text"]),
        default="error",
        show_default=True,
        help="Numbers of more than 34 digits: stop, or store them as text.",
    )(command)


def policy(long_decimals: str) -> Policy:
    """What `--long-decimals` asks for."""
    from nestling.ir.values import Policy

    chosen: Literal["error", "text"] = "text" if long_decimals == "text" else "error"
    return Policy(long_decimals=chosen)
