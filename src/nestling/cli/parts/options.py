"""Options and arguments several commands share, worded once."""

from __future__ import annotations

import os
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click
from click.core import ParameterSource

from nestling.cli.parts.kept_inputs import ADDRESS
from nestling.common.environment import VARIABLE

if TYPE_CHECKING:
    from nestling.ir.values import Policy

AnyCommand = TypeVar("AnyCommand", bound=Callable[..., object])
Given = TypeVar("Given")


class FiniteRange(click.FloatRange):
    """Numbers within bounds. Click's own type accepts NaN, which is neither below nor above any bound."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Fails if it is out of bounds or not finite."""
        found = super().convert(value, param, ctx)
        if not isfinite(found):
            self.fail(f"{found} is not in the range {self._describe_range()}.", param, ctx)
        return found


class ResultPath(click.Path):
    """A place to write to. `-`, which elsewhere is stdout, would be a file of that name, which nobody asked for."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """The path; fails for `-`."""
        if value == "-":
            self.fail(f"give a {'file' if self.file_okay else 'folder'}: `-` does not mean stdout here.", param, ctx)
        return super().convert(value, param, ctx)


READABLE = click.Path(exists=True, dir_okay=False, path_type=Path)
RESULT_FILE = ResultPath(dir_okay=False, path_type=Path)
RESULT_FOLDER = ResultPath(file_okay=False, path_type=Path)
_OTHERWISE = "nestling.otherwise"
"""Key in a command's context: values given in the other of two possible ways, by parameter name."""


