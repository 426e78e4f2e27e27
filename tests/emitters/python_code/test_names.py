"""Statements and parameters called like something of Python's or of the module's own: the module is imported, and runs."""

from __future__ import annotations

import builtins
import keyword
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.python_code.parameters import TAKEN
from nestling.emitters.python_code.support import DEFINED

DDL = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n NUMERIC);
CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER NOT NULL REFERENCES t (id) ON DELETE CASCADE, x TEXT);
INSERT INTO t VALUES (1, 'x', 1.5), (2, NULL, 2);
INSERT INTO u VALUES (1, 1, 'p');
"""
READ = "SELECT t.id, u.x FROM t JOIN u ON u.t_id = t.id WHERE t.id IN :ids AND n > :n"
WRITE = "UPDATE u SET x = :x, t_id = 1 WHERE x = :y"
INSERT = "INSERT INTO t VALUES (:k, 'y', :n)"
OTHERS = (
    f"-- name: reads, rate: 1/s\n{READ};\n-- name: writes, rate: 1/s\n{WRITE};\n-- name: puts, rate: 1/s\n{INSERT};\n"
)
RESERVED = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *DEFINED}
NAMES = sorted(name for name in RESERVED if re.fullmatch("[A-Za-z]\\w*", name))
USED = sorted({*(TAKEN - DEFINED - {*keyword.kwlist}), "class", "id", "type", "given", "there", "Any", "MISSING"})
"""Names with a meaning inside of functions, and some of the others."""


@pytest.fixture
def modules(database: Database[Any], tmp_path: Path) -> Any:
    """What makes the module of a workload, and executes it."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as source, source:
        source.executescript(DDL)
    address = f"sqlite:///{tmp_path / 's.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "embedded")
    pipeline.load(proposal, address, database)

    def made(text: str) -> dict[str, Any]:
        workload, space = tmp_path / "w.sql", dict[str, Any]()
        workload.write_text(text, encoding="utf-8")
        source, lacking = pipeline.queries_module(proposal, workload)
        assert not lacking
        exec(compile(source, "queries.py", "exec"), space)
        return space

    return made


@pytest.mark.thorough
def test_a_statement_may_have_any_name(modules: Any, database: Database[Any]) -> None:
    """What the module uses of that name stays what it is."""
    text = "".join(f"-- name: {name}, rate: 1/s\nSELECT id FROM t WHERE a = :v;\n" for name in NAMES)
    space = modules(text + OTHERS)
    assert space["reads"](database, ids=[1], n=0) == [{"id": 1, "x": "p"}]
    assert space["writes"](database, x="p", y="p") == 1
    assert space["puts"](database, k=7, n="2.50") == 1
    assert space["list_"](database, v="x") == [{"id": 1}]


def test_ligatures_are_read_as_python_reads_them(modules: Any, database: Database[Any]) -> None:
    """Python takes the ligature of f and l for two letters."""
    space = modules("-- name: \N{LATIN SMALL LIGATURE FL}oat, rate: 1/s\nSELECT id FROM t WHERE a = :v;\n" + OTHERS)
    assert space["float_"](database, v="x") == [{"id": 1}]


@pytest.mark.thorough
def test_a_parameter_may_have_any_name(modules: Any, database: Database[Any]) -> None:
    """Beside one of the same name with `_`."""
    text = "".join(
        f"-- name: r{number}, rate: 1/s\n"
        f"SELECT t.id, t.n FROM t JOIN u ON u.t_id = t.id WHERE t.id IN :{name} AND n > :{name}_ LIMIT :q;\n"
        f"-- name: w{number}, rate: 1/s\nUPDATE u SET x = :{name}_, t_id = 1 WHERE x = :{name};\n"
        for number, name in enumerate(USED)
    )
    space = modules(text)
    for number, name in enumerate(USED):
        read, write = space[f"r{number}"], space[f"w{number}"]
        assert len(read(database, **given(read, [1], 0, 5))) == 1, name
        assert write(database, **given(write, "p", "p")) == 1, name


def given(function: Any, *values: object) -> dict[str, object]:
    """The values by the function's arguments, in their order; the first of a write is the one it sets."""
    code = function.__code__
    return dict(zip(code.co_varnames[1 : 1 + code.co_kwonlyargcount], values, strict=True))


def test_a_local_variable_brings_no_support(modules: Any) -> None:
    """What finds the first row of each group has a variable with the name of a function that needs the table of all letters."""
    text = "-- name: firsts, rate: 1/s\nSELECT t.id, (SELECT x FROM u WHERE u.t_id = t.id ORDER BY x LIMIT 1) AS x FROM t;\n"
    space = modules(text + OTHERS)
    assert "letters_alike" not in space
