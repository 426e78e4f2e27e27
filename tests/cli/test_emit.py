"""`nestling emit`: every format, printed, as files and as JSON."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from nestling.emitters import formats
from nestling.ir.text import read_proposal
from tests.cli.commands import nestling


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", formats())
def test_every_format(shop: Path, tmp_path: Path, name: str) -> None:
    """What is printed, what is written and what `--json` holds are the same texts."""
    printed = nestling("emit", "design.yaml", "--as", name, cwd=shop)
    assert printed.code == 0, printed.err
    done = nestling("emit", "design.yaml", "--as", name, "-o", tmp_path / "out", "--json", cwd=shop)
    assert done.json["format"] == name
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()}
    assert done.json["files"] == files
    if name == "jsonschema":
        assert printed.json == {file: json.loads(text) for file, text in files.items()}
        assert len(files) > 1
        assert printed.err == ""
    else:
        assert printed.out == "".join(text if text.endswith("\n") else f"{text}\n" for text in files.values())
    assert all(f"Wrote {tmp_path}/out/{file}" in done.err for file in files)


def test_one_schema_is_printed_as_it_is(tmp_path: Path) -> None:
    """A single collection's schema is no object of files."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (id integer PRIMARY KEY)")
    nestling("design", "schema.sql", "-o", "design.yaml", cwd=tmp_path)
    assert list(nestling("emit", "design.yaml", "--as", "jsonschema", cwd=tmp_path).json) == ["$jsonSchema"]


@pytest.mark.thorough
def test_what_is_emitted_can_be_read(shop: Path) -> None:
    """Python parses, validators are JSON, the diagram is one, and the script creates every collection."""
    emitted = {
        name: nestling("emit", "design.yaml", "--as", name, "--json", cwd=shop).json["files"] for name in formats()
    }
    assert all(ast.parse(text) for text in emitted["python"].values())
    validators = {file: json.loads(text) for file, text in emitted["jsonschema"].items()}
    collections = read_proposal((shop / "design.yaml").read_text(encoding="utf-8"), "design.yaml").design.collections
    assert set(validators) == {f"{collection.name}.json" for collection in collections}
    assert all("$jsonSchema" in validator for validator in validators.values())
    assert all(text.startswith("erDiagram") for text in emitted["mermaid"].values())
    (script,) = emitted["mongosh"].values()
    assert script.count("ensureCollection(") == 1 + len(validators)


def test_a_format_is_needed(shop: Path) -> None:
    """Without `--as` the option is named."""
    done = nestling("emit", "design.yaml", cwd=shop)
    assert (done.code, done.out) == (2, "")
    assert "--as" in done.err


def test_a_workload_becomes_functions(shop: Path) -> None:
    """With --as python each statement is a function of `queries.py`, its SQL as docstring; other formats take none."""
    done = nestling("emit", "design.yaml", "--as", "python", "--workload", "workload.sql", "--json", cwd=shop)
    assert set(done.json["files"]) == {"create.py", "queries.py"}
    tree = ast.parse(done.json["files"]["queries.py"])
    functions = {node.name: ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert str(functions["product_page"]).startswith("SELECT p.name")
    assert "nestling" not in {name for node in ast.walk(tree) for name in _imported(node)}
    assert nestling("emit", "design.yaml", "--as", "mermaid", "--workload", "workload.sql", cwd=shop).code == 2


@pytest.mark.thorough
def test_two_modules_on_stdout_are_told_apart_there(shop: Path) -> None:
    """A comment with its name stands before each, so that a pipe can take them apart, and what is printed is still Python."""
    done = nestling("emit", "design.yaml", "--as", "python", "--workload", "workload.sql", cwd=shop)
    assert [line for line in done.out.splitlines() if line.startswith("# --- ")] == [
        "# --- create.py",
        "# --- queries.py",
    ]
    assert "---" not in done.err
    create, queries = done.out.removeprefix("# --- create.py\n").split("# --- queries.py\n")
    files = nestling("emit", "design.yaml", "--as", "python", "--workload", "workload.sql", "--json", cwd=shop)
    assert {"create.py": create, "queries.py": queries} == files.json["files"]


def test_statements_without_a_function_are_named(shop: Path, tmp_path: Path) -> None:
    """They are listed on stderr and in `--json`, and the exit code is that of `convert`; the others are written."""
    workload = tmp_path / "some.sql"
    workload.write_text(
        "-- name: fine, rate: 1/s\nSELECT name FROM product WHERE product_id = :id;\n"
        "-- name: odd, rate: 1/s\nSELECT soundex(name) FROM product;\n",
        encoding="utf-8",
    )
    done = nestling("emit", "design.yaml", "--as", "python", "--workload", workload, "-o", tmp_path / "out", cwd=shop)
    assert done.code == 1
    assert "gap: odd: " in done.err
    assert "no function for 1 statement" in done.err
    assert "def fine(" in (tmp_path / "out" / "queries.py").read_text(encoding="utf-8")
    done = nestling("emit", "design.yaml", "--as", "python", "--workload", workload, "--json", cwd=shop)
    assert [gap["statement"] for gap in done.json["gaps"]] == ["odd"]


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    return {str(node.module).split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def test_the_help_names_every_format() -> None:
    """`--as` lists them by hand, since finding them would make every command start later."""
    shown = " ".join(nestling("emit", "--help").out.split())
    listed = shown.split("--as FORMAT ")[1].split(".")[0].replace(" or ", ", ")
    assert sorted(name.strip() for name in listed.split(",")) == sorted(formats())
