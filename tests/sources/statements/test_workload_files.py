"""Workload files: names, rates, parameters, samples and requirements, and every mistake with its place."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.common.errors import InputError, WorkloadError
from nestling.ir.freshness import Freshness
from nestling.ir.rate import parse_rate, read_rate
from nestling.ir.reading import GapKind
from nestling.ir.workload import Requirements, StatementKind
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload
from nestling.sources.statements.placeholders import normalise
from tests.sources.statements.shop import MODEL, read


def test_a_file_of_statements():
    """Names, rates with text behind them, samples, kinds; the semicolon and comments go."""
    workload, gaps = read(
        """-- A shop.

-- name: product_page, rate: 900/s  [from the log]
-- params: {"id": 7, "n": "x; y"}
SELECT name FROM product -- what it is called
WHERE id = :id AND name <> :n;

-- name: Order.place-1, rate: 2/day
INSERT INTO orders (id) VALUES (:id)
"""
    )
    assert gaps == ()
    first, second = workload.statements
    assert (first.name, first.rate_per_second, first.kind, first.dialect) == (
        "product_page",
        900,
        StatementKind.SELECT,
        "sqlite",
    )
    assert (first.parameters, first.samples) == (("id", "n"), (("id", 7), ("n", "x; y")))
    assert first.sql == "SELECT name FROM product -- what it is called\nWHERE id = :id AND name <> :n"
    assert (second.name, second.rate_per_second, second.kind) == ("Order.place-1", 2 / 86400, StatementKind.INSERT)


@pytest.mark.parametrize(
    "said",
    [
        "-- name: page, rate: 5/s",
        "-- name: page; rate: 5/s",
        "-- name: page rate: 5/s",
        "-- name: page\n-- rate: 5/s",
        "-- name: page;\n-- params: {}\n-- rate: 5/s  (from the log)",
    ],
)
def test_where_a_rate_may_stand(said: str) -> None:
    """Behind the name, whatever parts them, or on a line of its own."""
    workload, gaps = read(
        f"{said}\nSELECT name FROM product WHERE id = :id;\n-- name: other, rate: 7/s\nSELECT 1 FROM product"
    )
    assert gaps == ()
    assert [(each.name, each.rate_per_second) for each in workload.statements] == [("page", 5), ("other", 7)]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("latest reviews\n-- rate: 5/s", "latest reviews"),
        ("latest reviews, rate: 5/s", "latest reviews"),
        ("Latest :many", "Latest"),
        ("Order:place", "Order:place"),
    ],
)
def test_names_keep_their_blanks(said: str, name: str) -> None:
    """Wherever the rate stands; what sqlc writes behind a name is none of it."""
    workload, _ = read(f"-- name: {said}\nSELECT name FROM product WHERE id = :id;")
    assert [each.name for each in workload.statements] == [name]


@pytest.mark.parametrize("text", ["soon", "0 s", "-3 s", "nan s", "1e999 s", "9 days", ""])
def test_a_window_that_is_none_is_a_gap(text: str) -> None:
    """It is named with its line, and growth is taken as of any workload."""
    workload, (gap,) = read(f"\n-- window: {text}\n-- name: a, rate: 1/s\nSELECT name FROM product")
    assert workload.window_seconds is None
    assert gap.where == "w.sql:2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("900/s", 900), ("0.5/s", 0.5), (".5 / s", 0.5), ("1,000/s", 1000), ("1,5/s", None), ("1,50/s", None),
        ("1,234.5/s", 1234.5), ("1e3/s", 1000), ("60/min", 1), ("3600/h", 1),
        ("86400/day", 1), ("2/hour [note]", 2 / 3600), ("7 per week", 7 / 604800), ("0/s", 0), ("5/s, more", 5),
        ("1e-9/s", 1e-9), ("1e9/s", 1e9), ("1e-300/s", None), ("1e30/s", None), ("1/month", 1 / 2629800), ("2/Hours", 2 / 3600),
        ("5", None), ("fast", None), ("5/fortnight", None), ("-1/s", None), ("", None), ("5/sx", None), ("1.2.3/s", None),
    ],
)  # fmt: skip
def test_rates(text, expected):
    """Executions a second, from any unit; None for what is no rate."""
    assert read_rate(text) == (pytest.approx(expected) if expected is not None else None)


@pytest.mark.parametrize(
    ("dialect", "sql", "expected", "parameters"),
    [
        ("sqlite", "a = ? AND b = ?", "a = :p1 AND b = :p2", "p1 p2"),
        ("sqlite", "a = ?2 AND b = ?1", "a = :p2 AND b = :p1", "p2 p1"),
        ("sqlite", "a = @x AND b = :y AND c = :x", "a = :x AND b = :y AND c = :x", "x y"),
        ("postgresql", "IN ($1,$2)", "IN (:p1,:p2)", "p1 p2"),
        ("postgresql", "a = %s AND b = %(who)s", "a = :p1 AND b = :who", "p1 who"),
        ("postgresql", "a = :x::int AND b::text = 'a'", "a = :x::int AND b::text = 'a'", "x"),
        (
            "postgresql",
            "d ? 'k' AND d ?| ARRAY['a'] AND d ?& x AND e = ?",
            "d ? 'k' AND d ?| ARRAY['a'] AND d ?& x AND e = :p1",
            "p1",
        ),
        ("postgresql", "a = $$ ? $1 $$ AND b = $1", "a = $$ ? $1 $$ AND b = :p1", "p1"),
        ("mysql", "a = @@x AND b = '? :a %s @b' AND c = ?", "a = @@x AND b = '? :a %s @b' AND c = :p1", "p1"),
        ("mysql", 'a % s = 1 AND a%s = 2 AND b = "?"', 'a % s = 1 AND a%s = 2 AND b = "?"', ""),
        ("sqlite", "a = 1 -- ? :x\n", "a = 1 -- ? :x\n", ""),
        ("sqlite", 'a = "x?" AND [b?] = 1 AND `:c` = 2', 'a = "x?" AND [b?] = 1 AND `:c` = 2', ""),
        ("sqlite", "LIMIT ?", "LIMIT :p1", "p1"),
        ("sqlite", "a = ?", "a = :p1", "p1"),
    ],
)
def test_placeholders(dialect, sql, expected, parameters):
    """Every style becomes `:name`; strings, comments, casts, operators and system variables stay."""
    found = normalise(sql, dialect)
    assert (found.sql, found.parameters) == (expected, tuple(parameters.split()))


def test_a_place_in_the_rewritten_statement_leads_to_the_one_written():
    """Gaps name columns people can find."""
    found = normalise("a = %(long_name)s AND b = ? AND c", "postgresql")
    assert found.sql == "a = :long_name AND b = :p1 AND c"
    assert "a = %(long_name)s AND b = ? AND c"[found.original(len(found.sql) - 1)] == "c"
    _, gaps = read(
        "-- name: s, rate: 1/s\nSELECT name FROM product WHERE id = ? AND price < ?\n  AND nope = 1;"
        "\n-- name: t, rate: 1/s\nSELECT 1;"
    )
    assert gaps[0].where == "w.sql:3:7"


def test_samples_by_position():
    """A list gives values in the order of parameters."""
    workload, gaps = read(
        '-- name: s, rate: 1/s\n-- params: [7, "x"]\nSELECT name FROM product WHERE id = ? AND name = ?'
    )
    assert (gaps, workload.statements[0].samples) == ((), (("p1", 7), ("p2", "x")))


# --- requirements ----------------------------------------------------------------------------------------------------


def test_requirements():
    """Each line of the grammar, names in any case, sizes in decimal and binary units."""
    workload, gaps = read(
        """-- freshness: Product.NAME async(5s)
