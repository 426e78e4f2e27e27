"""The measures of the house: how long commands take to start, what is installed, how much code there is, how many tests.

    .venv/bin/python -m benchmarks.house [--rounds N] [--without-runs]

Times are processor seconds of the whole process, its start included, the least of N rounds: what else the machine does counts
little. Trivial runs work on a database of two tables; a server's own time does not count. Sizes are those of the files that
pip installed, of nestling itself and everything it requires, without and with all extras.
"""

from __future__ import annotations

import argparse
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from nestling.cli import group
from nestling.common.server import open_server

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "benchmarks", "scripts", "docs")
TABLES = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE book (book_id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (author_id), title TEXT);
INSERT INTO author VALUES (1, 'Ada'), (2, 'Bob');
INSERT INTO book VALUES (1, 1, 'Notes'), (2, 1, 'More notes');
"""
RUNS = (
    "inspect sqlite:///shop.db -o model.yaml",
    "design model.yaml -o design.yaml",
    "explain design.yaml",
    "emit design.yaml --as mongosh",
    "convert design.yaml SELECT_NAME",
    "load design.yaml --from sqlite:///shop.db --to URI",
    "verify design.yaml --from sqlite:///shop.db --to URI",
    "unload design.yaml --from URI --to sqlite:///copy.db",
    "check design.yaml URI",
    "sync design.yaml URI --once",
    "plan --from-design design.yaml --to-design design.yaml URI",
    "capture URI",
    "doctor URI --fail-on never",
)
"""In this order: each leaves what the next ones need. Not here: demo, prove, calibrate, which measure; migrate; server."""


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--without-runs", action="store_true", help="only --help of the commands, not their trivial runs"
    )
    given = parser.parse_args()
    starts(given.rounds)
    if not given.without_runs:
        runs(given.rounds)
    sizes()
    lines()
    print(f"\n{tests()} tests")
    return 0


def starts(rounds: int) -> None:
    """Python alone, the library, and the help of every command."""
    names = group.list_commands(None)  # type: ignore[arg-type]  # click's own type; no context is needed for names
    print("| start | processor s |\n|---|---|")
    print(f"| Python alone | {_least(rounds, '-c', 'pass'):.3f} |")
    print(f"| `import nestling` | {_least(rounds, '-c', 'import nestling'):.3f} |")
    print(f"| `import nestling.pipeline` | {_least(rounds, '-c', 'import nestling.pipeline'):.3f} |")
    for name in ("", *names):
        print(
            f"| `nestling {name}{' ' if name else ''}--help` | {_least(rounds, '-m', 'nestling', *name.split(), '--help'):.3f} |"
        )


def runs(rounds: int) -> None:
    """A trivial run of the commands."""
    print("\n| trivial run | processor s |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder, open_server() as server:
        with closing(sqlite3.connect(Path(folder) / "shop.db")) as connection, connection:
            connection.executescript(TABLES)
        words = {
            "URI": server.uri.replace("/?", "/house?"),
            "SELECT_NAME": "SELECT name FROM author WHERE author_id = 1",
        }
        for run in RUNS:
            arguments = [words.get(word, word) for word in run.split()]
            again = ("--replace",) if arguments[0] == "load" else ()
            took = _least(rounds, "-m", "nestling", *arguments, *again, folder=folder)
            print(f"| `nestling {arguments[0]}` | {took:.2f} |")


def _least(rounds: int, *arguments: str, folder: str | None = None) -> float:
    found = []
    for _ in range(rounds):
        if folder is not None:
            (Path(folder) / "copy.db").unlink(missing_ok=True)
        found.append(_processor_seconds(arguments, folder))
    return min(found)


def _processor_seconds(arguments: tuple[str, ...], folder: str | None) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sizes() -> None:
    """What pip installs."""
    print("\n| installed | packages | MB |\n|---|---|---|")
    source = sum(path.stat().st_size for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc")
    print(f"| nestling itself | 1 | {source / 1e6:.1f} |")
    for name, extras in (("core", ()), ("all extras", ("all",))):
        found = _required("nestling", frozenset(extras))
        size = sum(map(_size, found.values())) + source
        print(f"| {name} | {len(found) + 1} | {size / 1e6:.0f} |")
    largest = sorted(_required("nestling", frozenset(("all",))).items(), key=lambda item: -_size(item[1]))[:8]
    print("\nLargest: " + ", ".join(f"{name} {_size(found) / 1e6:.0f} MB" for name, found in largest) + ".")


def _required(name: str, extras: frozenset[str]) -> dict[str, Distribution]:
    """Everything a distribution with these extras requires here, itself left out, by name."""
    found: dict[str, Distribution] = {}
    open_ones, seen = [(name, extras)], set()
    while open_ones:
        wanted = open_ones.pop()
        if wanted in seen:
            continue
        seen.add(wanted)
        try:
            one = distribution(wanted[0])
        except PackageNotFoundError:
            continue
        if _plain(wanted[0]) != _plain(name):
            found[_plain(wanted[0])] = one
        open_ones += [(each.name, frozenset(each.extras)) for each in _requirements(one, wanted[1])]
    return found


def _requirements(one: Distribution, extras: frozenset[str]) -> Iterator[Requirement]:
    for text in one.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _size(one: Distribution) -> int:
    """Bytes of a distribution's files, without compiled Python."""
    paths = [Path(str(file.locate())) for file in one.files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file())


def lines() -> None:
    """Files and lines of every folder, and the longest files."""
    print("\n| folder | files | lines | longest file |\n|---|---|---|---|")
    package = ROOT / "src" / "nestling"
    folders = [path for path in sorted(package.iterdir()) if path.is_dir() and path.name != "__pycache__"]
    for folder in (*folders, *(ROOT / name for name in FOLDERS)):
        counted = {path: _lines(path) for path in folder.rglob("*") if path.suffix in (".py", ".md")}
        if not counted:
            continue
        longest = max(counted, key=lambda path: counted[path])
        name = folder.relative_to(ROOT).as_posix()
        print(
            f"| {name} | {len(counted)} | {sum(counted.values()):,} | {longest.relative_to(folder)} {counted[longest]} |"
        )


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def tests() -> int:
    """How many tests there are, those of `make soak` among them."""
    command = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "", "-p", "no:cacheprovider")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.search(r"^(\d+) tests collected", done.stdout, re.MULTILINE)
    if found is None:
        sys.exit(done.stdout[-2000:])
    return int(found[1])


if __name__ == "__main__":
    sys.exit(main())
