"""Every construct, run through the algebra and by SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nestling.ir.statements.operators import Function
from tests.planner.sql.shop_rows import shop
from tests.reference_values import FUNCTIONS, IN_CALLS, NOT_SQLITES

_FILE = Path(__file__).with_name("constructs.sql")


def queries() -> Iterator[tuple[str, str]]:
    """(construct, query) of the list."""
    construct = ""
    for line in _FILE.read_text().splitlines()[1:]:
        if line.startswith("--"):
            construct = line[2:].strip()
        elif line.strip():
            yield construct, line


@pytest.mark.parametrize(("construct", "sql"), list(queries()))
def test_answers_as_sqlite_does(construct: str, sql: str) -> None:
    """The algebra's rows, order and column names are SQLite's."""
    answer = shop().ask(sql)
    assert answer.equal(), f"{answer.mine} is not {answer.theirs}"
    assert answer.query.names == answer.names


def test_every_function_has_reference_values() -> None:
    """Each member of the closed set is known to the interpreter, or is one that SQLite has none of."""
    assert {*FUNCTIONS, *IN_CALLS, *NOT_SQLITES} == {*Function}
    assert not {*FUNCTIONS, *IN_CALLS} & NOT_SQLITES
