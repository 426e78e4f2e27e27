"""What a terminal, a pipe, a narrow window and a reader that goes away see."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import struct
import subprocess
import termios
import time
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.cli.parts.table import LONGEST_CELL, cell_text, table
from nestling.cli.parts.text import counted, hanging
from nestling.ir.quantity_words import cell
from tests.cli.commands import PROGRAM, environment, nestling, process
from tests.cli.conftest import write_library
from tests.soaking import crossed

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(*arguments: object, cwd: Path, columns: int = 80, rows: int = 5_000, **changed: str) -> str:
    """What a command writes on a terminal of that size, colours and all."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    running = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        cwd=cwd,
        env=environment(**{"TERM": "xterm-256color", **changed}),
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    shown = _everything(master)
    assert running.wait(timeout=60) == 0, shown
    return shown


def _everything(terminal: int) -> str:
    """All that is written until the other side is closed."""
    pieces = []
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(terminal)
    return b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of 15,000 rows and its design."""
    folder = tmp_path_factory.mktemp("many")
    write_library(folder / "library.db", more_books=15_000)
    done = nestling("design", "sqlite:///library.db", "--strategy", "normalized", "-o", "design.yaml", cwd=folder)
    assert done.code == 0, done.err
    return folder


@pytest.mark.thorough
def test_progress_is_shown_to_people_only(many_rows: Path, target: str) -> None:
    """On a terminal a line tells rows, rate and time left; in a pipe there is nothing of it where the work is short."""
    arguments = ("load", "design.yaml", "--from", "sqlite:///library.db", "--to", target, "--replace")
    shown = ESCAPE.sub("", on_terminal(*arguments, cwd=many_rows))
    assert re.search(r"loading rows \(book\) .*[\d,]+ of 15,006 rows +[\d,]+/s +\d+:\d\d", shown)
    assert re.search(r"verifying rows \(book\) .* of 15,006 rows", shown)
    piped = process(*arguments, cwd=many_rows)
    assert "loading" not in piped.err + piped.out
    assert "\x1b" not in piped.err + piped.out
    as_json = process(*arguments, "--json", cwd=many_rows)
    assert as_json.json["verified"] is True


@pytest.mark.thorough
@pytest.mark.parametrize(("collections", "counted_"), [(12, "of 12 collections"), (1, "of 1 collection ")])
def test_progress_says_what_is_counted(
    database: Database[dict[str, Any]], target: str, tmp_path: Path, collections: int, counted_: str
) -> None:
    """A live database is looked at by collections, which are no rows."""
    for name in "abcdefghijkl"[:collections]:
        database[name].insert_many({"a": n} for n in range(9))
    shown = ESCAPE.sub("", on_terminal("doctor", target, cwd=tmp_path))
    line = next(each for each in re.split(r"[\r\n]+", shown) if "looking at" in each)
    assert counted_ in line
    assert not re.search(r"of [\d,]+ rows|rows/s", line)


@pytest.mark.thorough
def test_colour_only_where_it_is_wanted(shop: Path) -> None:
    """A terminal gets colours; NO_COLOR, a dumb terminal and a pipe get none."""
    asked = ("inspect", "model.yaml")
    assert "\x1b[" in on_terminal(*asked, cwd=shop)
    assert not _colours(on_terminal(*asked, cwd=shop, NO_COLOR="1"))
    assert not _colours(on_terminal(*asked, cwd=shop, TERM="dumb"))
    assert "\x1b" not in process(*asked, cwd=shop).out


def _colours(shown: str) -> list[str]:
    return [code for code in re.findall(r"\x1b\[([\d;]*)m", shown) if re.search(r"\b(3\d|4\d|9\d)\b", code)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "columns"),
    crossed(
        [("inspect", "model.yaml"), ("design", "model.yaml"), ("explain", "design.yaml"), ("--help",)], [120, 60, 80]
    ),
)
def test_every_line_fits_the_terminal(shop: Path, arguments: tuple[str, ...], columns: int) -> None:
    """No line is longer than the window is wide, and a narrow window is used to its end."""
    shown = ESCAPE.sub("", on_terminal(*arguments, cwd=shop, columns=columns))
    assert [line for line in shown.splitlines() if len(line) > columns] == []
    if columns < 100:
        assert max(map(len, shown.splitlines())) > columns * 0.8, "the width there is should be used"


@pytest.mark.thorough
def test_long_explanations_go_through_the_pager(shop: Path) -> None:
    """On a short terminal the pager is asked; its choice is the user's."""
    shown = on_terminal("explain", "design.yaml", cwd=shop, rows=20, PAGER="sed s/^/paged:/")
    assert shown.count("paged:") > 20
    assert "paged:" not in on_terminal("explain", "design.yaml", cwd=shop, rows=500, PAGER="sed s/^/paged:/")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "arguments",
    [
        "inspect model.yaml --json",
        "inspect model.yaml",
        "design model.yaml --strategy tree",
        "explain design.yaml",
        "emit design.yaml --as mongosh",
        "design --help",
    ],
)
def test_a_reader_that_goes_away(shop: Path, arguments: str) -> None:
    """`| head -1` is answered with silence, not with a traceback or a complaint of the interpreter."""
    command = f"{shlex.join(PROGRAM)} {arguments} 2>err.txt | head -c 1"
    env = environment(PYTHONUNBUFFERED="1")
    folder = shop / "piped"
    folder.mkdir(exist_ok=True)
    for name in ("model.yaml", "design.yaml"):
        (folder / name).write_bytes((shop / name).read_bytes())
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    said = (folder / "err.txt").read_text(encoding="utf-8")
    assert len(done.stdout) == 1
    assert "Broken" not in said
    assert "Traceback" not in said
    assert "Exception ignored" not in said


