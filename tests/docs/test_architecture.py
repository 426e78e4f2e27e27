"""The architecture page names files that exist, and nouns that are defined where it says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from nestling.common.folders import module_names
from nestling.ir import primitives
from nestling.ir.candidate import Part
from nestling.patterns import __path__ as patterns
from tests.shared_cases import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "nestling"
CALL_ROW = re.compile(r"^\| \d+ \| `([\w/.]+)` `([\w.]+)` \|", re.MULTILINE)
NOUN_ROW = re.compile(r"^\| ((?:`\w+`[,;] ?|`\w+`)+) \| ([^|]+) \|", re.MULTILINE)


def named_paths() -> list[str]:
    """The paths between backticks that begin in a folder of the project, without patterns."""
    found = re.findall(r"`((?:src/|tests/|benchmarks/|docs/|scripts/)?[a-z_]+/[\w/]*(?:\.\w+)?)`", PAGE)
    return [path for path in found if "<" not in path]


def exists(path: str) -> bool:
    """Whether a path is there: from the top, or inside the package."""
    return (ROOT / path).exists() or (SOURCE / path).exists()


def test_every_path_exists() -> None:
    """What is named is there."""
    assert len(named_paths()) > 100
    assert [path for path in named_paths() if not exists(path)] == []


def test_nouns_are_defined_where_the_page_says() -> None:
    """Each class of the tables of nouns is in one of the files of its row."""
    rows = [
        (re.findall(r"`(\w+)`", nouns), re.findall(r"`(ir/[\w/.]+)`", files)) for nouns, files in NOUN_ROW.findall(PAGE)
    ]
    assert sum(len(nouns) for nouns, files in rows if files) > 35
    for nouns, files in rows:
        text = "\n".join(_text(SOURCE / file) for file in files)
        missing = [noun for noun in nouns if files and not re.search(rf"^(class )?{noun}\b", text, re.MULTILINE)]
        assert missing == [], files


def test_the_ways_name_functions_that_exist() -> None:
    """Each row of the tables that follow a statement names a file or folder, and a function, class or method that is in it."""
    rows = CALL_ROW.findall(PAGE)
    assert len(rows) == len(re.findall(r"^\| \d+ \|", PAGE, re.MULTILINE)) > 20
    for path, names in rows:
        text = _text(SOURCE / path)
        missing = [name for name in names.split(".") if not re.search(rf"^ *(def|class) {name}\b", text, re.MULTILINE)]
        assert missing == [], path


def test_files_beside_a_call_exist() -> None:
    """A row's last cell names files by their whole path, or by their name alone where they are in the folder of its call."""
    for line in PAGE.splitlines():
        if (call := CALL_ROW.match(line)) is None:
            continue
        folder = (SOURCE / call[1]).parent if call[1].endswith(".py") else SOURCE / call[1]
        files = re.findall(r"`([\w/]+\.py)`", line[call.end() :])
        assert [name for name in files if not exists(name) and not (folder / name).exists()] == [], line


@pytest.mark.parametrize("package", sorted(SOURCE.rglob("__init__.py")), ids=lambda path: path.parent.name)
def test_what_a_package_names_is_in_it(package: Path) -> None:
    """The modules and functions between backticks in a package's docstring are in that package, or are modules elsewhere."""
    words = re.findall(r"`([a-z_/]+)`", ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or "")
    text = _text(package.parent)
    near = [ROOT / "src", package.parent]
    missing = [
        word
        for word in words
        if not exists(word)
        and not any((folder / word).exists() or (folder / f"{word}.py").exists() for folder in near)
        and not re.search(rf"^ *(def|class) {word}\b", text, re.MULTILINE)
    ]
    assert missing == []


def _text(path: Path) -> str:
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return "\n".join(each.read_text(encoding="utf-8") for each in files)


def test_every_pattern_and_part_has_its_row() -> None:
    """The table from patterns to choices has each pattern and each part once, and primitives there are."""
    table = PAGE.split("## From a pattern to a document")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:5]] for line in table.splitlines() if line.startswith("| ")][1:]
    assert sorted(name for row in rows for name in row[0].split(", ")) == sorted(module_names(patterns))
    parts = [name for row in rows for name in re.findall(r"`(\w+)`", row[1])]
    assert sorted(parts) == sorted(each.__name__ for each in get_args(Part))
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row[2]) if not hasattr(primitives, name)] == []


def test_a_name_stands_for_one_thing() -> None:
    """No two files define a public class or alias of one name; type variables, which mean nothing by themselves, aside."""
    found: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name in _defined(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    assert len(found) > 900
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def _defined(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        name, value = "", None
        match node:
            case ast.ClassDef():
                name = node.name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                value = node.value
            case _:
                continue
        if re.match(r"[A-Z]\w*[a-z]", name) and not (value is not None and "TypeVar(" in ast.unparse(value)):
            yield name
