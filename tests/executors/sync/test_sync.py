"""The background sync as a program among others: one at a time, stopped and gone on with, lost history, refusals, metrics."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from bson import Int64
from pymongo import MongoClient, UpdateOne
from pymongo.database import Database

from nestling.common.errors import InputError, LeaseLost, SyncError
from nestling.executors.sync import Metrics, SyncOptions, served, standing, status_written, sync
from nestling.executors.sync import following as loop
from nestling.executors.sync.large_refreshes import RefreshQueue, Task
from nestling.executors.sync.lease import COLLECTION, SyncLease
from nestling.executors.sync.refresh import Refresh
from nestling.ir.programs.route import BackgroundUpkeep, SyncPlan
from nestling.ir.text import read_proposal
from nestling.pipeline.syncing import sync_plan
from tests.executors.check.library import library, rows
from tests.executors.check.loaded import loaded
from tests.small_shop import small_shop

ONCE = SyncOptions(once=True)


def plan_of(freshness: str = "async(1s)") -> SyncPlan:
    """A small shop: a copy up, a count and a sum down."""
    computed = f"""{{
        bought: {{count: purchases, freshness: async(1s)}},
        spent: {{sum: total, of: purchases, freshness: {freshness}}},
    }}"""
    return sync_plan(read_proposal(small_shop(computed=computed), "shop.yaml").design)


@pytest.fixture
def shop(database: Database[Any]) -> Database[Any]:
    """Two customers, three purchases, all copies as they must be."""
    database.customers.insert_many(
        [{"_id": 1, "name": "Ada", "bought": 2, "spent": 30}, {"_id": 2, "bought": 1, "spent": 5}]
    )
    buys = [(1, 1, 10, {"name": "Ada"}), (2, 1, 20, {"name": "Ada"}), (3, 2, 5, {})]
    database.purchases.insert_many(
        [{"_id": number, "customer_id": c, "total": total, "customer": copy} for number, c, total, copy in buys]
    )
    sync(database, plan_of(), ONCE)
    return database


def names(database: Database[Any]) -> list[object]:
    """What the purchases say of their customers."""
    return [each.get("customer") for each in database.purchases.find(sort=[("_id", 1)])]


@contextmanager
def running(
    database: Database[Any],
    plan: SyncPlan,
    options: SyncOptions,
    metrics: Metrics,
    say: Callable[[str], None] | None = None,
) -> Iterator[threading.Event]:
    """A sync in a thread, stopped at the end; what it raised is raised."""
    stop, raised = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            sync(database, plan, options, stop=stop, metrics=metrics, say=say)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join()
    if raised:
        raise raised[0]


def until(done: Any, seconds: float = 15.0) -> None:
    """Wait until it is so."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


@pytest.mark.thorough
def test_what_is_right_is_not_written(shop: Database[Any]) -> None:
    """The first run compares everything, later ones follow what has changed and nothing else."""
    assert sync(shop, plan_of(), ONCE).full_refreshes == 0
    shop.customers.update_one({"_id": 1}, {"$set": {"nickname": "A"}})  # nothing follows from it: it does not come
    shop.customers.update_one({"_id": 2}, {"$set": {"name": "Bo"}})
    report = sync(shop, plan_of(), ONCE)
    assert (report.changes, report.written, report.full_refreshes) == (1, 1, 0)
    assert sync(shop, plan_of(), ONCE).changes == 0


def test_changes_made_while_nobody_followed_have_their_effects(shop: Database[Any]) -> None:
    """A new name, a purchase that moves, one that goes: without documents as they were, whole upkeeps are compared."""
    shop.customers.update_one({"_id": 2}, {"$set": {"name": "Bo"}})
    shop.purchases.update_one({"_id": 2}, {"$set": {"customer_id": 2}})
    shop.purchases.delete_one({"_id": 1})
    report = sync(shop, plan_of(), ONCE)
    assert names(shop) == [{"name": "Bo"}, {"name": "Bo"}]
    assert [(c["bought"], c.get("spent")) for c in shop.customers.find(sort=[("_id", 1)])] == [(0, None), (2, 25)]
    assert report.full_refreshes == 2


