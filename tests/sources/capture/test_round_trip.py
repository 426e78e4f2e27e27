"""SQL compiled to MongoDB commands, run, captured, and said as SQL again: the same answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from nestling import Store, pipeline
from nestling.ir.capture import CommandOperation
from tests.sources.capture.conftest import STRATEGIES
from tests.sources.capture.shops import Shop

READS = (
    *("product_page", "latest_reviews", "category_listing", "account_page", "loyalty", "purchase_details"),
    *("customer_purchases", "best_sellers", "view_count"),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reads_come_back_with_the_same_answers(strategy: str, shops: dict[str, Shop]) -> None:
    """Every read of the workload, captured from a recorder on a real server, answers as the SQL it was compiled from."""
    shop = shops[strategy]
    workload, _ = pipeline.statements_of(shop.proposal, shop.folder / "workload.sql", "sqlite")
    for name in READS:
        statement = workload.statement(name)
        assert statement is not None
        with shop.recorded(f"{strategy}_{name}.json") as (recorder, database):
            Store(shop.proposal, database, workload=workload).run(name, **dict(statement.samples))
        said = shop.said(recorder)
        assert [str(gap) for gap in said.gaps] == []
        (made,) = said.statements
        assert shop.answer(made) == shop.rows(statement.sql, dict(statement.samples)), made.sql


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_writes_come_back_as_changes_of_the_same_rows(strategy: str, own_shop: Callable[[str], Shop]) -> None:
    """An insert, an increment and a changed name are said as such; upkeep of copies is left out, not said as a write."""
    shop = own_shop(strategy)
    with shop.recorded(f"{strategy}_writes.json") as (recorder, database):
        store = Store(shop.proposal, database, workload=shop.folder / "workload.sql")
        store.run("take_stock", product=7, quantity=2)
        store.run("rename_product", id=7, name="Quiet grommet")
        store.run("write_review", id=90_001, product=7, customer=11, rating=5, body="Good.", at="2026-05-01 10:00:00")
    said = {" ".join(each.sql.split()): dict(each.samples) for each in shop.said(recorder).statements}
    stock = said["UPDATE product SET stock = stock + :stock_by WHERE product_id = :product_id"]
    assert stock == {"product_id": 7, "stock_by": -2}
    assert "UPDATE product SET name = :name WHERE product_id = :product_id" in said
    (insert,) = [sql for sql in said if sql.startswith("INSERT INTO review")]
    assert said[insert]["review_id"] == 90_001
    assert {"product_id", "customer_id", "rating", "body", "written_at"} <= set(said[insert])
    assert not [sql for sql in said if "page_view" in sql or "_held" in sql]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_profiler_and_the_log_say_what_the_recorder_says(
    strategy: str, shops: dict[str, Shop], tmp_path: Path
) -> None:
    """The same reads by profiling level 2, by the server's JSON log (slowms 0) and by the recorder are the same SQL."""
    shop = shops[strategy]
    workload, _ = pipeline.statements_of(shop.proposal, shop.folder / "workload.sql", "sqlite")
    shop.database.command("profile", 0)
    shop.database["system.profile"].drop()
    shop.database.command("profile", 2, slowms=0)
    with shop.recorded(f"{strategy}_all.json") as (recorder, database):
        store = Store(shop.proposal, database, workload=workload)
        for name in READS:
            store.run(name, **dict(workload.statement(name).samples))  # type: ignore[union-attr]
    shop.database.command("profile", 0, slowms=100)
    lines = shop.database.client.admin.command("getLog", "global")["log"]
    (tmp_path / "mongod.log").write_text("\n".join(lines), encoding="utf-8")
    uri = shop.uri.replace("/?", f"/{shop.database.name}?")
    sources: tuple[str, ...] = (str(recorder.path), uri, str(tmp_path / "mongod.log"))
    told = [pipeline.captured_workload(pipeline.capture([source]), shop.proposal.design) for source in sources]
    reads = [{each.sql for each in one.statements if each.sql.startswith("SELECT")} for one in told]
    assert len(reads[0]) == len(READS)
    assert reads[0] == reads[1] <= reads[2]


@pytest.mark.thorough
def test_captured_statements_become_the_workload_of_a_reading(shops: dict[str, Shop]) -> None:
    """What was captured is parsed as a workload file with rates and footprints; of growth so short a while tells nothing."""
    shop = shops["embedded"]
    with shop.recorded("reading.json") as (recorder, database):
        store = Store(shop.proposal, database, workload=shop.folder / "workload.sql")
        for place in chain([7] * 30, [8] * 10):
            store.run("latest_reviews", id=place)
    capture = recorder.capture()
    (seen,) = capture.seen
    assert (seen.shape.operation, seen.count) == (CommandOperation.AGGREGATE, 40)
    reading = pipeline.inspect(f"sqlite:///{shop.folder}/shop.db")
    found = pipeline.with_captured(reading, capture, shop.proposal.design)
    assert found.workload.window_seconds == pytest.approx(max(capture.window_seconds, 1), abs=0.05)
    (short,) = found.gaps[len(reading.gaps) :]
    assert short.what.startswith("how the data grows")
    assert short.where == "captured statements"  # there is no file to look into
    (statement,) = found.workload.statements
    assert statement.rate_per_second == pytest.approx(capture.rate(seen), rel=0.01)
    assert [access.entity for access in statement.accesses] == ["review", "customer"]
