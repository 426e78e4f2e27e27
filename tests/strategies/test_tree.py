"""The tree beyond the sources' examples: thresholds, growth, lookups, and what invariants forbid."""

from __future__ import annotations

import re
from dataclasses import replace

from nestling.ir.primitives import Holder
from nestling.ir.proposal import Choice
from nestling.ir.workload import Requirements
from nestling.strategies import Thresholds, design
from tests.strategies.readings import entity, fan_out, read, reading, relationship, rows, select

FACTORS = (
    "read pattern",
    "write pattern",
    "data size",
    "atomicity",
    "duplication",
    "cardinality",
    "document size",
)


def parts(maximum: float | None, **numbers: float):
    return reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        fan_outs={"product_part": fan_out(maximum, **numbers)},
    )


def decided(found, name: str, *, few: int = Thresholds().few):
    decision = design(found, "tree", Thresholds(few=few)).decision(name)
    assert decision is not None
    return decision


def test_the_maximum_decides_and_not_the_mean():
    """A mean of 2 with a maximum of 60 is not few (A12)."""
    assert decided(parts(60, mean=2), "product_part").choice is Choice.CHILD_REFERENCE


def test_a_mean_alone_does_not_make_it_few():
    """Where only the mean is known, the tail may be long: neither embedded nor listed (A12)."""
    decision = decided(parts(None, mean=2), "product_part")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert any(reason.rule == "rule-4" and "not known" in reason.text for reason in decision.reasons)


def test_growth_is_projected():
    """Forty children today, ten times as many rows a year from now: no longer few (A12)."""
    grown = reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        counts={"product": rows(1000, growth=0), "part": rows(3650, growth=90)},
        fan_outs={"product_part": fan_out(40)},
    )
    assert decided(grown, "product_part").choice is Choice.CHILD_REFERENCE
    assert decided(parts(40), "product_part").choice is Choice.EMBED


def test_what_is_declared_to_grow_is_never_in_an_array():
    """An unbounded relationship is a squillion, however few there are today (A4)."""
    decision = decided(parts(5, grows=1), "product_part")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert "A4" in {reason.rule for reason in decision.reasons}


def test_thresholds_are_configurable():
    """Sixty is few when few is a hundred."""
    assert decided(parts(60), "product_part", few=100).choice is Choice.EMBED


def test_a_long_array_of_ids_is_not_kept():
    """More than a few thousand children: no array of ids (rule 4)."""
    decision = decided(parts(2_001), "product_part")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert any(reason.rule == "rule-4" and reason.number == 2_001 for reason in decision.reasons)


def test_a_small_lookup_parent_does_not_collect_ids():
    """Twenty genres with a hundred and forty tracks each classify; they do not own."""
    found = reading(
        [entity("genre"), entity("track", "genre_id")],
        [relationship("genre", "track")],
        counts={"genre": rows(20), "track": rows(2800)},
        fan_outs={"genre_track": fan_out(1300, mean=140)},
    )
    assert decided(found, "genre_track").choice is Choice.PARENT_REFERENCE


def test_a_small_parent_that_is_read_with_its_children_does_not_only_classify():
    """The sources' parts, of a hundred products with a hundred and fifty each, are read with them."""
    found = reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        counts={"product": rows(100), "part": rows(15_000)},
        fan_outs={"product_part": fan_out(300, mean=150)},
    )
    assert any("is taken to be a mere classification" in each.text for each in decided(found, "product_part").reasons)
    page = select("page", read("product", "id"), read("part", via="product_part"))
    together = replace(found, workload=replace(found.workload, statements=(page,)))
    assert not any("classify" in each.text for each in decided(together, "product_part").reasons)


def test_every_decision_weighs_the_seven_factors():
    """Read pattern to document size, each with the side it leans to (A7)."""
    decision = decided(parts(400), "product_part")
    factors = [reason.text.split(":")[0] for reason in decision.reasons if reason.rule == "A7"]
    assert tuple(factors) == FACTORS
    numbers = {reason.text.split(" –")[0]: reason.number for reason in decision.reasons if reason.rule == "A7"}
    assert numbers == {
        "read pattern: leans to neither": None,
        "write pattern: leans to neither": None,
        "data size: leans to embedding": 400 * 74,
        "atomicity: leans to neither": None,
        "duplication: leans to embedding": 0,
        "cardinality: leans to referencing": 400,
        "document size: leans to embedding": 37 + 400 * 74,
    }