def test_with_documents_as_they_were_nothing_is_compared_as_a_whole(shop: Database[Any]) -> None:
    """The same, when the server keeps them."""
    sync(shop, plan_of(), SyncOptions(once=True, images=True))
    shop.purchases.update_one({"_id": 2}, {"$set": {"customer_id": 2}})
    shop.purchases.delete_one({"_id": 1})
    report = sync(shop, plan_of(), ONCE)
    assert [(c["bought"], c.get("spent")) for c in shop.customers.find(sort=[("_id", 1)])] == [(0, None), (2, 25)]
    assert report.full_refreshes == 0


@pytest.mark.thorough
def test_what_comes_again_changes_nothing(shop: Database[Any]) -> None:
    """Set back to an earlier resume point, the same changes have the same effects."""
    before = shop[COLLECTION].find_one({})
    shop.purchases.insert_one({"_id": 4, "customer_id": 1, "total": 7})
    assert sync(shop, plan_of(), ONCE).written == 3
    assert before is not None
    shop[COLLECTION].update_one({}, {"$set": {"point": before["point"]}})
    again = sync(shop, plan_of(), ONCE)
    assert (again.changes >= 1, again.written) == (True, 0)


def test_a_copy_changed_by_somebody_else_meanwhile_is_compared_again(shop: Database[Any]) -> None:
    """A value that is not the one found is never overwritten unseen."""
    plan = plan_of()
    kept = next(each for each in plan.kept if each.id == "purchases.customer")
    from nestling.executors.sync.asking import DatabaseSession
    from nestling.executors.sync.refresh import Refresh

    shop.purchases.update_many({}, {"$set": {"customer": {"name": "stale"}}})
    metrics, view = Metrics(), DatabaseSession(shop)

    def somebody() -> None:
        if not metrics.counted("contended"):
            shop.purchases.update_one({"_id": 1}, {"$set": {"customer": {"name": "other"}}})

    Refresh(view, metrics, somebody, Counter()).documents(kept, [1, 2, 3])
    view.close()
    assert metrics.counted("contended") == 1
    assert names(shop) == [{"name": "Ada"}, {"name": "Ada"}, {}]


def test_a_second_instance_takes_over(shop: Database[Any]) -> None:
    """It stands by, refuses with `wait` off, and is active as soon as the first lets go."""
    first, second, said = Metrics(), Metrics(), list[str]()
    with running(shop, plan_of(), SyncOptions(), first) as stop_first:
        until(lambda: first.snapshot()["state"] == "following")
        found = standing(shop, "shop")
        assert found is not None
        assert found.live
        with pytest.raises(
            SyncError, match=rf"another instance already keeps the database `{shop.name}` \(model `shop`\) up to date"
        ):
            sync(shop, plan_of(), SyncOptions(wait=False))
        with running(shop, plan_of(), SyncOptions(lease_seconds=3), second, said.append):
            until(lambda: second.snapshot()["state"] == "standing by")
            assert said[0].startswith(
                f"Another instance keeps the database `{shop.name}` (model `shop`) up to date. Standing by: "
            )
            assert said[0].endswith("takes over when that one stops, or has not been heard from for 15 s.")
            stop_first.set()
            until(lambda: second.snapshot()["state"] == "following")
            shop.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
            until(lambda: names(shop)[0] == {"name": "Eve"})
    assert second.snapshot()["epoch"] == int(str(first.snapshot()["epoch"])) + 1


def test_who_has_lost_the_lease_stops(shop: Database[Any]) -> None:
    """A renewal under an old epoch is refused, and so is a resume point."""
    metrics = Metrics()

    def robbed() -> None:
        with running(shop, plan_of(), SyncOptions(lease_seconds=1), metrics) as stop:
            until(lambda: metrics.snapshot()["state"] == "following")
            shop[COLLECTION].update_one({}, {"$inc": {"epoch": 1}, "$set": {"owner": "somebody else"}})
            until(stop.is_set)

    with pytest.raises(LeaseLost):
        robbed()


def test_a_resume_point_of_another_design_is_refused(shop: Database[Any]) -> None:
    """Until the user says that everything is to be compared anew."""
    with pytest.raises(SyncError, match="another version of the design"):
        sync(shop, plan_of("async(2s)"), ONCE)
    report = sync(shop, plan_of("async(2s)"), SyncOptions(once=True, restart=True))
    assert report.full_refreshes == 3


