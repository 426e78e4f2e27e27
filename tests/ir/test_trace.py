"""Traces: the same executions for every rival, in an order in which writes do not get in each other's way."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nestling.ir.bindings import Bindings
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.trace import Tracer, mix, tickets
from nestling.ir.types import INTEGER
from nestling.ir.workload import Access, Statement, StatementKind, Workload

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
AUTHOR = Entity("author", (Attribute("id", INTEGER), Attribute("born", INTEGER)), ("id",))
BOOK = Entity("book", (Attribute("id", INTEGER), Attribute("author", INTEGER)), ("id",))
MODEL = Model("library", (AUTHOR, BOOK), (Relationship("books", "author", "book", ("id",), ("author",)),))


def statement(name: str, kind: StatementKind, entity: str, attributes: tuple[str, ...], rate: float = 1.0) -> Statement:
    return Statement(name, name, kind, rate, parameters=("id",), accesses=(Access(entity, kind, attributes),))


READ = statement("read", StatementKind.SELECT, "book", ("id",), 90.0)
ADD = statement("add", StatementKind.INSERT, "book", ("id", "author"), 9.0)
BIRTH = statement("birth", StatementKind.UPDATE, "author", ("born",))
DROP = statement("drop", StatementKind.DELETE, "author", ())


def numbers(*names: str) -> dict[str, Bindings]:
    return {name: Bindings(name, ("id",), tuple((number,) for number in range(1000))) for name in names}


def test_inserts_with_keys_wait_for_nobody() -> None:
    """Rows with keys of their own come in any order, also when other rows of their parents change."""
    assert tickets(Workload((READ, ADD, BIRTH)), MODEL) == {"add": frozenset(), "birth": frozenset({"author"})}


@pytest.mark.parametrize(
    ("sql", "besides"),
    [
        ("INSERT INTO book VALUES (:id, 1) ON CONFLICT DO NOTHING", None),
        ("INSERT OR IGNORE INTO book VALUES (:id, 1)", None),
        ("INSERT INTO book VALUES (:id, 1) ON DUPLICATE KEY UPDATE author = author + 1", StatementKind.UPDATE),
        ("REPLACE INTO book VALUES (:id, 1)", StatementKind.DELETE),
    ],
)
def test_inserts_that_may_meet_a_row_are_chained(sql: str, besides: StatementKind | None) -> None:
    """Which of two comes first decides which row there is."""
    more = () if besides is None else (Access("book", besides, ("author",)),)
    meeting = replace(ADD, sql=sql, accesses=(*ADD.accesses, *more))
    assert tickets(Workload((meeting,)), MODEL) == {"add": frozenset({"book"})}


def test_inserts_wait_where_their_parents_may_go() -> None:
    """A DELETE takes children with it or is refused for them, so its order beside inserts of them counts."""
    held = tickets(Workload((ADD, DROP)), MODEL)
    assert held == {"add": frozenset({"author", "book"}), "drop": frozenset({"author", "book"})}


def test_writes_of_the_same_rows_are_chained() -> None:
    """Each execution that changes an entity comes after the one before it; reads and others do not wait."""
    block = Tracer(Workload((READ, BIRTH)), MODEL, numbers("read", "birth"), 1, START).block({"read": 5, "birth": 3})
    changes = [place for place, call in enumerate(block) if call.statement == "birth"]
    assert [block[place].after for place in changes] == [(), (changes[0],), (changes[1],)]
    assert all(not call.after for call in block if call.statement == "read")


def test_traces_repeat_and_bindings_do_not() -> None:
    """The same seed gives the same blocks; no execution of a statement has the values of another one."""

    def two(seed: int) -> list[object]:
        tracer = Tracer(Workload((READ, BIRTH)), MODEL, numbers("read", "birth"), seed, START)
        return [tracer.block({"read": 20, "birth": 4}), tracer.block({"read": 20, "birth": 4}), tracer.moments(3, 10.0)]

    assert two(3) == two(3) != two(4)
    values = [call.values["id"] for block in two(3)[:2] for call in block if call.statement == "read"]  # type: ignore[attr-defined]
    assert values == list(range(40))


def test_every_execution_has_a_moment_and_uuids_of_its_own() -> None:
    """The clock goes on from block to block, and no two executions make the same UUID."""
    tracer = Tracer(Workload((READ, BIRTH)), MODEL, numbers("read", "birth"), 3, START)
    calls = [*tracer.block({"read": 5, "birth": 2}), *tracer.block({"read": 3})]
    assert [call.instead.moment for call in calls] == [START + timedelta(milliseconds=place) for place in range(10)]
    assert len({call.instead.seed for call in calls}) == len(calls)


def test_a_mix_follows_the_rates() -> None:
    """Executions are as frequent as their rates; seldom ones are there all the same."""
    assert mix(Workload((READ, ADD, BIRTH)), 200) == {"read": 180, "add": 18, "birth": 2}
    assert mix(Workload((READ, ADD, BIRTH)), 10) == {"read": 9, "add": 1, "birth": 1}


def test_a_mix_of_seldom_statements_is_as_large_as_asked() -> None:
    """Many statements of equal rates are not all rounded down to none."""
    several = tuple(replace(READ, name=f"read_{number}") for number in range(20))
    counts = mix(Workload(several), 7, least_reads=0, least_writes=0)
    assert sum(counts.values()) == 7
    assert max(counts.values()) == 1


def test_values_that_work_once_are_counted() -> None:
    """A DELETE that has had all its rows is named."""
    once = {"drop": Bindings("drop", ("id",), ((1,), (2,)), once=True)}
    tracer = Tracer(Workload((DROP,)), MODEL, once, 1, START)
    tracer.block({"drop": 2})
    assert tracer.spent() == ()
    tracer.block({"drop": 1})
    assert tracer.spent() == ("drop",)
