"""Everything people get wrong: each ends with exit code 2, what is wrong and where, what to do, and no traceback."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url

from nestling.ir.facts import Facts, ServerFacts
from nestling.ir.facts.form import facts_text
from tests.cli.commands import PROGRAM, environment, nestling, process
from tests.cli.conftest import write_library

SHOP = "sqlite:///shop.db"
SOON = "serverSelectionTimeoutMS=100"
NOBODY = f"mongodb://127.0.0.1:1/x?{SOON}"

MISTAKES = {
    "missing database": (("inspect", "sqlite:///nowhere.db"), ("nowhere.db", "no such file")),
    "missing database by path": (("inspect", "nowhere.db"), ("nowhere.db", "no such file")),
    "missing file": (("inspect", "nowhere.yaml"), ("nowhere.yaml: no such file", "model.yaml")),
    "nothing": (("inspect", ""), ("no source is named", "model.yaml")),
    "not a database": (("inspect", "sqlite:///workload.sql"), ("not a SQLite database",)),
    "not a kind of source": (("inspect", "workload.txt"), ("workload.txt", "sqlite:///file.db")),
    "no database named": (("inspect", "sqlite://"), ("names no database", "sqlite:///shop.db")),
    "not a scheme": (("inspect", "oracle://h/x"), ("postgresql://",)),
    "no tables": (("inspect", "workload.sql"), ("no table is declared", "CREATE TABLE")),
    "unknown dialect": (("inspect", "schema.sql", "--dialect", "oracle"), ("`oracle`", "`postgresql`")),
    "workload missing": (("design", SHOP, "--workload", "w.sql"), ("'w.sql' does not exist", "design --help")),
    "workload that is none": (("inspect", SHOP, "--workload", "design.yaml"), ("design.yaml",)),
    "a database for a workload": (("design", SHOP, "--workload", "shop.db"), ("shop.db: this is not a text file",)),
    "unknown strategy": (("design", SHOP, "--strategy", "best"), ("`best`", "`normalized`", "`tree`")),
    "unknown threshold": (("design", SHOP, "--threshold", "fw=3"), ("no threshold `fw`; there is `few`",)),
    "threshold without number": (("design", SHOP, "--threshold", "few=x"), ("`few=x`", "few=30")),
    "endless threshold": (("design", SHOP, "--threshold", "few=inf"), ("`few=inf` is not a number",)),
    "negative threshold": (("design", SHOP, "--threshold", "few=-1"), ("`few` is negative",)),
    "unknown format": (("emit", "design.yaml", "--as", "pdf"), ("`pdf`", "`mongosh`")),
    "unknown relationship": (("explain", "design.yaml", "x"), ("`x`", "`product_review`")),
    "model for a design": (("explain", "model.yaml"), ("holds a model", "nestling design model.yaml -o design.yaml")),
    "a database for a design": (("emit", "shop.db", "--as", "mongosh"), ("shop.db", "SQLite database", "-o design.yaml")),
    "SQL for a design": (("explain", "schema.sql"), ("schema.sql: this is SQL", "nestling design schema.sql -o design.yaml")),
    "a folder": (("inspect", "."), ("this is a directory", "sqlite:///file.db")),
    "no SQL": (("convert", "design.yaml", "SELEC 1 FROM x"), ("1:1: the statement", "did you mean SELECT?")),
    "half a statement": (("convert", "design.yaml", "SELECT 1 FROM x WHERE"), ("something is missing near `WHERE`",)),
    "an open quote": (("convert", "design.yaml", "SELECT 'x"), ("a quote or a comment is not closed",)),
    "no table": (("convert", "design.yaml", "SELECT 1 FROM"), ("the name of a table is missing near `FROM`",)),
    "values of no file": (("convert", "design.yaml", "SELECT 1 FROM product", "--bind"), ("--bind needs --file", "leave it out")),
    "nothing instead": (("load", "design.yaml", "--replace"), ("--replace drops existing data", "--from")),
    "rows of nothing": (("load", "design.yaml", "--from", "sqlite:///no.db"), ("no.db", "no such file")),
    "unreachable": (("load", "design.yaml", "--from", SHOP, "--to", NOBODY), ("127.0.0.1:1", "cannot reach", "check")),
    "verify unreachable": (("verify", "design.yaml", "--from", SHOP, "--to", NOBODY), ("cannot reach",)),
    "unload unreachable": (("unload", "design.yaml", "--from", NOBODY, "--to", "sqlite:///c.db"), ("cannot reach",)),
    "a SQL database as MongoDB": (("load", "design.yaml", "--from", SHOP, "--to", SHOP), ("mongodb://",)),
    "not a port": (("load", "design.yaml", "--from", SHOP, "--to", "mongodb://h:x/"), ("the URI cannot be used",)),
    "output below a file": (("design", SHOP, "-o", "shop.db/d.yaml"), ("shop.db/d.yaml", "is not a folder", "-o")),
    "output is a folder": (("design", SHOP, "-o", "."), ("is a directory",)),
    "files below a file": (("emit", "design.yaml", "--as", "mongosh", "-o", "shop.db"), ("shop.db", "is a file")),
    "an option of another command": (("inspect", SHOP, "--to", "x"), ("No such option", "inspect --help")),
    "an argument too many": (("inspect", SHOP, SHOP), ("unexpected extra argument", "inspect --help")),
    "an argument too few": (("verify", "design.yaml", "--to", NOBODY), ("--from", "verify --help")),
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake(shop: Path, mistake: str) -> None:
    """What is said names the place and the way out, and stdout stays empty."""
    arguments, expected = MISTAKES[mistake]
    done = nestling(*arguments, cwd=shop)
    assert (done.code, done.out) == (2, "")
    assert [words for words in expected if words not in done.err] == [], done.err
    assert done.err.startswith("Error: ")


BY_A_DRIVER = (
    ("inspect", "postgresql://ada:s3cret@127.0.0.1:1/x"),
    ("inspect", "mysql://ada:s3cret@127.0.0.1:1/x"),
    ("load", "design.yaml", "--from", SHOP, "--to", f"mongodb://ada:s3cret@127.0.0.1:1/x?{SOON}"),
)
"""Refused while connecting: a driver might log the address, which is seen where nothing else has set up logging."""
ADDRESSES = (
    ("inspect", "oracle://ada:s3cret@127.0.0.1/x"),
    ("inspect", "postgresql://ada:s3cret@127.0.0.1:port/x"),
    ("load", "design.yaml", "--from", SHOP, "--to", "mongodb://ada:s3cret"),
    ("unload", "design.yaml", "--from", f"mongodb://ada:s3cret@127.0.0.1:1/x?{SOON}", "--to", "sqlite:///c.db"),
    ("inspect", "sqlite:///x", "mongodb://ada:s3cret@127.0.0.1/x"),
    ("explain", "mongodb://ada:s3cret@127.0.0.1/x"),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("arguments", [*BY_A_DRIVER, *ADDRESSES], ids=str)
def test_passwords_are_never_shown(shop: Path, arguments: tuple[str, ...]) -> None:
    """Whatever is wrong with an address, the password in it stays out of the message."""
    done = (process if arguments in BY_A_DRIVER else nestling)(*arguments, cwd=shop)
    assert done.code == 2
    assert "s3cret" not in done.err + done.out
    assert "127.0.0.1" in done.err or "ada" in done.err


@pytest.mark.thorough
def test_a_wrong_password(postgresql: str, mariadb: str) -> None:
    """Servers that refuse a password are named without it."""
    for url in (postgresql, mariadb):
        wrong = make_url(url).set(password="s3cret-and-wrong").render_as_string(hide_password=False)
        done = nestling("inspect", wrong)
        if done.code == 0:
            continue  # a server that trusts its own machine asks for no password
        assert done.code == 2
        assert "s3cret" not in done.err


BEFORE_LOOKING = {
    "a strategy": (("design", NOBODY, "--strategy", "best"), "no strategy `best`"),
    "a budget": (("design", NOBODY, "--strategy", "tree", "--budget", "storage=1GB"), "budgets need --strategy optimal"),
    "a cache": (("design", NOBODY, "--strategy", "tree", "--cache", "1GB"), "--cache needs --strategy optimal"),
    "a time limit": (("design", NOBODY, "--strategy", "embedded", "--time-limit", "60"), "--time-limit needs"),
    "a profile": (("design", NOBODY, "--strategy", "normalized", "--profile", "rate.sql"), "--profile needs"),
    "a workload": (("design", NOBODY, "--workload", "bad.sql"), "bad.sql:1"),
    "a workload to inspect": (("inspect", NOBODY, "--workload", "bad.sql"), "bad.sql:1"),
    "a rate": (("design", NOBODY, "--workload", "rate.sql"), "rate.sql:1"),
    "a rival": (("prove", NOBODY, "--design", "bad.sql"), "bad.sql"),
    "a capture": (("doctor", NOBODY, "--captured", "bad.sql"), "bad.sql"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", BEFORE_LOOKING)
def test_what_is_given_is_looked_at_before_the_source(tmp_path: Path, mistake: str) -> None:
    """A mistake in an argument or a file is told before a source is asked, which may take minutes: here nobody answers."""
    (tmp_path / "bad.sql").write_text("garbage select")
    (tmp_path / "rate.sql").write_text("-- name: a, rate: fast\nSELECT 1;")
    arguments, expected = BEFORE_LOOKING[mistake]
    done = nestling(*arguments, cwd=tmp_path)
    assert done.code == 2
    assert expected in done.err
    assert "127.0.0.1" not in done.err


def test_broken_yaml(tmp_path: Path) -> None:
    """Line and column of what is no YAML."""
    (tmp_path / "m.yaml").write_text("nestling: model\nmodel: {entities: [\n")
    done = nestling("inspect", "m.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "m.yaml:3" in done.err


def test_every_mistake_of_a_file_at_once(shop: Path, tmp_path: Path) -> None:
    """Unknown keys and names are all reported together, each with its line and what is known."""
    text = (shop / "model.yaml").read_text(encoding="utf-8")
    wrong = text.replace("  relationships:", "  relationshps:", 1).replace(
        "    product:\n      key:", "    product:\n      kee:", 1
    )
    assert wrong.count("kee:") == 1
    (tmp_path / "m.yaml").write_text(wrong, encoding="utf-8")
    done = nestling("design", "m.yaml", cwd=tmp_path)
    assert done.code == 2
    lines = [number for number, line in enumerate(wrong.splitlines(), 1) if "relationshps" in line or "kee:" in line]
    assert all(f"m.yaml:{line}:" in done.err for line in lines), done.err
    assert "`relationships`" in done.err
    assert "`key`" in done.err


def test_a_design_of_another_database(shop: Path, library: Path, target: str) -> None:
    """Loading rows of a database that lacks the design's tables names a table, and writes nothing."""
    done = nestling("load", shop / "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=library)
    assert (done.code, done.out) == (2, "")
    assert "address" in done.err


def test_a_table_that_lost_a_column(library: Path, target: str) -> None:
    """A column the design knows and the database does not is named."""
    with closing(sqlite3.connect(library / "library.db")) as connection, connection:
        connection.execute("ALTER TABLE author DROP COLUMN born")
    done = nestling("load", "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=library)
    assert done.code == 2
    assert "born" in done.err


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(0o755)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_right_to_write(shop: Path, tmp_path: Path) -> None:
    """A folder one may not write into is named before any work is done."""
    with _read_only(tmp_path):
        done = nestling("design", SHOP, "-o", tmp_path / "design.yaml", cwd=shop)
    assert done.code == 2
    assert "no permission to write" in done.err


def test_a_place_where_nobody_can_write(shop: Path) -> None:
    """A kernel folder refuses even root: what could not be written is named, and why."""
    done = nestling("design", "model.yaml", "--strategy", "tree", "-o", "/proc/nestling/design.yaml", cwd=shop)
    assert done.code == 2
    assert "/proc/nestling/design.yaml: cannot be written" in done.err


def test_a_report_that_cannot_be_written_is_told_before_the_work(shop: Path) -> None:
    """Not after a measurement of minutes."""
    done = nestling("prove", "model.yaml", "--html", "/proc/report.html", "--to", "mongodb://127.0.0.1:1", cwd=shop)
    assert done.code == 2
    assert "/proc/report.html: cannot be written: no files can be created in /proc" in done.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        ("inspect model.yaml --json", ""),  # more than a buffer holds
        ("inspect model.yaml", ""),  # lines of a table, flushed one by one
        ("emit design.yaml --as mongosh", "1"),
        ("--help", ""),
    ],
)
def test_a_full_disk(shop: Path, arguments: str, unbuffered: str) -> None:
    """Output that cannot be written is an error in words, not silence."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments.split()],
            cwd=shop,
            env=environment(PYTHONUNBUFFERED=unbuffered),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.endswith("Error: the output cannot be written: No space left on device\n")
    assert "Traceback" not in done.stderr
    assert "unexpected error" not in done.stderr


def test_a_table_of_nothing(tmp_path: Path, target: str) -> None:
    """A database without rows is no mistake: it is loaded, and equal."""
    write_library(tmp_path / "library.db")
    with closing(sqlite3.connect(tmp_path / "library.db")) as connection, connection:
        connection.execute("DELETE FROM book")
        connection.execute("DELETE FROM author")
    nestling("design", "sqlite:///library.db", "-o", "design.yaml", cwd=tmp_path)
    done = nestling("load", "design.yaml", "--from", "sqlite:///library.db", "--to", target, "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.json["verified"] is True


def test_a_database_without_tables(tmp_path: Path) -> None:
    """A database with nothing in it is said to hold nothing."""
    sqlite3.connect(tmp_path / "empty.db").execute("VACUUM")
    done = nestling("inspect", "sqlite:///empty.db", cwd=tmp_path)
    assert done.code in (0, 2)
    assert "table" in done.err or "entity" in done.out


WRITTEN_OVER = {
    "a model": ("design", "model.yaml", "-o", "./model.yaml"),
    "a schema": ("inspect", "schema.sql", "-o", "schema.sql"),
    "a database": ("inspect", "sqlite:///shop.db", "-o", "shop.db"),
    "a database without its scheme": ("design", "shop.db", "-o", "shop.db"),
    "a workload": ("design", "model.yaml", "--workload", "workload.sql", "-o", "workload.sql"),
    "a link": ("design", "model.yaml", "-o", "link.yaml"),
    "a rival": ("prove", "model.yaml", "--design", "design.yaml", "--html", "design.yaml"),
    "a log": ("capture", "design.yaml", "--save", "design.yaml"),
    "a schema described": ("emit", "schema.md", "--as", "markdown", "-o", "."),
    "what is synced": ("sync", "design.yaml", "mongodb://127.0.0.1:1/x", "--status-file", "design.yaml"),
    "what is checked": ("check", "design.yaml", "mongodb://127.0.0.1:1/x", "--resume", "design.yaml"),
    "what is diagnosed": ("doctor", "--facts", "model.yaml", "--html", "model.yaml"),
    "two results": ("inspect", "mongodb://127.0.0.1:1/x", "-o", "new.yaml", "--design-out", "./new.yaml"),
}


@pytest.mark.parametrize("of", WRITTEN_OVER)
def test_what_is_read_is_not_written_over(of: str, shop: Path, tmp_path: Path) -> None:
    """A result that would take the place of what it is made of, or of another result, is refused before the work."""
    copied = {name: (shop / name).read_bytes() for name in ("model.yaml", "design.yaml", "schema.sql", "workload.sql")}
    copied |= {"schema.md": copied["design.yaml"], "shop.db": (shop / "shop.db").read_bytes()}
    for name, content in copied.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link.yaml").symlink_to("model.yaml")
    done = nestling(*WRITTEN_OVER[of], cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    said = "two results cannot be written to one file" if of == "two results" else "would overwrite it"
    assert said in done.err
    assert {name: (tmp_path / name).read_bytes() for name in copied} == copied
    assert not (tmp_path / "new.yaml").exists()


def test_facts_take_the_place_of_earlier_facts(tmp_path: Path) -> None:
    """What is read and what is written are then the same kind of thing."""
    (tmp_path / "facts.json").write_text(
        facts_text(Facts("2026-01-31T12:00:00+00:00", ServerFacts("8.0"), ())), encoding="utf-8"
    )
    done = nestling("doctor", "--facts", "facts.json", "--since", "facts.json", "--save", "facts.json", cwd=tmp_path)
    assert (done.code, "Wrote facts.json" in done.err) == (0, True), done.err
