"""Work estimated for reads: right row counts where statistics tell them, and the quantities an architect would expect."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.cost import experiments
from nestling.ir.design import Design
from nestling.ir.paths.work import Work
from nestling.ir.primitives import Index
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import documents_of, estimate


@pytest.fixture(scope="module")
def source() -> Iterator[tuple[str, Reading]]:
    """The experiments' database and what inspecting it tells."""
    with experiments.source() as (address, workload):
        yield address, pipeline.inspect(address, workload=workload)


@pytest.fixture(scope="module")
def normalized(source: tuple[str, Reading]) -> Proposal:
    """Every entity a collection."""
    return pipeline.design(source[1], "normalized")


@pytest.fixture(scope="module")
def embedded(source: tuple[str, Reading]) -> Proposal:
    """Children inside their parents."""
    return pipeline.design(source[1], "embedded")


def work(
    sql: str, proposal: Proposal, design: Design | None = None, values: Mapping[str, object] | None = None
) -> Work:
    """The estimate for a statement."""
    used = design or proposal.design
    query = translate(sql, used.model, "sqlite")
    assert isinstance(query, Query)
    return estimate(plan_read(query, used), used, proposal.statistics, values)


@pytest.mark.thorough
def test_row_counts_of_the_experiments(source: tuple[str, Reading], normalized: Proposal, embedded: Proposal) -> None:
    """On both designs as many results are expected as SQLite gives, for every statement the server is measured with."""
    address, reading = source
    wrong = []
    with closing(sqlite3.connect(Path(address.removeprefix("sqlite:///")))) as connection:
        for statement in reading.workload.statements:
            values = dict(statement.samples)
            rows = len(connection.execute(statement.sql, values).fetchall())
            for proposal in (normalized, embedded):
                found = work(statement.sql, proposal, values=values).results
                if not rows * 0.85 - 1 <= found <= rows * 1.15 + 1:
                    wrong.append((statement.name, proposal.strategy, rows, found))
    allowed = {"small_ten_groups", "many_tags_list"}  # which groups occur together is in no statistics
    assert [each for each in wrong if each[0] not in allowed] == []


def test_a_point_read(normalized: Proposal) -> None:
    """By its key: one seek, one document, one result, no pipeline."""
    found = work("SELECT label FROM small WHERE id = :id", normalized)
    assert (found.index_seeks, found.keys, found.documents) == pytest.approx((1, 1, 1))
    assert (found.scanned, found.stages, found.passed) == (0, 0, 0)
    assert (found.results, found.values) == pytest.approx((1, 1))


def test_a_scan_where_no_index_serves(normalized: Proposal) -> None:
    """A range without an index reads all documents and returns a third."""
    found = work("SELECT id FROM small WHERE number > :n", normalized)
    assert found.scanned == 12_000
    assert found.results == pytest.approx(4_000)


def test_no_index_serves_texts_that_are_computed_first(normalized: Proposal) -> None:
    """A comparison by a collation of SQLite's own looks at every document, whatever index there is."""
    design = Design(normalized.design.model, normalized.design.collections, (Index("small", (("label", 1),)),))
    exact = work("SELECT id FROM small WHERE label = 'a'", normalized, design)
    found = work("SELECT id FROM small WHERE label = 'a' COLLATE NOCASE", normalized, design)
    assert (exact.scanned, exact.index_seeks) == (0, 1)
    assert (found.scanned, found.index_seeks) == (12_000, 0)


def test_a_join_along_an_embedding(embedded: Proposal, normalized: Proposal) -> None:
    """Embedded children come with their parent: no lookup, as many elements as children; normalized it is one lookup."""
    sql = "SELECT many.label, many_item.amount FROM many JOIN many_item ON many_item.many_id = many.id WHERE many.id = :id"
    together, apart = work(sql, embedded), work(sql, normalized)
    assert (together.documents, together.lookups) == pytest.approx((1, 0))
    assert together.elements == pytest.approx(40)
    assert (apart.documents, apart.lookups) == pytest.approx((41, 1))
    assert together.results == pytest.approx(apart.results)


