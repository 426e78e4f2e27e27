"""A range between columns of two tables beside an equality: the answer is SQLite's, and one index finds the rows of both."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Index, Reference
from nestling.ir.proposal import Proposal
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.planner.reads import NO_REWRITES
from tests.planner.reads.beside_sqlite import Beside, Rows, loaded

START = datetime.fromisoformat("2026-01-31 23:00")
VALUES: dict[str, tuple[Type, list[object]]] = {
    "integers": (INTEGER, [-(2**53) - 1, -1, 0, 2, 10, 2**53 + 1]),
    "floats": (FLOAT, [float("-inf"), -2.5, 0.0, 1e-300, 2.0, 1e300]),
    "texts": (TEXT, ["", " ", "A", "a", "ab", "ä"]),
    "times": (Type(TypeName.TIMESTAMP), [START + timedelta(minutes=59 * n) for n in range(6)]),
}
JOINED = "SELECT r.id, m.id FROM membership r {join} message m ON m.room_id = r.room_id AND {asked}"
FORMS = (
    JOINED.replace("{join}", "JOIN"),
    JOINED.replace("{join}", "LEFT JOIN"),
    JOINED.replace("{join}", "LEFT JOIN") + " WHERE r.user_id = 1 AND m.id IS NULL",
    (
        "SELECT r.id, COUNT(m.id) FROM membership r LEFT JOIN message m ON m.room_id = r.room_id AND {asked} "
        "WHERE r.user_id = 2 GROUP BY r.id"
    ),
    "SELECT r.id, (SELECT COUNT(*) FROM message m WHERE m.room_id = r.room_id AND {asked}) FROM membership r",
    "SELECT r.id FROM membership r WHERE EXISTS (SELECT 1 FROM message m WHERE m.room_id = r.room_id AND {asked})",
    "SELECT r.id FROM membership r WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.room_id = r.room_id AND {asked})",
    (
        "SELECT r.id, o.id, m.id FROM room o JOIN membership r ON r.room_id = o.id "
        "JOIN message m ON m.room_id = o.id AND {asked} WHERE o.id < 3"
    ),
)
RANGES = (
    "m.at > r.since",
    "m.at <= r.since",
    "r.since <= m.at AND m.at < r.until",
    "m.at BETWEEN r.since AND r.until",
    "NOT m.at < r.until",
)


def chat(kind: Type, *, nullable: bool) -> Model:
    """Rooms with their memberships, which have been there for a while, and messages."""
    room = Entity("room", (Attribute("id", INTEGER, nullable=False),), ("id",))
    first = (Attribute("id", INTEGER, nullable=False), Attribute("room_id", INTEGER, nullable=False))
    since, until, at = (Attribute(name, kind, nullable=nullable) for name in ("since", "until", "at"))
    user = Attribute("user_id", INTEGER, nullable=False)
    links = [
        Relationship(f"{name}s", "room", name, ("id",), ("room_id",), required=True)
        for name in ("membership", "message")
    ]
    entities = (
        room,
        Entity("membership", (*first, user, since, until), ("id",)),
        Entity("message", (*first, at), ("id",)),
    )
    return Model("chat", entities, tuple(links))


def designs(model: Model) -> dict[str, Design]:
    """The tables apart, without and with an index on both, and the messages inside their rooms."""
    held = {link.child: (Reference(link.name, Holder.CHILD),) for link in model.relationships}
    apart = tuple(
        Collection(each.name, Document(each.name, references=held.get(each.name, ())), id=each.key)
        for each in model.entities
    )
    messages = Embedding("messages", "messages", Form.ARRAY, Document("message"))
    inside = (Collection("room", Document("room", embeddings=(messages,)), id=("id",)), apart[1])
    index = Index("message", (("room_id", 1), ("at", 1)))
    array = Index("room", (("_id", 1), ("messages.at", 1)))
    return {
        "apart": Design(model, apart),
        "indexed": Design(model, apart, (index,)),
        "inside": Design(model, inside, (array,)),
    }


def rows(values: list[object], *, nullable: bool) -> Rows:
    """Two rooms of messages at each of the values, one of none; a membership between any two of these."""
    known: list[object] = [*values, None] if nullable else values
    return {
        "room": [(1,), (2,), (3,)],
        "membership": [
            (n, n % 3 + 1, n % 4, since, until)
            for n, (since, until) in enumerate(product(known[::2] + known[-1:], known[1::2]))
        ],
        "message": [(n, n % 2 + 1, at) for n, at in enumerate([*known, *known[::3], *known[:1]])],
    }


@pytest.fixture(params=product(VALUES, ("apart", "indexed", "inside"), (False, True)), ids=str)
def beside(request: pytest.FixtureRequest, database: Database[dict[str, Any]], tmp_path: Path) -> Beside:
    """The chat of one kind of values, on one design, without or with NULLs."""
    called, form, nullable = request.param
    kind, values = VALUES[called]
    design = designs(chat(kind, nullable=nullable))[form]
    return loaded(Proposal("", design), rows(values, nullable=nullable), database, tmp_path)


@pytest.mark.one_in(4)
def test_the_answer_is_sqlites(beside: Beside) -> None:
    """In every form of a join and with every comparison, with all rewrites and with none."""
    for form, asked in product(FORMS, RANGES):
        sql = form.replace("{asked}", asked).replace("m.at", 'm."at"')
        beside.assert_equal(sql)
        beside.assert_equal(sql, rewrites=NO_REWRITES)


MANY = 2_000


@pytest.fixture
def busy(database: Database[dict[str, Any]], tmp_path: Path, request: pytest.FixtureRequest) -> Beside:
    """Two thousand messages in two rooms, of which members have read nearly all; one has read none, and says so by NULL."""
    model = chat(INTEGER, nullable=request.param)
    members: list[tuple[object, ...]] = [(n, n % 2 + 1, n, MANY - 10 * n, MANY) for n in range(1, 5)]
    members += [(5, 1, 5, None, None)] if request.param else []
    found: Rows = {
        "room": [(1,), (2,)],
        "membership": members,
        "message": [(n, n % 2 + 1, n) for n in range(1, MANY + 1)],
    }
    return loaded(Proposal("", designs(model)["indexed"]), found, database, tmp_path)


@pytest.mark.parametrize("busy", [False, True], ids=["known", "nullable"], indirect=True)
@pytest.mark.parametrize("form", [*FORMS[:2], *FORMS[3:7]])
def test_both_keys_of_the_index_bound_what_is_read(form: str, busy: Beside) -> None:
    """A lookup reads the rows of its range alone, none for one whose end is NULL."""
    for asked in ("m.at > r.since", "m.at >= r.since AND m.at < r.until", "r.until > m.at AND r.since < m.at"):
        sql = form.replace("{asked}", asked).replace("m.at", 'm."at"')
        busy.assert_equal(sql)
        told = looked_up(busy, sql)
        assert told["indexesUsed"] == ["room_id_1_at_1"]
        assert (
            told["totalKeysExamined"] <= 80
        )  # of ten, twenty, thirty and forty not read half are in the member's room


def looked_up(beside: Beside, sql: str) -> dict[str, Any]:
    """What the server tells of the lookup of messages."""
    read = beside.compiled(sql)
    command: dict[str, Any] = {"aggregate": read.collection, "pipeline": [*read.pipeline], "cursor": {}}
    stages = beside.database.command("explain", command, verbosity="executionStats")["stages"]
    (told,) = [each for each in stages if each.get("$lookup", {}).get("from") == "message"]
    return dict(told)


def test_without_an_index_on_both_a_join_asks_afterwards(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """The server would plan a lookup that says more than its equality anew for each row."""
    model = chat(INTEGER, nullable=False)
    sql = FORMS[0].replace("{asked}", 'm."at" > r.since')
    for name, is_inside in (("apart", False), ("indexed", True)):
        (tmp_path / name).mkdir()
        beside = loaded(Proposal("", designs(model)[name]), rows([1, 2, 3], nullable=False), database, tmp_path / name)
        lookup: Any
        (lookup,) = [each["$lookup"] for each in beside.compiled(sql).pipeline if "$lookup" in each]
        assert ("pipeline" in lookup) is is_inside
