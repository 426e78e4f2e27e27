"""Shares of rows by what is known of how a column's values lie, and the customary guesses where nothing is."""

from __future__ import annotations

import pytest

from nestling.ir.bindings import UNKNOWN_LIST
from nestling.ir.distribution import Distribution
from nestling.ir.statements.expression import (
    And,
    Call,
    Coerce,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
    Parameter,
)
from nestling.ir.statements.operators import Affinity, CaseRule, Comparison, Function, Rules
from nestling.ir.statistics import CLOSED_RANGE
from nestling.ir.types import BOOLEAN, INTEGER, TEXT
from nestling.ir.workload import Quantile
from nestling.planner.known.selectivity import PATTERN, RANGE, UNKNOWN_EQUALITY, WIDE_RANGES, share
from nestling.planner.known.values import PathStatistics

NUMBERS = Distribution(tuple(range(0, 1001, 50)))
"""A thousand numbers, each as frequent as the next."""
COUNTRIES = Distribution((), (("France", 0.6), ("Germany", 0.25), ("Greece", 0.1), ("Ghana", 0.05)))
KNOWN = {
    "n": PathStatistics(1001.0, values=NUMBERS),
    "half": PathStatistics(1001.0, missing=0.5, values=NUMBERS),
    "country": PathStatistics(4.0, values=COUNTRIES),
    "flag": PathStatistics(2.0, missing=0.1, values=Distribution((), ((False, 0.8), (True, 0.2)))),
    "dark": PathStatistics(50.0),
    "tags": PathStatistics(40.0, missing=0.5, each=8.0),
    "few": PathStatistics(4.0, each=3.0),
}
SAMPLES = {"early": Quantile(0.25), "low": 200, "high": 300, "where": "France", "some": ["France", "Ghana"]}


def column(name: str) -> Column:
    """A column; texts where it is one."""
    return Column("t", name, TEXT if name == "country" else INTEGER)


def compared(name: str, operator: Comparison, value: object) -> Compare:
    """A column beside a constant, or a parameter written `:name`."""
    if isinstance(value, str) and value.startswith(":"):
        return Compare(operator, column(name), Parameter(value[1:]))
    return Compare(operator, column(name), Literal(value, INTEGER))


def of_elements(function: Function, name: str, asked: int) -> Call:
    """Whether an array has all of so many elements, or one of them."""
    return Call(function, (column(name), *(Literal(n, INTEGER) for n in range(asked))), BOOLEAN, Rules.POSTGRESQL)


def kept(predicate: Expression) -> float:
    """The share of rows, with sample values."""
    return share(predicate, lambda asked: KNOWN.get(asked.name), SAMPLES)


LESS, MORE = Comparison.LESS, Comparison.GREATER_OR_EQUAL
between = And((compared("n", MORE, ":low"), compared("n", LESS, ":high")))
unknown_ends = And((compared("dark", MORE, 1), compared("dark", LESS, 5)))


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (compared("n", LESS, 250), 0.25),
        (compared("n", MORE, 250), 0.75),
        (compared("n", LESS, ":low"), 0.2),
        (compared("n", LESS, ":unsaid"), RANGE),
        (compared("dark", LESS, 250), RANGE),
        (Compare(LESS, Literal(250, INTEGER), column("n")), 0.75),
        (compared("half", LESS, 250), 0.125),
        (Not(compared("half", LESS, 250)), 0.375),
        (compared("half", LESS, ":early"), 0.5 * 0.25),
        (compared("half", MORE, ":early"), 0.5 * 0.75),
        (compared("dark", MORE, ":early"), 0.75),
        (And((compared("n", MORE, ":early"), compared("n", LESS, 500))), 0.25),
        (of_elements(Function.ANY_ELEMENT, "tags", 1), 0.1),
        (of_elements(Function.CONTAINS, "tags", 2), 0.01),
        (of_elements(Function.OVERLAPS, "tags", 2), 0.2),
        (of_elements(Function.OVERLAPS, "few", 2), 1.0),
        (of_elements(Function.CONTAINS, "nowhere", 1), UNKNOWN_EQUALITY),
        (IsNull(column("half")), 0.5),
        (Not(IsNull(column("half"))), 0.5),
        (compared("half", Comparison.EQUAL, 250), 0.5 / 1001),
        (compared("half", Comparison.NOT_EQUAL, 250), 0.5),
        (Not(compared("half", Comparison.EQUAL, 250)), 0.5),
        (compared("half", Comparison.DIFFERENT, 250), 1.0),
        (Not(compared("half", Comparison.SAME, 250)), 1.0),
        (Compare(Comparison.NOT_EQUAL, column("half"), column("flag")), 0.5 * 0.9),
        (between, 0.1),
        (unknown_ends, CLOSED_RANGE),
        (And((compared("n", MORE, ":low"), compared("n", MORE, ":high"))), 0.7),
        (And((compared("n", MORE, ":high"), compared("n", LESS, ":low"))), 0.0),
        (Or((compared("n", LESS, 100), compared("n", MORE, 900))), 0.19),
        (And((compared("dark", Comparison.EQUAL, 7), compared("dark", Comparison.EQUAL, 7))), 1 / 50),
        (Or((compared("dark", Comparison.EQUAL, 7), compared("dark", Comparison.EQUAL, 7))), 1 / 50),
        (compared("country", Comparison.EQUAL, ":where"), 0.6),
        (compared("country", Comparison.NOT_EQUAL, ":where"), 0.4),
        (compared("country", Comparison.EQUAL, ":unsaid"), 0.6**2 + 0.25**2 + 0.1**2 + 0.05**2),
        (compared("dark", Comparison.EQUAL, 7), 1 / 50),
        (compared("nowhere", Comparison.EQUAL, 7), UNKNOWN_EQUALITY),
        (InList(column("country"), (Literal("France", TEXT), Literal("Ghana", TEXT))), 0.65),
        (InList(column("country"), (Literal("Peru", TEXT),)), 0.0),
        (InList(column("country"), (Parameter("some", TEXT, listed=True),)), 0.65),
        (InList(column("dark"), (Parameter("unsaid", TEXT, listed=True),)), UNKNOWN_LIST / 50),
        (InList(column("dark"), (Coerce(Parameter("some", listed=True), Affinity.TEXT),)), 2 / 50),
        (Like(column("country"), Literal("G%", TEXT), None, CaseRule.EXACT), 0.4),
        (Like(column("country"), Literal("g%", TEXT), None, CaseRule.EXACT), 0.0),
        (Like(column("country"), Literal("g%", TEXT), None, CaseRule.ASCII), 0.4),
        (Like(column("country"), Literal("%e", TEXT), None, CaseRule.EXACT), PATTERN),
        (Like(column("country"), Literal("Ghana", TEXT), None, CaseRule.EXACT), 0.05),
        (column("flag"), 0.18),
    ],
)
def test_shares(predicate: Expression, expected: float) -> None:
    """The share each predicate keeps."""
    assert kept(predicate) == pytest.approx(expected, abs=0.002)


def test_ranges_a_join_begins_with_are_taken_to_be_wide() -> None:
    """Half of all rows by one end and a quarter between two, where it is not known what they keep; what is known stays."""

    def wide(predicate: Expression) -> float:
        return share(predicate, lambda asked: KNOWN.get(asked.name), SAMPLES, WIDE_RANGES)

    assert wide(compared("dark", LESS, 5)) == pytest.approx(1 / 2)
    assert wide(unknown_ends) == pytest.approx(1 / 4)
    assert wide(between) == kept(between)