def test_a_lookup_for_every_row(normalized: Proposal) -> None:
    """A join of all parents looks up once for each."""
    found = work("SELECT few.ten FROM few JOIN few_item ON few_item.few_id = few.id", normalized)
    assert found.lookups == pytest.approx(2_000)
    assert found.results == pytest.approx(6_000)


def test_what_does_not_mention_the_outer_row_is_kept(normalized: Proposal) -> None:
    """Groups in a subquery that are only then compared with the outer row are made once, not for each row again."""
    groups = "SELECT many_id, COUNT(*) AS n FROM many_item GROUP BY many_id"
    found = work(
        f"SELECT few.ten, (SELECT COUNT(*) FROM ({groups}) g WHERE g.n > few.ten) AS more FROM few", normalized
    )
    once = work(groups, normalized)
    assert found.grouped <= once.grouped + 2_000 * once.results
    assert found.scanned == pytest.approx(once.scanned + 2_000)


def test_samples_tell_how_many_rows_a_range_finds(normalized: Proposal) -> None:
    """By the value of the parameter, between the least and the most number there is."""
    for asked, rows in ((0, 12_000), (6_000, 6_000), (11_880, 120)):
        found = work("SELECT id FROM small WHERE number >= :n", normalized, values={"n": asked})
        assert found.results == pytest.approx(rows, rel=0.02)
    both = work(
        "SELECT id FROM small WHERE number BETWEEN :low AND :high", normalized, values={"low": 600, "high": 1_200}
    )
    assert both.results == pytest.approx(600, rel=0.02)


def test_a_limit_stops_early(normalized: Proposal) -> None:
    """Ten rows of all need ten documents; sorted without an index they need all."""
    early = work("SELECT label FROM small LIMIT 10", normalized)
    late = work("SELECT label FROM small ORDER BY label LIMIT 10", normalized)
    assert early.scanned == pytest.approx(10)
    assert late.scanned == 12_000
    assert late.results == early.results == pytest.approx(10)


def test_a_limit_behind_a_lookup_ends_the_lookups(normalized: Proposal) -> None:
    """What is looked up stops with the limit, but the server reads a batch of the collection before the first lookup."""
    asked = "SELECT s.label FROM small s WHERE {} EXISTS (SELECT 1 FROM few f WHERE f.ten = s.id) {} LIMIT 10"
    found = work(asked.format("NOT", ""), normalized)
    assert 10 <= found.lookups < 20
    assert 10_000 < found.scanned <= 12_000 + 20 * 2_000
    sql = "SELECT few.ten FROM few JOIN few_item ON few_item.few_id = few.id LIMIT 10"
    assert work(sql, normalized).lookups < 10
    assert work(sql, normalized).scanned == pytest.approx(2_000)


def test_an_index_gives_the_order(normalized: Proposal) -> None:
    """With an index on what is sorted by, nothing is sorted and the limit stops the walk."""
    index = Index("small", (("label", 1),))
    design = replace(normalized.design, indexes=(*normalized.design.indexes, index))
    found = work("SELECT * FROM small ORDER BY label LIMIT 10", normalized, design)
    assert found.sorted == 0
    assert found.keys == pytest.approx(10)


@pytest.mark.parametrize(("keys", "documents"), [((("ten", 1),), 1_200), ((("ten", 1), ("hundred", 1)), 12)])
def test_a_compound_index_narrows(normalized: Proposal, keys: tuple[tuple[str, int], ...], documents: float) -> None:
    """Each equality an index begins with keeps its share of the documents."""
    others = tuple(index for index in normalized.design.indexes if index.collection != "small")
    design = replace(normalized.design, indexes=(*others, Index("small", keys)))
    found = work("SELECT * FROM small WHERE ten = :a AND hundred = :b", normalized, design)
    assert found.documents == pytest.approx(documents)