def as_json(command: AnyCommand) -> AnyCommand:
    """Add the option `--json` to a command."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for machines.")(command)


def no_values(command: AnyCommand) -> AnyCommand:
    """Add the option `--no-values` to a command."""
    words = "Omit values of the data (common values and quantiles)."
    return click.option("--no-values", is_flag=True, help=words)(command)


def source(command: AnyCommand) -> AnyCommand:
    """The `SOURCE` argument, and how to read it."""
    decorated = click.option(
        "--workload", type=READABLE, help="SQL statements, each below a line `-- name: …, rate: 5/s`."
    )(command)
    decorated = click.option(
        "--dialect",
        default="",
        metavar="NAME",
        help="SQL dialect of a schema.sql: sqlite, postgresql or mysql. Default: detected from the text.",
    )(decorated)
    return click.argument("source", type=ADDRESS)(decorated)


def milliseconds(command: AnyCommand) -> AnyCommand:
    """Add the option `--milliseconds` to a command."""
    return click.option(
        "--milliseconds",
        is_flag=True,
        help="Store all timestamps as dates, cut to milliseconds. Without it, a column with finer ones is stored as text.",
    )(command)


def check_milliseconds(*, milliseconds: bool) -> None:
    """Refuse `--milliseconds` for a MongoDB, whose dates have no finer unit."""
    if milliseconds:
        raise click.UsageError("--milliseconds is for SQL sources: a MongoDB's dates already have milliseconds")


def statements_dialect(command: AnyCommand) -> AnyCommand:
    """`--dialect NAME` of statements for a design."""
    return click.option(
        "--dialect",
        default="",
        metavar="NAME",
        help="SQL dialect of the statements: sqlite, postgresql or mysql. Default: that of the design's source.",
    )(command)


def cache(command: AnyCommand) -> AnyCommand:
    """`--cache SIZE`: the cache that prices assume."""
    return click.option(
        "--cache",
        "cache_bytes",
        metavar="SIZE",
        callback=_size,
        help="Your server's cache size, such as 16GB, for pricing reads from disk. Default: the profile's.",
    )(command)


def _size(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    from nestling.common.errors import InputError
    from nestling.ir.quantity_words import read_size

    try:
        return None if value is None else read_size(value)
    except InputError as error:
        raise click.BadParameter(error.problems[0].what, context, option) from None


def looking(seconds: float) -> Callable[[AnyCommand], AnyCommand]:
    """`--budget-seconds` (default: `seconds`) and `--rest`: how much time looking at a live MongoDB may take."""

    def decorated(command: AnyCommand) -> AnyCommand:
        resting = click.option(
            "--rest",
            type=FiniteRange(0, 100),
            default=4.0,
            show_default=True,
            help="While others use the MongoDB, pause after each query for this multiple of its duration.",
        )(command)
        return click.option(
            "--budget-seconds",
            type=FiniteRange(1, 86_400),
            default=seconds,
            show_default=True,
            help="How long to examine a MongoDB; whatever there was no time for is listed.",
        )(resting)

    return decorated


def check_looking() -> None:
    """Raise `UsageError` if the options of `looking` are given for a source that is not a live MongoDB."""
    context = click.get_current_context()
    for name in ("budget_seconds", "rest"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} is only for a live MongoDB: give mongodb://host/database, or leave the option out"
            )


def design_file(command: AnyCommand) -> AnyCommand:
    """Add the argument `DESIGN.YAML` to a command."""
    return click.argument("design", type=READABLE, metavar="DESIGN.YAML")(command)


def output_file(what: str) -> Callable[[AnyCommand], AnyCommand]:
    """`-o FILE`: where to write `what`."""
    return click.option(
        "-o",
        "--output",
        type=RESULT_FILE,
        metavar="FILE",
        help=f"Write {what} to this file.",
    )


def from_sql(command: AnyCommand) -> AnyCommand:
    """Add the option `--from SQL` to a command."""
    return click.option(
        "--from",
        "source",
        required=True,
        metavar="SQL",
        help="The SQL database that the rows came from: sqlite:///…, postgresql://…, mysql://…",
    )(command)


def from_source(command: AnyCommand) -> AnyCommand:
    """`--from SOURCE`, which may have no rows or be omitted."""
    return click.option(
        "--from",
        "source",
        metavar="SOURCE",
        help="The SQL database to load from: sqlite:///…, postgresql://…, mysql://… A schema.sql or a model.yaml has no rows. "
        "Default: no rows.",
    )(command)


def to_mongodb(command: AnyCommand) -> AnyCommand:
    """`--to URI`, which may be an embedded MongoDB."""
    return _to("mongodb://host/database")(command)


def to_server(command: AnyCommand) -> AnyCommand:
    """`--to URI` without a database, for commands whose databases have names of their own."""
    return _to("mongodb://host, without a database")(command)


def _to(form: str) -> Callable[[AnyCommand], AnyCommand]:
    default = f"Default: ${VARIABLE}, else an embedded MongoDB that ends with the command."
    return click.option("--to", "target", metavar="URI", callback=_either, help=f"{form}. {default}")


def loaded_mongodb(name: str) -> Callable[[AnyCommand], AnyCommand]:
    """`--to URI` or `--from URI`: a MongoDB that has been loaded already, so never an embedded one."""
    return click.option(
        name,
        "target",
        metavar="URI",
        callback=_named,
        help=f"The MongoDB that was loaded: mongodb://host/database. Default: ${VARIABLE}.",
    )


def as_argument(command: AnyCommand) -> AnyCommand:
    """Accept the `URI` of an option as an argument too, as other commands do."""
    return click.argument(
        "target_too", metavar="[URI]", required=False, is_eager=True, expose_value=False, callback=_keep
    )(command)


def _keep(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta.setdefault(_OTHERWISE, {})[str(parameter.name).removesuffix("_too")] = value


def _either(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return the value from the option or the argument. Raises `UsageError` if both are given."""
    other: str | None = context.meta.get(_OTHERWISE, {}).get(parameter.name)
    if value is not None and other is not None:
        raise click.UsageError("the MongoDB is given twice, as an argument and as an option", context)
    return other if value is None else value


def _named(context: click.Context, option: click.Parameter, value: str | None) -> str:
    found = _either(context, option, value)
    return named_mongodb(found, "" if isinstance(option, click.Argument) else f"{option.opts[0]} ", context)


def named_mongodb(uri: str | None, option: str = "", context: click.Context | None = None) -> str:
    """The URI given or the environment's, never an embedded one: a MongoDB just started would be empty."""
    found = uri or os.environ.get(VARIABLE)
    if not found:
        raise click.UsageError(f"no MongoDB given: give {option}mongodb://host/database, or set {VARIABLE}", context)
    return found