-- freshness: customer_orders snapshot
-- atomic: orders, order_line
-- atomic: product, customer
-- storage: 20 GB
-- document bound: 1 MiB
-- array bound: 500
-- transaction bound: 1000
-- retention: orders 30 days
-- retention: Log Entries 2 weeks
-- archive: Orders.Placed before 2024-01-01
-- tolerance: Customer_orders 100
-- tolerance: order_line.amount 2
-- schema version: 3
-- Short names: Yes
-- Read only: Product, log entries
-- Note: rates are guesses
-- name: s, rate: 1/s
SELECT 1;"""
    )
    assert gaps == ()
    assert workload.requirements == Requirements(
        freshness=(("product.name", Freshness.parse("async(5s)")), ("customer_orders", Freshness.parse("snapshot"))),
        atomic=(("orders", "order_line"), ("product", "customer")),
        storage_budget_bytes=20_000_000_000,
        document_bound_bytes=1_048_576,
        array_bound=500,
        transaction_bound=1000,
        retention_days=(("orders", 30.0), ("Log Entries", 14.0)),
        archive=(("orders", "placed", "2024-01-01"),),
        tolerance=(("customer_orders", 100), ("order_line.amount", 2)),
        schema_version=3,
        short_names=True,
        read_only=("product", "Log Entries"),
    )


@pytest.mark.parametrize("freshness", ["async(5 s)", "async (5s)", "async ( 5 s )", " async(5s)"])
def test_blanks_in_a_freshness(freshness: str) -> None:
    """They say nothing, wherever they stand."""
    workload, _ = read(f"-- freshness: product.name {freshness}\n-- name: s, rate: 1/s\nSELECT 1;")
    assert workload.requirements.freshness == (("product.name", Freshness.parse("async(5s)")),)


def test_misspelt_requirements_are_an_error():
    """All of them at once, with their lines: a design without them is not the one that was asked for."""
    with pytest.raises(WorkloadError) as error:
        read("-- freshnes: product.name snapshot\n-- Note: a comment\n-- array bounds: 9\n-- name: s\nSELECT 1;")
    assert [(each.where, each.what) for each in error.value.problems] == [
        ("w.sql:1", "`freshnes` is not a requirement; did you mean `freshness`?"),
        ("w.sql:3", "`array bounds` is not a requirement; did you mean `array bound`?"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("freshness: product.nam async(5s)", "no attribute `nam` in `product`; it has `name`"),
        ("freshness: prodct.name async(5s)", "no entity `prodct`; there is `product`"),
        ("freshness: nope snapshot", "no relationship `nope`"),
        ("tolerance: customer_orders 1", "`1` allows nothing"),
        ("tolerance: customer_orders some", "`some` is not a whole number"),
        ("archive: orders.status before 2024-01-01", "is not a date of an entity"),
        ("archive: customer_orders before 2024-01-01", "is not a date of an entity"),
        ("archive: orders.placed 2024-01-01", "no attribute `placed 2024-01-01` in `orders`"),
        ("archive: orders.placed before Christmas", "`Christmas` is no date"),
        ("schema version: first", "`first` is not a whole number"),
        ("short names: perhaps", "neither yes nor no"),
        ("freshness: product.name soon", "no freshness `soon`"),
        ("freshness: product.name async(1m)", "`1m` is not a time such as `5s`; its unit is one of ms, s, min, h, day"),
        ("freshness: product.name async", "async and scheduled need a time, other levels take none"),
        ("freshness: product.name async(5 parsecs)", "`5 parsecs` is not a time such as `5s`"),
        ("freshness: product.name async (5 s", "no freshness"),
        ("freshness: product.name", "no freshness `product.name`"),
        ("freshness:", "no freshness ``"),
        ("atomic: orders, lines", "no entity `lines`"),
        ("read only: orders, lines", "no entity `lines`"),
        ("storage: lots", "`lots` is not a size: write it as 500MB, 20 GB or 512 MiB"),
        ("storage: 0.2 B", "`0.2 B` is not a size"),
        ("array bound: -1", "`-1` is not a whole number above 0"),
        ("array bound: 0", "`0` is not a whole number above 0"),
        ("retention: orders", "is not an entity and a time"),
        ("retention: nope 3 days", "no entity `nope`"),
    ],
)
def test_requirements_that_cannot_be_read(line, said):
    """An error with its line: no design that leaves one out is the one that was asked for."""
    with pytest.raises(WorkloadError) as error:
        read(f"-- array bound: 9\n-- {line}\n-- name: s, rate: 1/s\nSELECT 1;")
    (problem,) = error.value.problems
    assert said in problem.what
    assert problem.where == "w.sql:2"


@pytest.mark.parametrize(
    ("rate", "said"),
    [("soon", "write `900/s`"), ("-3/s", "write `900/s`"), ("5", "write `5/s`"), ("1e999/s", "write `900/s`")],
)
def test_a_rate_that_is_none(rate: str, said: str) -> None:
    """An error with the line of each, as in a model file: no design weighs a statement by a rate nobody said."""
    with pytest.raises(WorkloadError) as error:
        read(f"-- name: s, rate: {rate}\nSELECT 1;\n-- name: t\n-- rate: {rate}\nSELECT 2;")
    assert [problem.where for problem in error.value.problems] == ["w.sql:1", "w.sql:4"]
    assert all(f"`{rate}` is not a rate" in problem.what for problem in error.value.problems)
    assert all(said in problem.next_move for problem in error.value.problems)


@pytest.mark.parametrize(
    ("rate", "bound"), [("1e-300/s", "less than 1e-09/s"), ("1e30/s", "more than 1,000,000,000/s")]
)
def test_a_rate_no_application_has(rate: str, bound: str) -> None:
    """An error that says the bound, and never another rate in silence; in a model file it is no rate either."""
    with pytest.raises(WorkloadError) as error:
        read(f"-- name: s, rate: {rate}\nSELECT 1;")
    (problem,) = error.value.problems
    assert (problem.where, f"`{rate}` is not a rate" in problem.what, bound in problem.known) == ("w.sql:1", True, True)
    with pytest.raises(InputError, match="is not a rate"):
        parse_rate(rate)


def test_a_rate_between_two_statements_is_the_second_ones():
    """One before the first is for all of a name that have none of their own; one behind the last is the last one's."""

    def rates(text: str) -> dict[str, float]:
        return {each.name: each.rate_per_second for each in read(text)[0].statements}

    assert rates("-- name: a\nSELECT 1;\n-- rate: 300/s\nSELECT 2;") == {"a": 1.0, "a.2": 300.0}
    assert rates("-- name: a, rate: 5/s\nSELECT 1;\nSELECT 2;\n-- rate: 7/s\nSELECT 3;") == {
        "a": 5.0,
        "a.2": 5.0,
        "a.3": 7.0,
    }
    assert rates("-- name: a\n-- rate: 5/s\nSELECT 1;") == rates("-- name: a\nSELECT 1;\n-- rate: 5/s") == {"a": 5.0}


