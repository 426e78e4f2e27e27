"""Options several commands share: a MongoDB is named by an argument or by `--to`, whichever command it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from nestling.cli import group
from tests.cli.commands import nestling

NOWHERE = "ftp://library"
DESIGNS = ("--from-design", "design.yaml", "--to-design", "design.yaml")
COMMANDS = {
    "check": ("check", "design.yaml"),
    "sync": ("sync", "design.yaml", "--once"),
    "plan": ("plan", *DESIGNS),
    "migrate": ("migrate", *DESIGNS),
    "load": ("load", "design.yaml", "--from", "sqlite:///library.db"),
    "verify": ("verify", "design.yaml", "--from", "sqlite:///library.db"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_mongodb_is_named_in_either_way(name: str, library: Path) -> None:
    """By an argument or by `--to`; twice is a mistake."""
    for given in ((NOWHERE,), ("--to", NOWHERE)):
        done = nestling(*COMMANDS[name], *given, cwd=library)
        assert (done.code, "ftp://library: the URI cannot be used" in done.err) == (2, True), done.err
    twice = nestling(*COMMANDS[name], NOWHERE, "--to", NOWHERE, cwd=library)
    assert (twice.code, "given twice" in twice.err) == (2, True), twice.err


def test_what_is_unloaded_from_is_an_argument_too(library: Path) -> None:
    """There `--to` is the SQL database that is written."""
    done = nestling("unload", "design.yaml", NOWHERE, "--to", "sqlite:///copy.db", cwd=library)
    assert (done.code, "ftp://library: the URI cannot be used" in done.err) == (2, True), done.err


@pytest.mark.parametrize("name", ["plan", "migrate"])
def test_designs_are_named_by_what_they_are(name: str, library: Path) -> None:
    """Of two designs in a row nobody knows which is the old one: the error shows the form."""
    done = nestling(name, "design.yaml", "design.yaml", NOWHERE, cwd=library)
    assert done.code == 2
    assert f"nestling {name} --from-design OLD.yaml --to-design NEW.yaml mongodb://host/database" in done.err


def _options() -> Iterator[tuple[str, click.Option]]:
    """Every option of every command."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from ((name, each) for each in command.params if isinstance(each, click.Option))


@pytest.mark.parametrize("number", ["nan", "NaN", "inf", "-inf"])
def test_numbers_are_finite(number: str) -> None:
    """What is no number is in no range, whichever option it is given to."""
    found = [(name, each) for name, each in _options() if isinstance(each.type, click.FloatRange)]
    assert len(found) >= 9
    for name, option in found:
        with pytest.raises(click.BadParameter):
            option.type.convert(float(number), option, click.Context(click.Command(name)))


@pytest.mark.parametrize("value", ["nan", "NAN"])
def test_thresholds_of_the_doctor_are_numbers(value: str, tmp_path: Path) -> None:
    """Given by an option or in a config file."""
    given = nestling("doctor", "--explain", "--threshold", f"unbounded-array.documents={value}", cwd=tmp_path)
    assert (given.code, "is not RULE.NAME=NUMBER" in given.err) == (2, True), given.err
    (tmp_path / "doctor.yaml").write_text("thresholds: {unbounded-array: {documents: .nan}}", encoding="utf-8")
    read = nestling("doctor", "--explain", "--config", "doctor.yaml", cwd=tmp_path)
    assert (read.code, "must be a number" in read.err) == (2, True), read.err


def test_a_result_is_not_called_as_stdout() -> None:
    """`-` would be a file of that name: it is asked for another one, wherever a file or a folder is written."""
    found = [(name, each) for name, each in _options() if isinstance(each.type, click.Path) and not each.type.exists]
    assert {name for name, _ in found} >= {
        "design",
        "inspect",
        "capture",
        "calibrate",
        "emit",
        "doctor",
        "prove",
        "demo",
    }
    for name, option in found:
        context = click.Context(click.Command(name))
        with pytest.raises(click.BadParameter, match=r"give a (file|folder): `-` does not mean stdout"):
            option.type.convert("-", option, context)
        assert option.type.convert("./-", option, context) == Path("-")