def test_a_workload_gives_the_other_factors_their_numbers():
    """Shares of reads, writes a second, and statements that change both at once (A7, A9)."""
    found = reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        fan_outs={"product_part": fan_out(400)},
        statements=[
            select("both", read("product", "id"), read("part", via="product_part")),
            select("part", read("part", "id")),
        ],
    )
    told = {
        reason.text.split(":")[0]: reason for reason in decided(found, "product_part").reasons if reason.rule == "A7"
    }
    assert ("leans to embedding" in told["read pattern"].text, told["read pattern"].number) == (True, 0.5)
    assert ("leans to embedding" in told["write pattern"].text, told["write pattern"].number) == (True, 0)
    assert ("leans to neither" in told["atomicity"].text, told["atomicity"].number) == (True, 0)


def test_each_of_the_five_general_rules_is_cited():
    """By its id, where it speaks for or against what was chosen (A8)."""
    apart = reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        fan_outs={"product_part": fan_out(5)},
        statements=[select("part", read("part", "id"), read("product", via="product_part"))],
    )
    upwards = replace(apart, statistics=parts(400).statistics)
    told = ""
    for found in (parts(5), parts(4000), apart, upwards):
        decision = decided(found, "product_part")
        told += f"{[each.rule for each in decision.reasons]} {[other.text for other in decision.alternatives]}"
    assert {f"rule-{number}" for number in range(1, 6)} <= {*re.findall(r"rule-\d", told)}


def test_two_parents_that_both_say_embed_yield_one_home():
    """A child has one home; the other parent is referenced, and the reason says so."""
    found = reading(
        [entity("cart"), entity("product"), entity("cart_line", "cart_id", "product_id")],
        [relationship("cart", "cart_line"), relationship("product", "cart_line")],
        fan_outs={"cart_cart_line": fan_out(10), "product_cart_line": fan_out(3)},
    )
    proposal = design(found, "tree")
    home, other = proposal.decision("cart_cart_line"), proposal.decision("product_cart_line")
    assert home is not None
    assert home.choice is Choice.EMBED
    assert other is not None
    assert other.choice is Choice.PARENT_REFERENCE
    assert any(reason.rule == "invariant" and "already stored" in reason.text for reason in other.reasons)


def test_a_child_that_others_refer_to_stands_alone():
    """Without a workload, references from elsewhere are rule 2's compelling reason, against A2 (A10)."""
    found = reading(
        [entity("maker"), entity("product", "maker_id"), entity("sale"), entity("line", "sale_id", "product_id")],
        [relationship("maker", "product"), relationship("sale", "line"), relationship("product", "line")],
        fan_outs={"maker_product": fan_out(10), "sale_line": fan_out(3), "product_line": fan_out(40)},
    )
    decision = decided(found, "maker_product")
    assert decision.choice is not Choice.EMBED
    assert any(reason.rule == "rule-2" and "`line`" in reason.text for reason in decision.reasons)


def test_children_without_a_known_parent_are_not_embedded():
    """A nullable foreign key of which nothing is known leaves rows without a home: referenced, with the reason."""
    found = reading(
        [entity("product"), entity("part", "product_id?")],
        [relationship("product", "part", required=False)],
        fan_outs={"product_part": fan_out(5)},
    )
    decision = decided(found, "product_part")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert any(reason.rule == "invariant" for reason in decision.reasons)


def test_a_list_of_ids_never_loses_dangling_keys():
    """Foreign keys that point to nothing stay in the child."""
    found = reading(
        [entity("product"), entity("part", "product_id?")],
        [relationship("product", "part", required=False)],
        fan_outs={"product_part": fan_out(400, dangling=3, orphans=0)},
    )
    decision = decided(found, "product_part")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert any(reason.number == 3 for reason in decision.reasons)


def test_access_patterns_decide_on_the_side_of_the_ids():
    """When no statement goes from the parent to its children, the children hold the id (rule 5)."""
    found = reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        fan_outs={"product_part": fan_out(400)},
        statements=[select("part", read("part", "id"), read("product", via="product_part"))],
    )
    decision = decided(found, "product_part")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert "rule-5" in {reason.rule for reason in decision.reasons}


def test_the_required_array_bound_holds_for_ids_too():
    """An array bound below the number of ids leaves them to the children."""
    found = reading(
        [entity("product"), entity("part", "product_id")],
        [relationship("product", "part")],
        fan_outs={"product_part": fan_out(400)},
        requirements=Requirements(array_bound=100),
    )
    assert decided(found, "product_part").choice is Choice.PARENT_REFERENCE


def test_ids_are_kept_in_root_documents_only():
    """An embedded parent cannot list its children's ids."""
    found = reading(
        [entity("maker"), entity("product", "maker_id"), entity("part", "product_id")],
        [relationship("maker", "product"), relationship("product", "part")],
        fan_outs={"maker_product": fan_out(10), "product_part": fan_out(400)},
    )
    proposal = design(found, "tree")
    part = next(each for each in proposal.design.collections if each.root == "part")
    assert [each.holder for each in part.body.references] == [Holder.CHILD]