def test_all_mistakes_are_told_at_once():
    """What stops the reading, and what else is wrong, in the order of the lines; prose is no mistake."""
    text = (
        "-- Rates: all of it\n-- date: 2024\n-- name: a, rate: often\nSELECT 1;\n-- nmae: b, rate: 1/s\n-- parms: {}\nSELEC 1;\n"
        "-- name: c, rate: 3/x\n-- params: {\nSELECT 1;"
    )
    with pytest.raises(WorkloadError) as error:
        read(text)
    told = [(each.where, each.what) for each in error.value.problems]
    assert [where for where, _ in told] == [f"w.sql:{place}" for place in ("3", "5", "6", "7", "7:1", "8", "9")]
    words = " ".join(what for _, what in told)
    for said in (
        "`often` is not a rate",
        "did you mean `name`?",
        "did you mean `params`?",
        "SELEC",
        "`3/x`",
        "not JSON",
    ):
        assert said in words


def test_mistakes_of_all_kinds_are_told_at_once(tmp_path: Path) -> None:
    """Requirements, rates and misspelt words, in the order of the lines; also of a database, before it is measured."""
    text = (
        "-- freshnes: product.name snapshot\n-- document bound: lots\n-- atomic: orders, zz\n-- window: long\n"
        "-- nam: q\n-- name: a, rate: fast\nSELECT 1;\n-- parms: {}\n"
    )
    said = (
        "`freshnes`",
        "`lots` is not",
        "no entity `zz`",
        "is not a window",
        "mean `name`?",
        "`fast` is no",
        "`params`?",
    )
    with pytest.raises(WorkloadError) as error:
        read(text)
    for problem, (line, what) in zip(error.value.problems, zip((1, 2, 3, 4, 5, 6, 8), said, strict=True), strict=True):
        assert (problem.where, what in problem.what) == (f"w.sql:{line}", True), problem
    (tmp_path / "w.sql").write_text(text, encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database:
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
    with pytest.raises(WorkloadError) as early:
        pipeline.inspect(f"sqlite:///{tmp_path / 'shop.db'}", workload=tmp_path / "w.sql")
    assert [each.where[-1] for each in early.value.problems] == [each.where[-1] for each in error.value.problems]


def _rates(text: str) -> dict[str, float]:
    """The rates of the statements; fails for a statement without one that is not told."""
    workload, gaps = read(text)
    assert all(each.rate_per_second != 1 or "no rate" in str(gaps) for each in workload.statements)
    return {each.name: each.rate_per_second for each in workload.statements}


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("-- rate: 9/s\nSELECT 1;", {"line_2": 9}),
        ("-- rate: 9/s\nSELECT 1;\n-- rate: 7/s\nSELECT 2;", {"line_2": 9, "line_4": 7}),
        ("SELECT 1;\n-- rate: 9/s", {"line_1": 9}),
        ("-- rate: 9/s\n-- name: a\nSELECT 1;", {"a": 9}),
        ("-- rate: 9/s\n-- name: a\nSELECT 1;\n-- rate: 7/s\n-- name: b\nSELECT 2;", {"a": 9, "b": 7}),
        ("-- name: a\nSELECT 1;\n\n-- rate: 7/s\n-- name: b\nSELECT 2;", {"a": 1, "b": 7}),
        ("-- name: a\nSELECT 1;\n-- rate: 7/s\n\n-- name: b\nSELECT 2;", {"a": 7, "b": 1}),
        ("-- name: a\nSELECT 1;\n-- rate: 7/s\n-- name: b, rate: 5/s\nSELECT 2;", {"a": 7, "b": 5}),
        ("-- name: a\nSELECT 1\n-- rate: 7/s\nFROM product; SELECT 2;", {"a": 7, "a.2": 7}),
        ("-- rate: as they were in May\n\n-- name: a, rate: 9/s\nSELECT 1;", {"a": 9}),
        (
            "-- rates of May\n-- name of it: page\n-- name: a, rate: 9/s\nSELECT ' -- rates: 9/s', '\nrate: 9/s';",
            {"a": 9},
        ),
    ],
)
def test_a_rate_above_a_statement_is_its_own(text: str, rates: dict[str, float]) -> None:
    """With a name or without, also above the name, unless that has one or the statement before it may be meant."""
    assert _rates(text) == rates