def mongodb_argument(command: AnyCommand) -> AnyCommand:
    """The `URI` argument: a MongoDB that has been loaded already. `--to URI` is accepted too, as in other commands."""
    return _mongodb(command, callback=_named)


def _mongodb(command: AnyCommand, *, nargs: int = 1, callback: Callable[..., str]) -> AnyCommand:
    decorated = click.option(
        "--to",
        "target_too",
        hidden=True,
        is_eager=True,
        expose_value=False,
        callback=_keep,
        help="Same as the argument URI.",
    )(command)
    return click.argument("target", metavar="[URI]", required=False, is_eager=True, nargs=nargs, callback=callback)(
        decorated
    )


def two_designs(command: AnyCommand, *, but_to: str = "") -> AnyCommand:
    """`--from-design` and `--to-design`, and the `URI` argument of a MongoDB loaded by one of them.

    `but_to`: the option that makes both optional; otherwise `need` asks for them.
    """
    decorated = _mongodb(command, nargs=-1, callback=_alone)
    for option, name, words in (
        ("--to-design", "new", "The design it is to have."),
        ("--from-design", "old", "The design the database has."),
    ):
        decorated = click.option(
            option,
            name,
            type=READABLE,
            required=not but_to,
            metavar="DESIGN.YAML",
            help=f"{words} Required except with {but_to}." if but_to else words,
        )(decorated)
    return decorated


def renamed(command: AnyCommand) -> AnyCommand:
    """`--renamed`: a mapping of old names to new ones."""
    return click.option(
        "--renamed",
        multiple=True,
        metavar="OLD=NEW",
        callback=_names,
        help=(
            "A name that differs in the new model: `customer.phone=telephone`, or `customer=client`; may be given several "
            "times."
        ),
    )(command)


def filled(command: AnyCommand) -> AnyCommand:
    """`--fill`: a mapping of new attributes to values."""
    return click.option(
        "--fill",
        "filled",
        multiple=True,
        metavar="COLUMN=VALUE",
        callback=_names,
        help=(
            "The value of a new column in existing rows, in place of its default: `customer.tier=gold`; may be given several "
            "times."
        ),
    )(command)


def _names(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found = dict[str, str]()
    for value in values:
        old, _, new = value.partition("=")
        if not old or not new or old in found:
            raise click.BadParameter(f"{value!r}: give each name once, as {option.metavar}", context, option)
        found[old] = new
    return found


def need(given: Given | None, option: str) -> Given:
    """The value of an option that must be given after all."""
    if given is None:
        raise click.MissingParameter(param_hint=f"'{option}'", param_type="option")
    return given


def _alone(context: click.Context, argument: click.Parameter, values: tuple[str, ...]) -> str:
    """Return the URI. Raises `UsageError` for more arguments: designs are given by option, as it matters which is which."""
    if len(values) > 1:
        form = f"nestling {context.info_name} --from-design OLD.yaml --to-design NEW.yaml mongodb://host/database"
        raise click.UsageError(f"give one MongoDB as the argument, and each design by its option: {form}", context)
    return _named(context, argument, next(iter(values), None))


def long_decimals(command: AnyCommand) -> AnyCommand:
    """Add the option `--long-decimals` to a command."""
    return click.option(
        "--long-decimals",
        type=click.Choice(["error", "text"]),
        default="error",
        show_default=True,
        help="Numbers of more than 34 digits: stop, or store them as text.",
    )(command)


def microseconds(command: AnyCommand) -> AnyCommand:
    """Add the option `--microseconds` to a command."""
    return click.option(
        "--microseconds",
        type=click.Choice(["error", "text"]),
        default="error",
        show_default=True,
        help="Timestamps with microseconds where the design stores dates: stop, or store them as text.",
    )(command)


def policy(long_decimals: str, microseconds: str = "error") -> Policy:
    """The policy that `--long-decimals` and `--microseconds` ask for."""
    from nestling.ir.values import Policy

    decimals: Literal["error", "text"] = "text" if long_decimals == "text" else "error"
    moments: Literal["error", "text"] = "text" if microseconds == "text" else "error"
    return Policy(long_decimals=decimals, microseconds=moments)