def held_by(proposal, child: str) -> dict[str, set[Holder]]:
    """Who holds the ids of each relationship of a child."""
    found: dict[str, set[Holder]] = {}
    for collection in proposal.design.collections:
        for reference in collection.body.references:
            if proposal.design.model.relationship(reference.relationship).child == child:
                found.setdefault(reference.relationship, set()).add(reference.holder)
    return found


def test_a_child_of_several_parents_holds_their_ids():
    """A comment of a task and of a user: ids in both parents would scatter it over their arrays (rule 2)."""
    found = reading(
        [entity("task"), entity("user"), entity("comment", "task_id", "user_id")],
        [relationship("task", "comment"), relationship("user", "comment")],
        fan_outs={"task_comment": fan_out(400), "user_comment": fan_out(900)},
    )
    proposal = design(found, "tree")
    assert held_by(proposal, "comment") == {"task_comment": {Holder.CHILD}, "user_comment": {Holder.CHILD}}
    assert ("rule-2", 2) in {(each.rule, each.number) for each in decided(found, "task_comment").reasons}


def test_a_tree_within_its_parent_holds_its_parents_id():
    """A folder has a parent folder beside its team: it holds both ids."""
    found = reading(
        [entity("team"), entity("folder", "team_id", "parent_id?")],
        [relationship("team", "folder"), relationship("folder", "folder", by="parent_id", required=False)],
        fan_outs={"team_folder": fan_out(400)},
    )
    assert held_by(design(found, "tree"), "folder")["team_folder"] == {Holder.CHILD}


def test_a_task_of_a_person_and_a_project_is_read_both_ways():
    """The source's own example has two parents: where statements go down and up, both sides hold the id (A11)."""
    found = reading(
        [entity("person"), entity("project"), entity("task", "person_id", "project_id")],
        [relationship("person", "task"), relationship("project", "task")],
        fan_outs={"person_task": fan_out(300), "project_task": fan_out(300)},
        statements=[
            select("tasks_of", read("person", "id"), read("task", via="person_task")),
            select("owner_of", read("task", "id"), read("person", via="person_task")),
        ],
    )
    assert decided(found, "person_task").choice is Choice.TWO_WAY_REFERENCE


def test_a_hub_holds_no_arrays_of_ids():
    """Five kinds of children of one user: with an array for each, every new child would write the user (rule 4)."""
    kinds = ("session", "device", "token", "visit", "mail")

    def of(number: int):
        return reading(
            [entity("user"), *(entity(each, "user_id") for each in kinds[:number])],
            [relationship("user", each) for each in kinds[:number]],
            fan_outs={f"user_{each}": fan_out(400) for each in kinds[:number]},
        )

    assert decided(of(4), "user_visit").choice is Choice.CHILD_REFERENCE
    decision = decided(of(5), "user_visit")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert ("rule-4", 5) in {(each.rule, each.number) for each in decision.reasons}


def test_a_child_that_is_unique_by_itself_stands_alone():
    """An invoice is found by its number, which no index keeps unique among elements of arrays (rule 2)."""

    def invoices(*unique: str):
        return reading(
            [entity("org"), entity("invoice", "org_id", "number", uniques=[unique])],
            [relationship("org", "invoice")],
            fan_outs={"org_invoice": fan_out(15)},
        )

    decision = decided(invoices("number"), "org_invoice")
    assert decision.choice is not Choice.EMBED
    assert any(each.rule == "rule-2" and "`number`" in each.text for each in decision.reasons)
    assert decided(invoices("org_id", "number"), "org_invoice").choice is Choice.EMBED


def test_an_order_with_lines_of_its_own_and_two_parents_stands_alone():
    """It lives in no one of them, and its lines live in it (rule 2)."""
    found = reading(
        [
            entity("customer"),
            entity("clerk"),
            entity("purchase", "customer_id", "clerk_id"),
            entity("line", "purchase_id"),
        ],
        [relationship("customer", "purchase"), relationship("clerk", "purchase"), relationship("purchase", "line")],
        fan_outs={"customer_purchase": fan_out(10), "clerk_purchase": fan_out(40), "purchase_line": fan_out(6)},
    )
    assert decided(found, "purchase_line").choice is Choice.EMBED
    decision = decided(found, "customer_purchase")
    assert decision.choice is Choice.PARENT_REFERENCE
    assert any(each.rule == "rule-2" and "`line`" in each.text for each in decision.reasons)