@pytest.mark.parametrize(
    ("text", "line", "move"),
    [
        ("-- name a, rate: 9/s\nSELECT 1;", 1, "-- name: a, rate: 9/s"),
        ("SELECT 2;\n/* name: a, rate: 9/s */\nSELECT 1;", 2, "-- name: a, rate: 9/s"),
        ("/*\n * name: a\n * rate: 9/s\n */\nSELECT 1;", 3, "-- rate: 9/s"),
        ("-- name: a, rates: 9/s\nSELECT 1;", 1, "-- name: a, rate: 9/s"),
        ("-- name: a, rate 9/s\nSELECT 1;", 1, "-- name: a, rate: 9/s"),
        ("-- name: a\n-- rates: 9/s\nSELECT 1;", 2, "-- rate: 9/s"),
        ("-- name: a\n-- rate = 9/s\nSELECT 1;", 2, "-- rate: 9/s"),
        ("-- name: a\nSELECT 1; -- rate: 9/s", 2, "-- rate: 9/s"),
        ("-- name: a\nSELECT 1;\n-- rate: 9/s\n-- name: b\nSELECT 2;", 3, "-- name: b, rate: 9/s"),
        ("-- rate: 9/s\n\n-- name: a\nSELECT 1;", 1, "-- name: a, rate: 9/s"),
    ],
)
def test_a_rate_that_would_not_be_read_is_an_error(text: str, line: int, move: str) -> None:
    """With its line and how it is written: no statement is weighed by another rate than the one the file has for it."""
    with pytest.raises(WorkloadError) as error:
        read(text)
    (problem,) = error.value.problems
    assert problem.where == f"w.sql:{line}"
    assert f"`{move}`" in problem.next_move