def test_an_index_that_holds_all_that_is_asked(normalized: Proposal) -> None:
    """A count over an indexed value fetches no document."""
    found = work("SELECT COUNT(*) FROM small WHERE ten = :a", normalized)
    assert (found.keys, found.documents) == pytest.approx((1_200, 0))


def test_arrays_nobody_asks_for_are_not_looked_at(embedded: Proposal) -> None:
    """Reading a parent alone looks at less of its document than reading its children too."""
    alone = work("SELECT label FROM many WHERE id = :id", embedded)
    with_children = work(
        "SELECT many_item.label FROM many JOIN many_item ON many_item.many_id = many.id WHERE many.id = :id", embedded
    )
    assert with_children.read_bytes > 10 * alone.read_bytes


def test_what_no_element_can_meet(embedded: Proposal) -> None:
    """A range beyond all values of embedded children leaves no rows, and costs what asking the documents does."""
    joined = "many JOIN many_item ON many_item.many_id = many.id"
    sql = f"SELECT many.id, count(*) FROM {joined} WHERE many_item.amount > :least GROUP BY many.id"
    found = work(sql, embedded, values={"least": 10**12})
    assert (found.elements, found.results) == pytest.approx((0, 0), abs=1)


def test_documents_are_as_large_as_they_are_stored(embedded: Proposal) -> None:
    """A parent's document weighs itself and its forty children, within what statistics can tell."""
    store = embedded.design.store("many")
    found = documents_of(store, embedded.design, embedded.statistics)
    assert found.count == 250
    assert found.arrays["many_item"] == pytest.approx(40)
    assert found.bytes == pytest.approx(40 * found.array_bytes["many_item"] / 40, rel=0.1)


def test_groups_are_as_many_as_values(normalized: Proposal) -> None:
    """A group for each value of the key; the rows all pass."""
    found = work("SELECT thousand, SUM(number) AS n FROM small GROUP BY thousand", normalized)
    assert found.grouped == pytest.approx(12_000)
    assert found.results == pytest.approx(1_000, rel=0.01)


def test_a_sample_value_tells_the_limit(normalized: Proposal) -> None:
    """LIMIT by a parameter is its sample value where there is one."""
    found = work("SELECT label FROM small LIMIT :n", normalized, values={"n": 7})
    assert found.results == pytest.approx(7)


def test_a_condition_said_twice_counts_once(normalized: Proposal, embedded: Proposal) -> None:
    """The same equality, and the same end of a range, leave no fewer rows when they are asked again."""
    once = work("SELECT id FROM small WHERE number = :n", normalized)
    twice = work("SELECT id FROM small WHERE number = :n AND number = :n", normalized)
    assert twice.scanned == once.scanned
    assert twice.results == pytest.approx(once.results)
    one_end = work("SELECT id FROM small WHERE number > :n AND number > :n", normalized)
    assert one_end.results == pytest.approx(4_000)
    joined = "SELECT many.label FROM many JOIN many_item ON many_item.many_id = many.id WHERE many_item.many_id = :id"
    for proposal in (normalized, embedded):
        plain, again = work(joined, proposal), work(f"{joined} AND many.id = :id", proposal)
        assert again.results == pytest.approx(plain.results)


def test_the_ends_of_a_range_are_one_condition(normalized: Proposal) -> None:
    """Written as two comparisons as well as by BETWEEN, with an index and without."""
    design = Design(normalized.design.model, normalized.design.collections, (Index("small", (("number", 1),)),))
    for used in (normalized.design, design):
        values = {"low": 600, "high": 1_200}
        between = work("SELECT id FROM small WHERE number BETWEEN :low AND :high", normalized, used, values)
        apart = work("SELECT id FROM small WHERE number >= :low AND number < :high", normalized, used, values)
        assert apart.results == pytest.approx(between.results, rel=0.01)
        assert apart.keys == pytest.approx(between.keys, rel=0.01)
        assert apart.documents == pytest.approx(between.documents, rel=0.01)
