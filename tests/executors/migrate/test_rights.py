"""A user who may not do all a migration does is told what before anything is written, and can end what was begun."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import PermissionDenied
from nestling.common.server import Server
from nestling.executors.migrate.state import COLLECTION
from nestling.ir.design import Design
from nestling.ir.migration import CollectionOrigin, Phase
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Reference
from nestling.ir.proposal import Proposal
from nestling.pipeline.migrating import abort_migration
from nestling.planner.migration.assembly import GATHERED
from tests.executors.load.loads import load_rows
from tests.planner.homes.home_cases import LINE, LINE_SERIAL, ORDER, ORDER_LINE, SERIAL, Rows, serials
from tests.servers import PASSWORD, guarded_mongod

Documents = Database[dict[str, Any]]
MODEL = Model("m", (ORDER, LINE, SERIAL), (ORDER_LINE, LINE_SERIAL))
SERIALS = Document("serial", references=(Reference("line_serial", Holder.CHILD),))
OLD, NEW = (
    Proposal("", Design(MODEL, collections))
    for collections in (
        (
            Collection("orders", Document("order"), ("id",)),
            Collection(
                "lines", Document("line", references=(Reference("order_line", Holder.CHILD),)), ("order_id", "no")
            ),
            Collection("serials", SERIALS),
        ),
        (
            Collection(
                "orders",
                Document(
                    "order",
                    embeddings=(
                        Embedding("lines", "order_line", Form.ARRAY, Document("line", embeddings=(serials(),))),
                    ),
                ),
                ("id",),
            ),
        ),
    )
)
ALL = "every collection"
OURS = {"orders.new", COLLECTION}
ROWS: dict[str, Rows] = {"order": [(1, "a"), (2, None)], "line": [(1, 1, 5)], "serial": [(1, 1, "s", "new")]}


@pytest.fixture(scope="module")
def guarded(mongod: Server) -> Iterator[str]:
    """The address of a mongod with access control."""
    with guarded_mongod() as address:
        yield address


@pytest.fixture
def root(guarded: str, tmp_path: Path) -> Iterator[Documents]:
    """A database in the old design, as one who may do all sees it."""
    name = f"test_{uuid.uuid4().hex}"
    with MongoClient[dict[str, Any]](f"mongodb://root:{PASSWORD}@{guarded}") as client:
        load_rows(OLD.design, ROWS, client[name], tmp_path)
        yield client[name]
        client.drop_database(name)


@contextmanager
def seen_by(user: str, root: Documents, *roles: str) -> Iterator[Documents]:
    """The database as a user with those roles sees it."""
    root.command("createUser", user, pwd=PASSWORD, roles=list(roles))
    host, port = root.client.address or ("", 0)
    with MongoClient[dict[str, Any]](f"mongodb://{user}:{PASSWORD}@{host}:{port}/{root.name}") as client:
        yield client[root.name]


def lacking(database: Documents) -> set[tuple[str, str]]:
    """(action, collection) of all that a move is refused for; nothing once it has come to its end."""
    try:
        report = pipeline.migrate(OLD, NEW, database, offline=True, cutover=True, may_lose=["indexes"])
    except PermissionDenied as refused:
        named = re.findall(r"(\w+(?:, \w+)*) in ([^;\n]+)", str(refused).partition("may not: ")[2])
        return {
            (action, name.partition(" and ")[0])
            for actions, names in named
            for action in actions.split(", ")
            for name in names.replace(ALL, "").split(", ")
        }
    assert (report.equal, report.phase) == (True, Phase.DONE)
    return set()


def test_rights_by_collection(root: Documents) -> None:
    """Whoever may do what the refusals name, in collections that only help on the way, too, comes to the end."""
    granted = {("listCollections", ""), ("find", COLLECTION)}
    root.command("createRole", "mover", privileges=[], roles=[])
    with seen_by("ann", root, "mover") as database:
        while True:
            privileges = [
                {"resource": {"db": root.name, "collection": name}, "actions": [action]} for action, name in granted
            ]
            root.command("updateRole", "mover", privileges=privileges)
            if not (named := lacking(database)):
                break
            assert not named <= granted
            assert OURS.isdisjoint(root.list_collection_names())
            granted |= named
    assert any(name.startswith(GATHERED) for _, name in granted)
    assert [document["_id"] for document in root["orders"].find({"lines.serials.serial": "s"})] == [1]


def test_a_cutover_the_user_may_not_do(root: Documents) -> None:
    """`readWrite` alone cannot have collections refuse writes: said before anything is fenced, so that the way back is open."""
    with seen_by("bob", root, "readWrite") as database:
        with pytest.raises(PermissionDenied, match=r"collMod in orders, [^→]*→ grant it the role dbAdmin"):
            pipeline.migrate(OLD, NEW, database, offline=True, cutover=True, may_lose=["indexes"])
        assert OURS.isdisjoint(root.list_collection_names())
        assert pipeline.migrate(OLD, NEW, database, offline=True, may_lose=["indexes"]).phase is Phase.READY
        with pytest.raises(PermissionDenied, match="collMod"):
            pipeline.migrate(OLD, NEW, database, offline=True, cutover=True, may_lose=["indexes"])
        abort_migration(database)
    assert set(root.list_collection_names()) == {"orders", "lines", "serials"}


@pytest.mark.thorough
def test_a_plan_begins_with_what_makes_it_another_one(tmp_path: Path) -> None:
    """Without the right to modify collections none stays, and the first risk says so; with it there is nothing to say."""
    new = Proposal("", Design(MODEL, (*OLD.design.collections[:2], Collection("others", SERIALS))))
    with (
        guarded_mongod(is_set=True) as address,
        MongoClient[dict[str, Any]](f"mongodb://root:{PASSWORD}@{address}") as client,
    ):
        root = client["moved"]
        load_rows(OLD.design, ROWS, root, tmp_path)
        with seen_by("reader", root, "read") as database:
            plan = pipeline.plan_migration(OLD, new, database)
        assert CollectionOrigin.KEPT not in {each.way for each in plan.moves}
        assert plan.risks[0].startswith("this user may not `collMod`")
        assert "with the role `dbAdmin`" in plan.risks[0]
        told = [each for each in plan.refused if "the user `reader` may not: " in each]
        assert ["insert, update, remove" in each for each in told] == [True, False]
        assert "renameCollectionSameDB in every collection" in told[1]
        plan = pipeline.plan_migration(OLD, new, root)
        assert plan.moves[0].way is CollectionOrigin.KEPT
        assert not [each for each in plan.risks if "collMod" in each]
        assert not plan.refused
