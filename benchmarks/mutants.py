"""Mutation testing: small faults put into planner and optimizer one at a time, and which of them the nearest tests let live.

    .venv/bin/python -m benchmarks.mutants [--number N] [--seed N] [--only PATH-PART] [--seconds S]

A fault turns a comparison, `and`, an arithmetic operator, a number or `not` into another one, in a copy of the repository. The
tests that run are those of the folder's own subject, without the soaks; Hypothesis draws the same for every fault.
Survivors are printed with the line before and after: each is a test that is missing, or a fault that changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/nestling")
COPIED = ("src", "tests", "docs", "pyproject.toml")
NEAREST = {
    "optimizer": (
        "tests/optimizer/test_solve.py",
        "tests/optimizer/test_equal_moves.py",
        "tests/optimizer/test_weigh.py",
        "tests/optimizer/test_changes.py",
        "tests/optimizer/test_choices.py",
        "tests/optimizer/test_problem_check.py",
        "tests/optimizer/test_sensitivity.py",
        "tests/optimizer/test_properties.py",
    ),
    "planner/writes": (
        "tests/planner/writes/test_shop_writes.py",
        "tests/planner/writes/test_pattern_writes.py",
        "tests/planner/writes/test_single_commands.py",
    ),
    "planner/upkeep": (
        "tests/planner/upkeep/test_steps.py",
        "tests/planner/upkeep/test_aggregates.py",
        "tests/planner/upkeep/test_long_paths.py",
        "tests/executors/check/test_check.py",
    ),
    "planner/sql": ("tests/planner/sql",),
    "planner/reads": ("tests/planner/reads",),
    "planner/checks": ("tests/planner/checks", "tests/executors/check"),
    "planner/known": ("tests/planner/known", "tests/planner/work"),
    "planner/work": ("tests/planner/work",),
    "planner/migration": ("tests/planner/migration", "tests/executors/migrate"),
    "cost": ("tests/cost",),
}
"""Folders of the package, and the tests nearest to them."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: the file it is in, the line, that line's expression before and after, and the whole text with it."""

    path: Path
    line: int
    before: str
    after: str
    text: str


def main() -> int:
    """Print what became of each mutant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only files whose path holds this")
    parser.add_argument("--seconds", type=int, default=300, help="a run that takes longer counts as a fault found")
    given = parser.parse_args()
    choices = random.Random(given.seed)
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copied = _copy(Path(folder))
        if not all(_passes(copied, tests, 10 * given.seconds) for name, tests in NEAREST.items() if given.only in name):
            sys.exit("the tests fail without a fault")
        for number in range(given.number):
            mutant = _drawn(choices, given.only)
            end = _end(copied, mutant, given.seconds)
            ends[end] += 1
            place = mutant.path.relative_to(PACKAGE)
            print(f"{number + 1}. {end}: {place}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True)
    print(", ".join(f"{count} {end}" for end, count in ends.most_common()))
    return 0


def _copy(folder: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def _drawn(choices: random.Random, only: str) -> Mutant:
    """A fault in any of the places where one can be, each as likely."""
    paths = [
        path for name in NEAREST for path in sorted((ROOT / PACKAGE / name).rglob("*.py")) if only in path.as_posix()
    ]
    weights = [len(list(_places(ast.parse(path.read_text(encoding="utf-8"))))) for path in paths]
    (path,) = choices.choices(paths, weights)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    places = list(_places(tree))
    node = choices.choice(places)
    before = ast.unparse(node)
    _change(node)
    return Mutant(path.relative_to(ROOT), node.lineno, before, ast.unparse(node), ast.unparse(tree))


def _places(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions a fault can be put into; what `strict`, `slots` and `frozen` say changes no answer."""
    silent = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in ("strict", "slots", "frozen")
    }
    for node in ast.walk(tree):
        match node:
            case ast.expr() if node in silent:
                continue
            case ast.Compare(ops=[only]) if type(only) in _COMPARISONS:
                yield node
            case ast.BinOp() if type(node.op) in _OPERATORS and not _has_text(node):
                yield node
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                yield node
            case ast.Constant() if type(node.value) in (int, float, bool):
                yield node


def _has_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
               for side in (node.left, node.right))  # fmt: skip


def _change(node: ast.expr) -> None:
    """Put the fault in."""
    match node:
        case ast.Compare():
            node.ops = [_COMPARISONS[type(node.ops[0])]()]
        case ast.BinOp():
            node.op = _OPERATORS[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value) | float(value)):
            node.value = value + 1
        case _:
            raise TypeError(ast.dump(node))


def _end(folder: Path, mutant: Mutant, seconds: int) -> str:
    """Whether the tests find the fault."""
    tests = next(tests for name, tests in NEAREST.items() if mutant.path.is_relative_to(PACKAGE / name))
    file = folder / mutant.path
    whole = file.read_text(encoding="utf-8")
    file.write_text(mutant.text, encoding="utf-8")
    try:
        return "SURVIVED" if _passes(folder, tests, seconds) else "found"
    except subprocess.TimeoutExpired:
        return "found by its time"
    finally:
        file.write_text(whole, encoding="utf-8")


def _passes(folder: Path, tests: tuple[str, ...], seconds: int) -> bool:
    options = ("-x", "-q", "-p", "no:cacheprovider", "-m", "not soak", "-o", "pythonpath=. src")
    command = (sys.executable, "-m", "pytest", *options, *tests)
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "ci", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=seconds, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