def test_after_lost_history_everything_is_compared(shop: Database[Any]) -> None:
    """It says so, mends what it missed, and goes on from now."""
    shop.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
    shop[COLLECTION].update_one({}, {"$set": {"point.token": {"_data": "FF"}}})
    said: list[str] = []
    metrics = Metrics()
    sync(shop, plan_of(), ONCE, metrics=metrics, say=said.append)
    assert metrics.counted("history_lost") == 1
    assert any("Comparing everything" in each for each in said)
    assert names(shop) == [{"name": "Eve"}, {"name": "Eve"}, {}]


def test_a_copy_the_server_refuses_is_named(shop: Database[Any]) -> None:
    """A document its validator does not take is left, and told, by each later run too, until it can be written."""
    shop.command("collMod", "purchases", validator={"customer": {"$ne": {"name": "Eve"}}})
    shop.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
    metrics = Metrics()
    report = sync(shop, plan_of(), ONCE, metrics=metrics)
    assert (report.clean, report.refused) == (False, 2)
    assert "purchases.customer of 1" in str(metrics.snapshot()["refusals"])
    again = sync(shop, plan_of(), ONCE)
    assert (again.clean, again.refused) == (False, 2)
    assert names(shop) == [{"name": "Ada"}, {"name": "Ada"}, {}]
    shop.command("collMod", "purchases", validator={})
    last = sync(shop, plan_of(), ONCE)
    assert (last.clean, last.written) == (True, 2)
    assert names(shop) == [{"name": "Eve"}, {"name": "Eve"}, {}]


@pytest.mark.parametrize("anew", [False, True])
def test_a_document_that_cannot_be_for_arithmetic_stops_no_other(shop: Database[Any], *, anew: bool) -> None:
    """A sum over 64 bits of one document: it is named and left, and what others hold is mended."""
    shop.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
    shop.purchases.update_many({"customer_id": 1}, {"$set": {"total": Int64(5 * 10**18)}})
    shop.purchases.update_one({"_id": 3}, {"$set": {"total": 7}})
    metrics = Metrics()
    report = sync(shop, plan_of(), SyncOptions(once=True, restart=anew), metrics=metrics)
    assert (report.clean, report.refused) == (False, 1)
    assert metrics.snapshot()["refusals"] == ["customers.spent of 1 in `customers`: a whole number exceeds 64 bits"]
    assert names(shop) == [{"name": "Eve"}, {"name": "Eve"}, {}]
    assert [each["spent"] for each in shop.customers.find(sort=[("_id", 1)])] == [30, 7]


