"""Growth that only the workload tells of: what is inserted and not deleted, over a year."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.proposal import Choice, Decision, Proposal
from nestling.ir.reading import Reading
from nestling.ir.situation import Thresholds, situation
from nestling.ir.situation.fan_out import FanOut
from nestling.ir.statistics import EntityStatistics, Quantity, RelationshipStatistics, inferred, measured
from nestling.ir.workload import Access, AttributeFilter, Operator, Requirements, Statement, StatementKind
from nestling.shop import workload
from tests.bundled_shop import shop_address
from tests.strategies.readings import entity, fan_out, relationship, rows, select, write
from tests.strategies.readings import reading as small_reading


def test_lines_grow_with_their_purchases_but_not_with_their_product(
    shop_design: Callable[[str], Proposal],
) -> None:
    """Lines and purchases are inserted, products are not: a product's lines have no bound, a purchase's do."""
    proposal = shop_design("optimal")
    of_purchase, of_product = (proposal.decision(f"{name}_purchase_line") for name in ("purchase", "product"))
    assert of_purchase is not None
    assert of_product is not None
    assert of_purchase.choice is Choice.EMBED
    assert of_product.choice is Choice.PARENT_REFERENCE
    assert any("growing" in other.text for other in of_product.alternatives if other.choice is Choice.EMBED)


def test_documents_grow_with_the_rows_expected(shop_read: Reading, shop_design: Callable[[str], Proposal]) -> None:
    """A document that would hold all reviews of a product passes the bound, though it would not today."""
    decision = shop_design("optimal").decision("product_review")
    assert decision is not None
    (said,) = (reason.text for reason in decision.reasons if reason.text.startswith("document size"))
    assert said.startswith("document size: leans to referencing")
    assert "with the growth expected in a year" in said
    soon = pipeline.design(shop_read, "tree", Thresholds(growth_days=30)).decision("product_review")
    assert soon is not None
    assert any("with the growth expected in 30 days" in reason.text for reason in soon.reasons)


def test_growth_names_the_statements_it_comes_from() -> None:
    """Which statements insert the children, how often, and what was taken of parents nobody inserts; or what is declared."""

    def told(*statements: Statement, growth: float | None = None) -> str:
        found = small_reading(
            [entity("bill"), entity("line", "bill_id")],
            [relationship("bill", "line")],
            counts={"bill": rows(1000), "line": rows(5000, growth=growth)},
            fan_outs={"bill_line": fan_out(40)},
            statements=statements,
        )
        return situation(found, Thresholds()).fan_outs["bill_line"].text

    lines = write("add_line", Access("line", StatementKind.INSERT), rate=2)
    bills = write("add_bill", Access("bill", StatementKind.INSERT), rate=0.001)
    assert (
        "in a year (add_line inserts 2/s; no statement inserts `bill`, so the number is too high if new ones are added)"
        in told(lines)
    )
    assert told(lines, bills).endswith("in a year (add_line inserts 2/s)")
    assert told(growth=90).endswith("in a year (90 new `line` a day)")
    assert "growth" not in told(bills)


@pytest.mark.thorough
def test_rates_of_a_short_while_tell_nothing_of_growth(shop_folder: Path, tmp_path: Path) -> None:
    """Watched for a minute and a half they are no reason to expect a year of them, and that is said; for a day they are."""
    said = {}
    for seconds in (90, 86_400):
        (tmp_path / "workload.sql").write_text(f"-- window: {seconds} s\n{workload()}", encoding="utf-8")
        reading = pipeline.inspect(shop_address(shop_folder), workload=tmp_path / "workload.sql")
        decision = pipeline.design(reading, "tree").decision("product_review")
        assert decision is not None
        grows = any("with the growth expected" in reason.text for reason in decision.reasons)
        said[reading.workload.window_seconds] = grows, [gap.what for gap in reading.gaps if "grows" in gap.what]
    short = "how the data grows: the rates were observed for 90.0 s only; capture for an hour or more"
    assert said == {90: (False, [short]), 86_400: (True, [])}


def test_assumed_growth_is_told() -> None:
    """A note says how large sets of children are taken to grow and why, unless that is measured or declared, or is little."""

    def notes(*statements: Statement, growth: float | None = None) -> tuple[str, ...]:
        found = small_reading(
            [entity("bill"), entity("line", "bill_id")],
            [relationship("bill", "line")],
            counts={"bill": rows(1000), "line": rows(5000, growth=growth)},
            fan_outs={"bill_line": fan_out(12)},
            statements=statements,
        )
        return tuple(note for note in pipeline.design(found, "tree").notes if "assumed" in note)

    lines = write("add_line", Access("line", StatementKind.INSERT), rate=2)
    (said,) = notes(lines)
    assert said.startswith(
        "growth is assumed, not measured or declared, for bill_line (at most 12 now; add_line inserts 2/s; no statement inserts"
        " `bill`). If that is wrong, add the INSERTs"
    )
    assert notes(lines, growth=90) == ()
    assert notes(write("change_line", Access("line", StatementKind.UPDATE), rate=2)) == ()


@pytest.mark.parametrize("said", ["", "growth", "read only"])
def test_a_table_that_stands_still_does_not_seem_to_grow(said: str) -> None:
    """Data may look as if it grew for ever; who says that there are no more rows is believed, else the guess is told."""
    found = small_reading(
        [entity("bill"), entity("line", "bill_id")],
        [relationship("bill", "line")],
        counts={"bill": rows(1000), "line": rows(5000, growth=0 if said == "growth" else None)},
        fan_outs={"bill_line": replace(fan_out(400, mean=12), grows=inferred(1))},
        requirements=Requirements(read_only=("line",) if said == "read only" else ()),
    )
    assert situation(found, Thresholds()).fan_outs["bill_line"].grows is not bool(said)
    guessed = "`line` has a time column, and one `bill` has 400 of them, far above the mean"
    assert any(guessed in note for note in pipeline.design(found, "tree").notes) is not bool(said)


def _people(
    largest: RelationshipStatistics, *statements: Statement, counts: Mapping[str, EntityStatistics] | None = None
) -> Reading:
    """Persons with pets."""
    known = {"person": rows(1000), "pet": rows(2000)} if counts is None else counts
    people, link = [entity("person"), entity("pet", "person_id")], relationship("person", "pet")
    return small_reading(people, [link], counts=known, fan_outs={"person_pet": largest}, statements=statements)


ADD_PET = write("add_pet", Access("pet", StatementKind.INSERT), rate=1)


@pytest.mark.parametrize(
    ("known", "bounded"),
    [
        (RelationshipStatistics(maximum=Quantity(5)), True),
        (RelationshipStatistics(maximum=Quantity(5), grows=inferred(1)), True),
        (RelationshipStatistics(maximum=Quantity(5), grows=Quantity(1)), False),
        (RelationshipStatistics(maximum=measured(5), grows=Quantity(0)), True),
        (RelationshipStatistics(maximum=measured(5)), False),
        (RelationshipStatistics(maximum=measured(5), grows=inferred(0)), False),
    ],
)
def test_what_is_declared_of_growth_wins(known: RelationshipStatistics, *, bounded: bool) -> None:
    """A declared maximum holds whatever is inserted, unless growth is declared too; a measured one grows."""
    found = situation(_people(known, ADD_PET), Thresholds()).fan_outs["person_pet"]
    assert found.grows is not bounded
    assert (found.projected == 5) is bounded
    assert ("add_pet inserts 1/s" in found.text) is not bounded


def test_children_nobody_counted_grow_as_they_are_inserted() -> None:
    """Without any count, children that come without parents have no bound, and the tree does not embed them."""

    def decided(*statements: Statement) -> Decision:
        unknown = {name: EntityStatistics() for name in ("person", "pet")}
        found = pipeline.design(_people(RelationshipStatistics(), *statements, counts=unknown), "tree")
        made = found.decision("person_pet")
        assert made is not None
        return made

    read = select(
        "pets", Access("pet", StatementKind.SELECT, filters=(AttributeFilter("person_id", Operator.EQUALITY),))
    )
    person = write("add_person", Access("person", StatementKind.INSERT), rate=0.5)
    assert decided(read).choice is Choice.EMBED
    assert decided(read, ADD_PET, person).choice is Choice.EMBED
    endless = decided(read, ADD_PET)
    assert endless.choice is Choice.PARENT_REFERENCE
    told = "fan-out unknown (add_pet inserts 1/s; no statement inserts `person`), and it keeps growing"
    assert any(reason.text.endswith(told) for reason in endless.reasons)
    assert any(reason.text.startswith("cardinality: leans to referencing") for reason in endless.reasons)


def test_unique_rows_are_no_more_than_their_other_parents() -> None:
    """Rows unique with another foreign key grow to one for each other parent, with those that come; NULLs are no limit."""

    def found(
        *, key: tuple[str, ...] = ("course_id", "tag_id"), nullable: bool = False, tags: float | None = None
    ) -> FanOut:
        own = entity("tagged", "course_id", "tag_id")
        attributes = tuple(replace(a, nullable=nullable and a.name == "tag_id") for a in own.attributes)
        own = replace(own, attributes=attributes, uniques=(key,))
        reading = small_reading(
            [entity("course"), entity("tag"), own],
            [relationship("course", "tagged"), relationship("tag", "tagged")],
            counts={"course": rows(150), "tag": rows(15, growth=tags), "tagged": rows(282)},
            fan_outs={"course_tagged": fan_out(4)},
            statements=[write("add_tag", Access("tagged", StatementKind.INSERT), rate=0.1)],
        )
        return situation(reading, Thresholds()).fan_outs["course_tagged"]

    limited = found()
    assert limited.text == (
        "at most 4, 15 with the growth expected in a year "
        "(no more than one for each `tag`, as `course_id`, `tag_id` are unique together)"
    )
    assert not limited.grows
    assert not limited.assumed
    assert found(tags=1).projected == 15 + 365
    for without in (found(key=("course_id",)), found(nullable=True)):
        assert without.projected is not None
        assert without.projected > 10_000


@pytest.mark.parametrize(
    ("groups", "settings", "is_told"), [(18, 1, False), (18, 9, False), (18, 10, True), (3, 6, True)]
)
def test_a_handful_of_rows_tells_no_fan_out(groups: int, settings: int, is_told: bool) -> None:
    """A table of settings with one row tells nothing of the groups it names, and does not lie in one."""
    entities, most = (entity("group", "name"), entity("setting", "theme", "group_id")), -(-settings // groups)
    known = fan_out(most, mean=settings / groups, p99=most)
    small = small_reading(
        entities,
        [relationship("group", "setting")],
        counts={"group": rows(groups), "setting": rows(settings)},
        fan_outs={"group_setting": known},
    )
    assert situation(small, Thresholds()).fan_outs["group_setting"].largest == (most if is_told else None)
    declared = replace(known, maximum=Quantity(most))
    sure = small_reading(
        entities,
        [relationship("group", "setting")],
        counts={"group": rows(groups), "setting": rows(settings)},
        fan_outs={"group_setting": declared},
    )
    assert situation(sure, Thresholds()).fan_outs["group_setting"].largest == most
    several = small_reading(
        entities,
        [relationship("group", "setting")],
        counts={"group": rows(groups), "setting": rows(settings)},
        fan_outs={"group_setting": replace(known, maximum=measured(4), p99=measured(4))},
    )
    assert situation(several, Thresholds()).fan_outs["group_setting"].largest == 4
    decision = pipeline.design(small, "tree").decision("group_setting")
    assert decision is not None
    assert decision.choice is (Choice.EMBED if is_told else Choice.PARENT_REFERENCE)