def test_a_rate_behind_something_else() -> None:
    """Both are told: what is not read behind a name, and the rate behind that."""
    with pytest.raises(WorkloadError) as error:
        read('-- name: a, params: {"id": 7}, rate: 9/s\nSELECT name FROM product WHERE id = :id;')
    told, other = error.value.problems
    assert "`-- name: a, rate: 9/s`" in told.next_move
    assert "after the name is not read" in other.what


def test_what_is_said_above_a_statement_without_a_name() -> None:
    """Its samples are read as those below a name are."""
    workload, _ = read('-- rate: 9/s\n-- params: {"id": 7}\nSELECT name FROM product WHERE id = :id;')
    assert workload.statements[0].samples == (("id", 7),)


# --- mistakes in the file ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("-- name: s\nSELECT 1;", "1", "no rate is given for `s`: taken as 1/s"),
        ("-- name: s :many\nSELECT 1;", "1", "no rate is given for `s`"),
        ("SELECT 1;", "1", "no rate is given for `line_1`"),
        ("-- name: s, rate: 0/s\nSELECT 1;", "1", "the rate is 0 of `s`: kept, but of no weight"),
        ("-- array bound: 9\n\n-- name: s, rate: 0/s\nSELECT 1;", "3", "the rate is 0 of `s`: kept"),
        (
            "-- name: s, rate: 1/s\nSELECT 1;\n-- name: t\nSELECT 1;\n-- name: u\nSELECT 1;",
            "3",
            "no rate is given for `t`, `u` (line 5): taken as 1/s",
        ),
        ("-- name: s, rate: 1/s\n-- params: {id: 7}\nSELECT 1;", "2", "statement `s`: params are not JSON"),
        ("-- name: s, rate: 1/s\n-- params: 7\nSELECT 1;", "2", "params must be an object"),
        ('-- name: s, rate: 1/s\n-- params: {"x": 7}\nSELECT :y;', "1", "params names `x`, but its parameters are `y`"),
        (
            "-- name: s, rate: 1/s\n-- params: [1, 2]\nSELECT ?;",
            "1",
            "params has 2 values, but its parameters are `p1`",
        ),
        ("-- name: s, rate: 1/s\n-- params: [1]\nSELECT 1;", "1", "params has 1 value, but its parameters are none"),
        (
            "-- name: s, rate: 1/s\nSELECT 1; SELECT 2;",
            "2",
            "several statements stand under the name `s`; this one is called `s.2`",
        ),
        ("-- name: s, rate: 1/s\n-- rate: 9/s\nSELECT 1;", "2", "it already has a rate: `9/s` is not read"),
        ("-- name: s, rate: 1/s, limt: 4\nSELECT 1;", "1", "`limt: 4` after the name is not read"),
        ("-- name: s, rat: 7/s\nSELECT 1;", "1", "`rat: 7/s` after the name is not read"),
        (
            "-- name: e, rate: 1/s\n\n-- name: s, rate: 1/s\nSELECT 1;",
            "1",
            "statement `e`: no statement follows this name",
        ),
        (
            "-- name: s, rate: 1/s\nSELECT 1;\n-- name: s, rate: 1/s\nSELECT 2;",
            "3",
            "appears twice, in lines 1 and 3; the first one counts",
        ),
        (
            "-- name: s, rate: 1/s\nSELECT 1;\n-- name: t, rate: 1/s\nSELECT a\nFROM nope;",
            "5:6",
            "statement `t`: no entity `nope`",
        ),
        (
            "-- name: s, rate: 1/s\nSELECT 1;\n-- name: t, rate: 1/s\nSELECT 1\n  FROM WHERE;",
            "5:",
            "it cannot be read as SQL",
        ),
    ],
)
def test_a_mistake_is_a_gap_with_its_place(text, place, said):
    """Line, and column where there is one; the other statements are read."""
    workload, gaps = read(text)
    assert [gap.what for gap in gaps if said in gap.what] != []
    assert next(gap.where for gap in gaps if said in gap.what).startswith(f"w.sql:{place}")
    assert "s" in [statement.name for statement in workload.statements] or "line_1" in workload.statements[0].name


