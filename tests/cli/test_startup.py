"""The command line itself: help, versions, and how little is imported to show them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from nestling import __version__, cli
from nestling.cli import group
from nestling.emitters import formats
from nestling.strategies import Thresholds, strategy_names
from tests.cli.commands import environment, nestling, process

HEAVY = ("bson", "pydantic", "pymongo", "rich", "sqlalchemy", "sqlglot", "sqlite3", "yaml")
COMMANDS = group.list_commands(click.Context(group))
_SHOW_IMPORTED = """
import sys
from nestling.cli import run
code = run({arguments!r})
print(*sorted(set(name.partition(".")[0] for name in sys.modules) & set({heavy!r})), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("arguments", [("--help",), ("--version",), *((name, "--help") for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    """Showing help needs no driver, no parser and no YAML reader."""
    code = _SHOW_IMPORTED.format(arguments=arguments, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60, check=False
    )
    assert done.returncode == 0
    assert done.stderr.strip() == ""


def test_help_lists_the_commands_in_the_order_people_use_them() -> None:
    """`nestling --help` names every command with one whole line, in 80 columns, beginning with what a newcomer runs first."""
    lines = nestling("--help").out.split("Commands:\n")[1].splitlines()[: len(COMMANDS)]
    names = [line.split()[0] for line in lines]
    assert set(names) == {file.stem for file in Path(cli.__file__).parent.glob("[!_]*.py")}
    assert names[:3] == ["demo", "inspect", "design"]
    assert all(line.endswith(".") and not line.endswith("..") and len(line) <= 80 for line in lines), lines


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield name, found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    """Each option of a command says in words what it does, and the command shows an example of itself."""
    command = dict(_commands())[name]
    unexplained = [o.name for o in command.params if isinstance(o, click.Option) and not o.help]
    assert unexplained == []
    assert f"nestling {name}" in (command.epilog or "")
    assert "--json" in {opt for option in command.params for opt in option.opts}


def test_help_names_what_there_is() -> None:
    """The strategies and formats that help lists are those that exist."""
    assert all(name in nestling("design", "--help").out for name in strategy_names())
    assert all(name in nestling("emit", "--help").out for name in formats())


def test_version() -> None:
    """`--version` prints the package's version."""
    assert process("--version").out == f"nestling, version {__version__}\n"


@pytest.mark.thorough
def test_without_a_command_help_is_shown() -> None:
    """`nestling` alone shows what there is, on stderr, and counts as misuse."""
    done = process()
    assert (done.code, done.out) == (2, "")
    assert "Commands:" in done.err


def test_an_unknown_command_is_misuse() -> None:
    """A command that does not exist is named, with the way to the help."""
    done = nestling("desing")
    assert done.code == 2
    assert "`desing`" in done.err
    assert "nestling --help" in done.err


@pytest.mark.parametrize("name", [item for item in Thresholds.__dataclass_fields__ if item != "few"])
def test_every_threshold_can_be_set(name: str) -> None:
    """Each threshold is accepted by its name; the source is looked at only afterwards."""
    done = nestling("design", "nowhere.yaml", "--threshold", f"{name}=1")
    assert "no such file" in done.err