@pytest.mark.thorough
@pytest.mark.parametrize("arguments", ["inspect model.yaml", "explain design.yaml", "emit --help"])
def test_a_reader_that_has_gone_has_found_nothing(shop: Path, arguments: str) -> None:
    """The exit code is that of a program which a closed pipe has ended, whoever writes: a table, a text, the help."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        done = subprocess.run(
            [*PROGRAM, *arguments.split()],
            cwd=shop,
            env=environment(),
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, [line for line in done.stderr.splitlines() if "rror" in line]) == (141, [])


@pytest.mark.thorough
def test_without_any_output(shop: Path) -> None:
    """With stdout and stderr closed a command still does its work."""
    command = f"{shlex.join(PROGRAM)} design model.yaml --strategy tree -o {shop}/closed.yaml >&- 2>&-"
    done = subprocess.run(["bash", "-c", command], cwd=shop, env=environment(), timeout=60, check=False)
    assert done.returncode == 0
    assert (shop / "closed.yaml").stat().st_size > 1000


@pytest.mark.thorough
def test_an_encoding_without_our_characters(shop: Path) -> None:
    """On an ASCII terminal tables and errors lose their arrows, not their words; JSON stays JSON."""
    done = process("design", "nowhere.yaml", cwd=shop, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.err.startswith("Error: nowhere.yaml: no such file")
    done = process("inspect", "model.yaml", cwd=shop, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.code == 0
    assert "page_view" in done.out
    assert process("explain", "design.yaml", "--json", cwd=shop, PYTHONIOENCODING="ascii").json["strategy"] == "optimal"


@pytest.mark.thorough
def test_written_through_a_link_and_into_a_device(shop: Path, tmp_path: Path) -> None:
    """`-o` follows a symbolic link, and takes /dev/stdout for what it is."""
    (tmp_path / "real.yaml").write_text("old")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")
    design = ("design", "model.yaml", "--strategy", "tree", "-o")
    assert nestling(*design, tmp_path / "link.yaml", cwd=shop).code == 0
    assert (tmp_path / "link.yaml").is_symlink()
    written = (tmp_path / "real.yaml").read_text()
    assert "strategy: tree" in written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.yaml", "real.yaml"]
    done = process(*design, "/dev/stdout", "--json", cwd=shop)
    assert done.out.startswith(written[:200])


def test_a_hanging_line() -> None:
    """A line in columns is continued under its last column, a plain one a little further in."""
    assert (
        hanging("  rule-1    favour embedding always", 24)
        == "  rule-1    favour\n            embedding\n            always"
    )
    assert hanging("note: one two three", 12) == "note: one\n  two three"
    assert hanging("", 10) == ""


def test_notes_are_as_wide_as_the_tables(tmp_path: Path) -> None:
    """COLUMNS holds for all that is said, in a pipe too: notes are broken and continued further in; at most 100 for sentences."""
    write_library(tmp_path / "library.db")
    for columns in (60, 300):
        done = nestling("design", "sqlite:///library.db", "-o", "tree.yaml", cwd=tmp_path, COLUMNS=str(columns))
        lines = done.err.splitlines()
        assert max(map(len, lines)) <= min(columns, 100)
        at = next(
            place
            for place, line in enumerate(lines)
            if line.startswith("note: no statement of a workload is about the model")
        )
        assert lines[at + 1].startswith("  ")


@pytest.mark.parametrize(("columns", "most"), [("0", 100), ("1", 20), ("19", 20), ("-5", 100), ("many", 100)])
def test_widths_nobody_has(tmp_path: Path, columns: str, most: int) -> None:
    """None, as programs without a terminal say, is the width of a pipe; the narrowest is one where words still stand."""
    write_library(tmp_path / "library.db")
    commands = (
        ("inspect", "sqlite:///library.db", "-o", "library.yaml"),
        ("design", "sqlite:///library.db", "-o", "tree.yaml"),
        ("explain", "tree.yaml", "--all"),
    )
    for command in commands:
        done = nestling(*command, cwd=tmp_path, COLUMNS=columns)
        assert done.code == 0
        assert max(len(line) for line in done.out.splitlines() if " " in line.strip()) <= max(most, 45)


def test_numbers_and_counts() -> None:
    """Thousands are separated, fractions short, and nouns agree with their number."""
    assert [cell(value) for value in (1234567, 2.5, None, True, "x")] == ["1,234,567", "2.50", "", "True", "x"]
    assert [counted(1, "row"), counted(2000, "row"), counted(2, "entity")] == ["1 row", "2,000 rows", "2 entities"]


def test_a_cell_is_one_line() -> None:
    """Line breaks and control characters become escapes; what is endless is cut behind a word, and says where all of it is."""
    assert cell_text("a\nb\x1b[1m") == r"a\nb\x1b[1m"
    assert cell_text("x" * 1000) == f"{'x' * LONGEST_CELL} … (--json has all of it)"
    words = "some words, " * 100
    shown, _, more = cell_text(words).partition(" …")
    assert words.startswith(f"{shown}, ")
    assert LONGEST_CELL - 12 < len(shown) <= LONGEST_CELL
    assert more == " (--json has all of it)"
    assert cell_text("some words, " * 20) == "some words, " * 20


def test_a_table_too_wide_for_a_narrow_terminal_becomes_blocks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No name is broken: each row is told under its first cell; a table that fits stays one."""
    monkeypatch.setenv("COLUMNS", "40")
    table("Decisions", ("relationship", "choice", ""), [("customer_loyalty_card", "parent-reference", "pays")])
    assert capsys.readouterr().out == "Decisions\ncustomer_loyalty_card\n  choice: parent-reference\n  pays\n"
    table("", ("entity", "rows"), [("a", 1)], right=(1,))
    assert capsys.readouterr().out.splitlines()[0] == "entity   rows"