def test_only_what_nestling_lacks_says_so():
    """Whoever misspelt a name reads what there is, and not that nestling lacks it; a kind of statement is nestling's."""
    _, gaps = read("-- name: s\nSELECT nam FROM product;\n-- name: t, rate: 1/s\nVACUUM;")
    assert [gap.kind for gap in gaps] == [GapKind.INPUT, GapKind.NOTIMPL, GapKind.INPUT]
    assert [str(gap).endswith("(nestling does not convert this)") for gap in gaps] == [False, True, False]


def test_statements_before_the_first_name_are_read_too():
    """A file without names is a workload; each is called by its line."""
    workload, _ = read("SELECT 1;\n\nSELECT 2;\n-- name: s, rate: 3/s\nSELECT 3;")
    assert [statement.name for statement in workload.statements] == ["line_1", "line_3", "s"]
    assert [statement.rate_per_second for statement in workload.statements] == [1, 1, 3]


def test_several_without_a_name_on_one_line():
    """They are told apart by a number; one that cannot be read is named so, too."""
    workload, gaps = read("SELECT 1; SELECT 2; SELEC 3;\nSELECT 4;")
    assert [statement.name for statement in workload.statements] == ["line_1", "line_1_2", "line_2"]
    assert [gap.where for gap in gaps if "statement `line_1_3`" in gap.what] == ["w.sql:1:21"]


