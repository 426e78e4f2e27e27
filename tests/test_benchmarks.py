"""Benchmarks take the arguments that their docstrings and the documentation show; none is run here but the smallest."""

from __future__ import annotations

import argparse
import ast
import re
import runpy
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from benchmarks.design_scale import measure

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted(
    path.stem for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text(encoding="utf-8")
)
PAGES = (*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
VALUES = {
    "N": "1",
    "S": "1",
    "SECONDS": "1",
    "ENTITIES/RELATIONSHIPS/STATEMENTS": "100/500/1000",
    "NAME": "normalized",
    "WORKLOAD": "shop",
}
"""What stands for a word in capitals; any other stands for itself."""


class Parsed(Exception):
    """Raised in place of running what the arguments ask for."""


def docstring(program: str) -> str:
    """What `--help` prints."""
    return ast.get_docstring(ast.parse((ROOT / "benchmarks" / f"{program}.py").read_text(encoding="utf-8"))) or ""


def command_lines(program: str) -> Iterator[str]:
    """The arguments of every call that is shown: on a line of its own, or between backticks."""
    call = re.compile(
        rf"^ *\.venv/bin/python -m benchmarks\.{program}\b(.*)$|`\S*python -m benchmarks\.{program}\b([^`]*)`", re.M
    )
    for text in (docstring(program), *(page.read_text(encoding="utf-8") for page in PAGES)):
        for found in call.finditer(text):
            yield (found[1] or found[2] or "").strip()


def variants(line: str) -> Iterator[list[str]]:
    """A line as it can be typed: with all that is optional, each alternative of a `[… | …]` by itself."""
    choice = re.search(r"\[([^\]]*) \| ([^\]]*)\]", line)
    if choice:
        for each in choice.groups():
            yield from variants(line.replace(choice[0], each))
        return
    yield [VALUES.get(word, word) for word in re.sub(r"[\[\]…]", " ", line).split()]


def parsed(program: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> argparse.ArgumentParser:
    """The program's parser, after it took the arguments; it exits where it refuses them."""
    taken: list[argparse.ArgumentParser] = []
    parse = argparse.ArgumentParser.parse_args

    def parse_only(parser: argparse.ArgumentParser, *given: Any) -> None:
        parse(parser, *given)
        taken.append(parser)
        raise Parsed

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse_only)
        patch.setattr(sys, "argv", [program, *arguments])
        with pytest.raises(Parsed):
            runpy.run_path(str(ROOT / "benchmarks" / f"{program}.py"), run_name="__main__")
    return taken[0]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", PROGRAMS)
def test_takes_the_arguments_that_are_shown(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call in its docstring and in the documentation is parsed."""
    for arguments in chain.from_iterable(map(variants, dict.fromkeys(command_lines(program)))):
        parsed(program, arguments, monkeypatch)


@pytest.mark.parametrize("program", PROGRAMS)
def test_has_the_options_its_help_tells_of(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option between backticks in its docstring is one it has."""
    told = set(re.findall(r"`(--[a-z-]+)", docstring(program)))
    known = {option for action in parsed(program, [], monkeypatch)._actions for option in action.option_strings}
    assert told <= known


@pytest.mark.thorough
def test_design_scale_runs_a_size_that_is_given() -> None:
    """A size as it is parsed becomes a row of the table."""
    assert measure((4, 4, 5), seed=1, limit=10.0)[:3] == (4, 4, 5)