@pytest.mark.parametrize("columns", [60, 80])
def test_a_table_that_would_be_longer_than_blocks_becomes_blocks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    """In a pipe as on a terminal: a column that has to give way is not told one word a line."""
    monkeypatch.setenv("COLUMNS", str(columns))
    places = ", ".join(f"rentals.{name}" for name in ("events", "leases", "logs", "odd", "payments", "users", "visits"))
    row = ("info", "no-validator", places, "100 to 400 documents (threshold 0 documents: nestling)")
    table("Findings", ("severity", "rule", "where", "measured"), [row])
    assert "  measured: 100 to 400 documents (threshold 0 documents:" in capsys.readouterr().out


@pytest.mark.parametrize("columns", range(30, 140, 5))
def test_no_word_of_a_table_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    """However wide the terminal is: the columns that have most to say give way, and where words do not fit there are blocks."""
    monkeypatch.setenv("COLUMNS", str(columns))
    row = (
        "warning",
        "case-insensitive-regex",
        "shop.customers: email",
        "40 statements (threshold 0 statements: nestling)",
    )
    table(
        "Findings", ("severity", "rule", "where", "measured"), [row, ("info", "no-validator", "shop.a", "1 document")]
    )
    shown = capsys.readouterr().out
    assert all(len(line) <= columns for line in shown.splitlines())
    assert all(word in shown.split() for cell in row for word in cell.split())
    assert ("rule:" in shown) is (columns < 65)


def test_a_command_that_is_none_brings_the_nearest_to_mind() -> None:
    """A slip of the finger is answered with the commands there are, the likeliest first."""
    ran = nestling("desing")
    assert ran.code == 2
    assert "no command `desing`; there is `design`" in ran.err
