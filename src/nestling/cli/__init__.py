"""The command line: one file per command in this folder, found by walking the folder and imported only when called.

Exit codes: 0 fine; 1 differences, findings, or parts of the request left out; 2 could not run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from nestling import __version__
from nestling.common.collector import leave_all, seldom_collected
from nestling.common.folders import member, module_names
from nestling.common.stopping import end_as_by_ctrl_c

FINE, DIFFERENT, COULD_NOT_RUN = 0, 1, 2

_ORDER = (
    "demo",
    "inspect",
    "design",
    "explain",
    "emit",
    "convert",
    "load",
    "verify",
    "unload",
    "prove",
    "check",
    "sync",
    "plan",
    "migrate",
    "capture",
    "doctor",
    "server",
)


class Commands(click.Group):
    """A group whose commands are the modules of this package. `--help` for one command does not import the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Command names in the order people use them, others after them by name."""
        names = module_names(__path__)
        return sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; its module defines `command`."""
        if cmd_name not in self.list_commands(ctx):
            return None
        found = member(__name__, cmd_name).command
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown name the error suggests the nearest ones."""
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from nestling.common.errors import unknown

            problem = unknown("command", args[0], self.list_commands(ctx))
            raise click.UsageError(problem.text(), ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `nestling demo`. Exit codes: 0 fine; 1 differences, findings, or a table or statement left out (each "
    "command's help says which); 2 could not run.",
)
@click.version_option(__version__, prog_name="nestling")
def group() -> None:
    """Embed or reference? Design a MongoDB schema from your data and workload, load it, and prove that nothing was lost.

    A SOURCE is a database (sqlite:///shop.db, postgresql://…, mysql://…, or a live mongodb://…), a schema.sql, or a model.yaml.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit. Memory is left to the operating system: no garbage collection runs at the end."""
    end_as_by_ctrl_c()
    with seldom_collected():
        code = run(arguments)
    leave_all()
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. Any failure is reported as a message on stderr, never as a traceback."""
    from nestling.cli.parts.streams import OutputLost, code_without_output, flush, write_any_text

    write_any_text()
    try:
        code = _code(arguments)
        flush()
    except OutputLost as lost:
        return code_without_output(lost)
    return code


def _code(arguments: Sequence[str] | None) -> int:
    from nestling.cli.parts.streams import OutputLost

    try:
        code = group.main(arguments, prog_name="nestling", standalone_mode=False)
        return code if isinstance(code, int) else FINE
    except OutputLost:
        raise
    except BaseException as error:  # the outermost frame: Ctrl-C, too, ends in a sentence
        from nestling.cli.parts.failures import say_failure

        return say_failure(error)
