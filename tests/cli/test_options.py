"""Options several commands share: a MongoDB is named by an argument or by `--to`, whichever command it is."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert (twice.code, "named twice" in twice.err) == (2, True), twice.err


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
