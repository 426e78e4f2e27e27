"""`nestling demo`: the whole chain, as the first command anybody runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.cli.demo import FILES
from nestling.cli.parts.own_files import NOTE
from nestling.common.server import Server
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_file
from nestling.shop import workload
from nestling.strategies import strategy_names
from tests.cli.commands import Ran, nestling, process


def test_the_whole_chain(mongod: Server, tmp_path: Path) -> None:
    """It inspects, designs, loads and verifies, shows a document, and keeps files that the other commands read."""
    folder = tmp_path / "made" / "demo"
    done = process("demo", "-o", folder, "--to", mongod.uri, "--no-prove")
    assert done.code == 0, done.err
    for said in (
        "1. Inspect",
        "2. Design",
        "3. Create, load, verify",
        "Verified: 25,315 rows of 10 entities",
        "4. Look",
        "5. Ask",
        "6. Keep right",
        "stay behind, as no sync is running: run `nestling sync design.yaml mongodb://…`",
        "NOT clean: 1 difference",
        "Repaired: 1 difference",
    ):
        assert said in done.out
    assert done.out.count("  equal  yes, ") == 3
    assert {path.name for path in folder.iterdir()} == {*FILES, NOTE} - {"report.html"}
    assert isinstance(read_file(folder / "design.yaml"), Proposal)
    suggested = next(line for line in done.out.splitlines() if line.startswith("Ask why:")).split(":", 1)[1].split()
    assert nestling(*suggested[1:]).code == 0


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", strategy_names())
def test_each_strategy(mongod: Server, strategy: str) -> None:
    """Every other strategy ends verified, too, also when the demo ran there before."""
    done = nestling("demo", "--strategy", strategy, "--to", mongod.uri, "--no-prove", "--json")
    assert done.code == 0, done.err
    assert done.json["verified"] is True
    assert set(done.json) == {"entities", "seconds", "peak_bytes", "verified", "left_out", "statements", "mended"}
    assert set(done.json["statements"].values()) == {True}


@pytest.mark.thorough
def test_nothing_is_left_behind(mongod: Server, tmp_path: Path) -> None:
    """Without `-o` the shop and its files are gone afterwards."""
    arguments = ("--strategy", "tree", "--to", mongod.uri, "--no-prove")
    done = process("demo", *arguments, cwd=tmp_path, TMPDIR=str(tmp_path))
    assert done.code == 0, done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_somebody_elses_database_is_not_replaced(mongod: Server, target: str) -> None:
    """Only the demo's own database is replaced: in one that is named, data is refused."""
    arguments = ("demo", "--strategy", "tree", "--to", target, "--no-prove", "--json")
    assert nestling(*arguments).code == 0
    done = nestling(*arguments)
    assert done.code == 2
    assert "already hold documents" in done.err


@pytest.mark.soak
def test_it_ends_in_a_report_and_a_verdict(target: str, tmp_path: Path) -> None:
    """Rivals are measured beside the demo's database, wherever that is; the report and one line are the last things said."""
    done = process("demo", "-o", tmp_path, "--to", target)
    assert done.code == 0, done.err
    assert "7. Prove" in done.out
    report, verdict = done.out.splitlines()[-2:]
    assert report == f"Report:          {tmp_path / 'report.html'}"
    assert verdict.startswith("The chosen design answers ")
    assert (tmp_path / "report.html").is_file()


def _demo(folder: Path, target: str, *options: str) -> Ran:
    return nestling(
        "demo", "-o", ".", "--strategy", "tree", "--no-prove", "--json", "--to", target, *options, cwd=folder
    )


def test_what_was_changed_is_not_lost(mongod: Server, tmp_path: Path) -> None:
    """A demo's folder takes a second demo, until somebody changes a file: then it stays, unless `--replace` is said."""
    assert _demo(tmp_path, mongod.uri).code == 0
    assert _demo(tmp_path, mongod.uri).code == 0
    design = (tmp_path / "design.yaml").read_text(encoding="utf-8")
    (tmp_path / "design.yaml").write_text(design + "# mine\n", encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop, shop:
        shop.execute("DELETE FROM page_view")
    (tmp_path / "schema.md").unlink()
    done = _demo(tmp_path, mongod.uri)
    assert done.code == 2
    assert "files would be overwritten: `shop.db`, `design.yaml` were changed since the last run" in done.err
    assert "--replace" in done.err
    assert (tmp_path / "design.yaml").read_text(encoding="utf-8").endswith("# mine\n")
    done = _demo(tmp_path, mongod.uri, "--replace")
    assert done.code == 0, done.err
    assert (tmp_path / "design.yaml").read_text(encoding="utf-8") == design


def test_files_of_somebody_else_are_left_alone(target: str, tmp_path: Path) -> None:
    """A file of such a name that no demo left stays, also beside the demo's own statements, and the demo says so."""
    (tmp_path / "design.yaml").write_text("mine")
    (tmp_path / "workload.sql").write_text(workload())
    done = _demo(tmp_path, target)
    assert done.code == 2
    assert "`workload.sql`, `design.yaml` were not written by this command" in done.err
    assert {each.name for each in tmp_path.iterdir()} == {"design.yaml", "workload.sql"}


def test_replace_is_about_a_folder() -> None:
    """Without `-o` there are no files to replace."""
    done = nestling("demo", "--replace")
    assert done.code == 2
    assert "add -o DIR" in done.err