@pytest.mark.thorough
def test_elements_that_share_a_key_get_their_own_copies(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Two loans of one number, of two authors: the name of one that changes comes to its own loan alone."""
    with loaded(mongo_client, rows(), library()) as (proposal, database):
        plan = sync_plan(proposal.design)
        sync(database, plan, ONCE)
        database.books.update_one({"_id": 7}, {"$set": {"loans.1.number": 0, "loans.1.by": "author 7"}})
        database.authors.update_one({"_id": 7}, {"$set": {"name": "Eve"}})
        assert sync(database, plan, ONCE).clean
        loans = (database.books.find_one({"_id": 7}) or {})["loans"]
        assert [each["by"] for each in loans] == ["Eve", "author 8", "author 9"]


def test_many_holders_are_mended_on_the_side(shop: Database[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What one change fans out to does not hold up the next one; the resume point waits for it."""
    monkeypatch.setattr(loop, "INLINE_HOLDERS", 1)
    shop.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
    sync(shop, plan_of(), ONCE)
    assert names(shop) == [{"name": "Eve"}, {"name": "Eve"}, {}]


def test_scheduled_values_are_computed_when_they_are_due(shop: Database[Any]) -> None:
    """Not at the change, but at once when the period is over, and whenever `once` is asked for."""
    plan = plan_of("scheduled(1h)")
    sync(shop, plan, SyncOptions(once=True, restart=True))
    metrics = Metrics()
    with running(shop, plan, SyncOptions(), metrics):
        until(lambda: metrics.snapshot()["state"] == "following")
        shop.purchases.insert_one({"_id": 4, "customer_id": 1, "total": 70})
        until(lambda: shop.customers.find_one({"_id": 1})["bought"] == 3)  # type: ignore[index]
        assert shop.customers.find_one({"_id": 1})["spent"] == 30  # type: ignore[index]
    sync(shop, plan, ONCE)
    assert shop.customers.find_one({"_id": 1})["spent"] == 100  # type: ignore[index]
    found = standing(shop, "shop")
    assert found is not None
    assert set(found.computed) == {"customers.spent"}


@pytest.mark.thorough
def test_a_lease_that_is_taken_anew_knows_no_times(shop: Database[Any]) -> None:
    """`--restart` forgets when scheduled values were computed, as it does the resume point; going on knows both."""
    sync(shop, plan_of("scheduled(1h)"), SyncOptions(once=True, restart=True))
    before = standing(shop, "shop")
    assert before is not None
    assert before.computed
    design = before.design
    for anew, known in ((False, before.computed), (True, {})):
        lease = SyncLease(shop, "shop", design, 10.0, lambda: None)
        assert lease.take(anew=anew)
        assert lease.computed == known
        lease.release()
    after = standing(shop, "shop")
    assert after is None or not after.computed


@pytest.mark.thorough
def test_a_scheduled_value_is_computed_anew_after_a_stop_in_between(
    shop: Database[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts as computed when it is, so that the next run does what the last one had begun."""
    plan = plan_of("scheduled(1h)")
    shop.purchases.insert_one({"_id": 4, "customer_id": 1, "total": 70})
    begun, every = threading.Event(), Refresh.every

    def stopped(self: Refresh, kept: BackgroundUpkeep) -> None:
        if kept.id == "customers.spent":
            begun.set()
            while True:  # until the run is stopped
                self._may_go_on()
                time.sleep(0.01)
        every(self, kept)

    metrics = Metrics()
    with monkeypatch.context() as patched:
        patched.setattr(Refresh, "every", stopped)
        with running(shop, plan, SyncOptions(restart=True), metrics):
            begun.wait(15)
            shop.purchases.insert_one({"_id": 5, "customer_id": 2, "total": 1})
            until(lambda: metrics.counted("changes"))
    assert "last_computed" not in metrics.snapshot()
    with running(shop, plan, SyncOptions(), metrics):
        until(lambda: shop.customers.find_one({"_id": 1})["spent"] == 100)  # type: ignore[index]
        until(lambda: "customers.spent" in str(metrics.snapshot().get("last_computed")))
    found = standing(shop, "shop")
    assert found is not None
    assert set(found.computed) == {"customers.spent"}


def test_copies_of_a_dropped_collection_are_left(shop: Database[Any]) -> None:
    """They may be the last there is of it: at its drop, at each start, when all is compared, until it is said to let them go."""
    kept = [*shop.customers.find()]
    shop.drop_collection("customers")
    for way in (ONCE, ONCE, SyncOptions(once=True, restart=True)):
        with pytest.raises(SyncError, match=r"(?s)`customers` no longer exists.*\(purchases.customer\).*--remove"):
            sync(shop, plan_of(), way)
    assert names(shop) == [{"name": "Ada"}, {"name": "Ada"}, {}]
    shop.customers.insert_many(kept)
    assert sync(shop, plan_of(), ONCE).clean
    assert names(shop) == [{"name": "Ada"}, {"name": "Ada"}, {}]
    shop.customers.rename("clients")
    sync(shop, plan_of(), SyncOptions(once=True, remove=True))
    assert names(shop) == [None, None, None]


@pytest.mark.thorough
def test_what_holds_no_copies_may_lack_its_source(shop: Database[Any]) -> None:
    """A collection that nothing was ever written to is not there; what follows from it by counting is not lost with it."""
    shop.purchases.drop()
    assert sync(shop, plan_of(), SyncOptions(once=True, restart=True)).clean
    assert [each["bought"] for each in shop.customers.find()] == [0, 0]
    shop.customers.drop()
    shop.purchases.insert_one({"_id": 1, "customer_id": 9, "total": 1})
    assert sync(shop, plan_of(), SyncOptions(once=True, restart=True)).clean


def test_metrics_are_served_and_written(tmp_path: Path) -> None:
    """As Prometheus reads them, as JSON, and as a health check."""
    metrics = Metrics()
    with served(metrics, 'a "shop"', "127.0.0.1", 0) as port, status_written(metrics, tmp_path / "status.json", 0.05):
        at = f"http://127.0.0.1:{port}"
        metrics.count("written", 3)
        text = urllib.request.urlopen(f"{at}/metrics").read().decode()
        assert 'nestling_sync_written_total{design="a \\"shop\\""} 3' in text
        assert json.loads(urllib.request.urlopen(f"{at}/status").read())["written"] == 3
        with pytest.raises(HTTPError, match="503") as refused:
            urllib.request.urlopen(f"{at}/health")
        refused.value.close()
        metrics.say(state="following")
        assert urllib.request.urlopen(f"{at}/health").status == 200
    assert json.loads((tmp_path / "status.json").read_text())["state"] == "following"
    with pytest.raises(InputError, match="the metrics cannot be written: No such file"):
        status_written(metrics, tmp_path / "none" / "status.json", 1).__enter__()


@pytest.mark.parametrize(
    ("named", "answered"),
    [("127.0.0.1:1", 200), ("localhost", 200), ("[::1]:80", 200), ("a.example", 403), ("[::1", 403), ("127.0.0.1.example", 403)],
)  # fmt: skip
def test_metrics_for_this_machine_answer_no_other_name(named: str, answered: int) -> None:
    """A page in a browser reaches them under a name of its own, and would read the keys of documents."""
    with served(Metrics(), "shop", "127.0.0.1", 0) as port:
        connection = HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/status", headers={"Host": named})
        assert connection.getresponse().status == answered
        connection.close()


@pytest.mark.thorough
def test_a_large_fan_out_does_not_hold_up_others(shop: Database[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A change with many copies, in the same batch as others, is left to the side, and alone."""
    monkeypatch.setattr(loop, "INLINE_HOLDERS", 150)
    many = [{"_id": number, "customer_id": 1, "total": 1, "customer": {"name": "Ada"}} for number in range(100, 400)]
    shop.purchases.insert_many(many)
    sync(shop, plan_of(), ONCE)
    left: list[object] = []
    add = RefreshQueue.add

    def noted(side: RefreshQueue, task: Task) -> None:
        left.append((task.kept.id, task.anchors))
        add(side, task)

    monkeypatch.setattr(RefreshQueue, "add", noted)
    shop.customers.bulk_write([UpdateOne({"_id": n}, {"$set": {"name": name}}) for n, name in ((1, "Eve"), (2, "Bo"))])
    sync(shop, plan_of(), ONCE)
    assert left == [("purchases.customer", ([1],))]
    assert set(map(str, names(shop))) == {"{'name': 'Eve'}", "{'name': 'Bo'}"}


def test_a_renamed_collection_leaves_nothing_copied_until_it_is_back(shop: Database[Any]) -> None:
    """Taken away and brought back while the sync runs: what follows from it goes, and comes again."""
    metrics = Metrics()
    with running(shop, plan_of(), SyncOptions(remove=True), metrics):
        until(lambda: metrics.snapshot()["state"] == "following")
        shop.customers.rename("away")
        until(lambda: names(shop) == [None, None, None])
        shop["away"].rename("customers")
        until(lambda: names(shop) == [{"name": "Ada"}, {"name": "Ada"}, {}])


@pytest.mark.thorough
def test_changes_of_documents_near_the_limit(shop: Database[Any]) -> None:
    """Events hold names of fields, not documents: two versions of 9 MiB, one with its image, are no oversized event."""
    sync(shop, plan_of(), SyncOptions(once=True, images=True))
    shop.customers.update_one({"_id": 1}, {"$set": {"photo": "x" * 9 * 2**20}})
    shop.customers.replace_one(
        {"_id": 1}, {"_id": 1, "name": "Eve", "photo": "y" * 9 * 2**20, "bought": 2, "spent": 30}
    )
    sync(shop, plan_of(), ONCE)
    assert names(shop) == [{"name": "Eve"}, {"name": "Eve"}, {}]


@pytest.mark.soak
def test_images_near_the_limit(shop: Database[Any]) -> None:
    """A purchase of nearly 16 MiB moves to another customer, and goes; its image comes whole in both events."""
    sync(shop, plan_of(), SyncOptions(once=True, images=True))
    note = "x" * (2**24 - 10_000)
    shop.purchases.update_one({"_id": 1}, {"$set": {"note": note}})
    shop.purchases.update_one({"_id": 1}, {"$set": {"customer_id": 2, "note": note.upper()}})
    shop.purchases.delete_one({"_id": 1})
    sync(shop, plan_of(), ONCE)
    assert [(c["bought"], c.get("spent")) for c in shop.customers.find(sort=[("_id", 1)])] == [(1, 20), (1, 5)]