def test_an_empty_file_is_an_empty_workload():
    """So is one of requirements alone."""
    assert read("")[0].statements == ()
    assert read("-- array bound: 5\n")[0].requirements.array_bound == 5


@pytest.mark.parametrize(
    "text", ["Dear all,\nplease find attached", '{\n  "a": 1\n}', "-- name: s, rate: 1/s\nSELEKT 1;", "\x00\x01\x02"]
)
def test_a_file_in_which_nothing_can_be_read_is_an_error(text):
    """With every reason, and places."""
    with pytest.raises(WorkloadError, match=r"w\.sql:\d"):
        read(text)


def test_an_unknown_dialect_is_an_error():
    """No dialect at all is SQLite's, which takes most."""
    with pytest.raises(WorkloadError, match="no SQL dialect `db2`"):
        read("SELECT 1;", "db2")
    assert read("-- name: s, rate: 1/s\nSELECT 1;", "")[0].statements[0].dialect == ""
    assert read("-- name: s, rate: 1/s\nSELECT 1;", "postgres")[0].statements[0].dialect == "postgresql"


@pytest.mark.thorough
def test_deep_nesting_is_a_gap_and_not_a_crash():
    """Recursion ends somewhere; the other statements do not care."""
    deep = "(" * 5000 + "1" + ")" * 5000
    workload, gaps = read(f"-- name: s, rate: 1/s\nSELECT 1;\n-- name: deep, rate: 1/s\nSELECT {deep};")
    assert workload.statements[0].name == "s"
    assert len(gaps) <= 1


def test_nothing_is_logged(caplog):
    """sqlglot warns of what it does not know; we list gaps instead."""
    with caplog.at_level(logging.DEBUG):
        read("-- name: s, rate: 1/s\nREPLACE INTO product (id) VALUES (1);\n-- name: t, rate: 1/s\nVACUUM;")
    assert caplog.records == []


def test_tables_of_other_schemas_are_found_by_their_bare_name():
    """`app.x` may be called `x` while no other schema has one."""
    model = read_ddl(
        "CREATE TABLE app.item (id int PRIMARY KEY); CREATE TABLE plain (id int);", "m", dialect="postgresql"
    ).model
    names = ("item", "app.item", "public.plain")
    text = "\n".join(f"-- name: {name}, rate: 1/s\nSELECT id FROM {name};" for name in names)
    workload, gaps = parse_workload(text, model, "postgresql")
    assert gaps == ()
    assert [statement.accesses[0].entity for statement in workload.statements] == ["app.item", "app.item", "plain"]


def test_entities_that_differ_by_case_are_told_apart():
    """The exact name wins; one that fits neither is a gap."""
    model = read_ddl(
        'CREATE TABLE "T" (id int); CREATE TABLE t (id int); CREATE TABLE "Ab" (id int); CREATE TABLE "aB" (id int)',
        "m",
        dialect="postgresql",
    ).model
    names = ('"T"', "t", "ab")
    text = "\n".join(f"-- name: {name}, rate: 1/s\nSELECT id FROM {name};" for name in names)
    workload, gaps = parse_workload(text, model, "postgresql")
    assert [[access.entity for access in statement.accesses] for statement in workload.statements] == [["T"], ["t"], []]
    assert "no entity `ab`" in gaps[0].what


def test_the_model_of_these_tests_has_its_relationships():
    """Were they missing, every `via` would be None by right."""
    assert {link.name for link in MODEL.relationships} == {
        "customer_customer", "customer_orders", "product_order_line", "orders_order_line", "order_line_delivery",
    }  # fmt: skip
