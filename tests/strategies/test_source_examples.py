"""The sources' own examples, each of which must come out of the tree as the source says (A1 – A5, A11)."""

from __future__ import annotations

import pytest

from nestling.ir.model import ManyToMany, OnDelete
from nestling.ir.primitives import Form, Holder
from nestling.ir.proposal import Choice, Proposal
from nestling.ir.reading import Reading
from nestling.strategies import design
from tests.strategies.readings import change, entity, fan_out, read, reading, relationship, rows, select, write


def choice(proposal: Proposal, name: str) -> Choice:
    decision = proposal.decision(name)
    assert decision is not None
    return decision.choice


def rules(proposal: Proposal, name: str) -> set[str]:
    decision = proposal.decision(name)
    assert decision is not None
    return {reason.rule for reason in decision.reasons}


def one_to_many(parent: str, child: str, maximum: float, *statements: object, **counts: object) -> Reading:
    return reading(
        [entity(parent, "name"), entity(child, f"{parent}_id", "name")],
        [relationship(parent, child)],
        fan_outs={f"{parent}_{child}": fan_out(maximum)},
        statements=statements,  # type: ignore[arg-type]
        counts=counts,  # type: ignore[arg-type]
    )


def test_a_users_addresses_are_embedded():
    """One-to-few: embed (A2)."""
    proposal = design(one_to_many("user", "address", 4), "tree")
    assert choice(proposal, "user_address") is Choice.EMBED
    assert [each.root for each in proposal.design.collections] == ["user"]
    assert {"A2", "rule-1"} <= rules(proposal, "user_address")


def test_a_one_to_one_lies_within_its_document():
    """One-to-one: key-value pairs in the document (A1)."""
    found = reading(
        [entity("user", "name"), entity("profile", "user_id", uniques=[("user_id",)])],
        [relationship("user", "profile", one=True)],
    )
    proposal = design(found, "tree")
    assert choice(proposal, "user_profile") is Choice.EMBED
    assert proposal.design.collections[0].body.embeddings[0].form is Form.OBJECT
    assert "A1" in rules(proposal, "user_profile")


def test_a_product_holds_the_ids_of_its_parts():
    """One-to-many, parts accessed by themselves: reference, child ids in the parent (A3)."""
    proposal = design(
        one_to_many(
            "product",
            "part",
            400,
            select("catalogue", read("product", "id"), read("part", via="product_part"), rate=10),
            select("part_page", read("part", "id"), rate=5),
        ),
        "tree",
    )
    assert choice(proposal, "product_part") is Choice.CHILD_REFERENCE
    product = next(each for each in proposal.design.collections if each.root == "product")
    assert [(each.holder, each.field) for each in product.body.references] == [(Holder.PARENT, "part_ids")]


def test_child_ids_are_held_without_a_workload_too():
    """A3 as it stands: without a workload the schema answers, and the answer says so."""
    proposal = design(one_to_many("product", "part", 400, product=rows(10_000)), "tree")
    assert choice(proposal, "product_part") is Choice.CHILD_REFERENCE
    decision = proposal.decision("product_part")
    assert decision is not None
    assert any("no workload given" in reason.text for reason in decision.reasons)


@pytest.mark.parametrize(
    ("others", "said"), [(("note",), "`note` refers to it"), (("note", "tag"), "`note`, `tag` refer to it")]
)
def test_what_refers_from_elsewhere_agrees_with_its_number(others: tuple[str, ...], said: str):
    """The schema's answer: one other entity refers to the child, or two do."""
    own = [relationship("room", each, on_delete=OnDelete.CASCADE) for each in others]
    found = reading(
        [
            *(entity(each, "name") for each in ("product", "room")),
            *(entity("part", "product_id"), *(entity(each, "part_id", "room_id") for each in others)),
        ],
        [
            relationship("product", "part", on_delete=OnDelete.CASCADE),
            *own,
            *(relationship("part", each) for each in others),
        ],
        fan_outs={"product_part": fan_out(120), **{link.name: fan_out(9) for link in own}},
    )
    decision = design(found, "tree").decision("product_part")
    assert decision is not None
    assert any(f"because {said} from elsewhere" in reason.text for reason in decision.reasons), decision.reasons


def test_a_log_message_holds_its_hosts_id():
    """One-to-squillions: parent-reference, never the reverse (A4)."""
    proposal = design(one_to_many("host", "message", 5_000_000), "tree")
    assert choice(proposal, "host_message") is Choice.PARENT_REFERENCE
    assert {"A4", "rule-4"} <= rules(proposal, "host_message")
    assert [index.keys for index in proposal.design.indexes] == [(("host_id", 1),)]


def test_a_person_and_their_tasks_refer_to_each_other():
    """Read in both directions: two-way references, at a stated price (A11)."""
    proposal = design(
        one_to_many(
            "person",
            "task",
            300,
            select("tasks_of", read("person", "id"), read("task", via="person_task")),
            select("owner_of", read("task", "id"), read("person", via="person_task")),
        ),
        "tree",
    )
    assert choice(proposal, "person_task") is Choice.TWO_WAY_REFERENCE
    decision = proposal.decision("person_task")
    assert decision is not None
    assert any(reason.rule == "A11" and "two updates" in reason.text for reason in decision.reasons)
    held = {ref.holder for each in proposal.design.collections for ref in each.body.references}
    assert held == {Holder.PARENT, Holder.CHILD}


def students(*statements: object, payload: bool = False) -> Reading:
    extra = ["grade?"] if payload else []
    return reading(
        [
            entity("student", "name"),
            entity("course", "name"),
            entity("enrolment", *extra, key=("student_id", "course_id")),
        ],
        [relationship("student", "enrolment"), relationship("course", "enrolment")],
        many_to_many=[ManyToMany("takes", "enrolment", "student_enrolment", "course_enrolment")],
        fan_outs={"student_enrolment": fan_out(12), "course_enrolment": fan_out(150)},
        statements=statements,  # type: ignore[arg-type]
    )


def test_a_student_holds_an_array_of_course_ids():
    """Many-to-many: an array of ids on one side (A5), the one with the shorter array."""
    proposal = design(students(), "tree")
    assert choice(proposal, "takes") is Choice.CHILD_REFERENCE
    student = next(each for each in proposal.design.collections if each.root == "student")
    assert [(each.field, each.form) for each in student.body.embeddings] == [("course_ids", Form.SCALARS)]
    assert [decision.relationship for decision in proposal.decisions] == ["takes"]


def test_both_sides_hold_ids_when_both_are_read():
    """Many-to-many read from both sides: arrays on both (A5, A11)."""
    courses = select("courses_of", read("student", "id"), read("enrolment", via="student_enrolment"))
    listed = select("class_list", read("course", "id"), read("enrolment", via="course_enrolment"))
    proposal = design(students(courses, listed), "tree")
    assert choice(proposal, "takes") is Choice.TWO_WAY_REFERENCE
    course = next(each for each in proposal.design.collections if each.root == "course")
    assert [copy.name for copy in course.body.copies] == ["student_ids"]


def test_links_with_attributes_of_their_own_are_embedded():
    """A junction that says more than ids is embedded row by row."""
    proposal = design(students(payload=True), "tree")
    assert choice(proposal, "takes") is Choice.EMBED


def test_screenings_of_a_movie_stay_apart_when_they_are_read_apart():
    """Few, but mostly read by themselves: rule 2 against A2, and the number that decided (A10)."""
    proposal = design(
        one_to_many(
            "movie",
            "screening",
            40,
            select("tonight", read("screening", "name"), rate=90),
            select("movie_page", read("movie", "id"), read("screening", via="movie_screening"), rate=10),
        ),
        "tree",
    )
    assert choice(proposal, "movie_screening") is not Choice.EMBED
    decision = proposal.decision("movie_screening")
    assert decision is not None
    assert next(reason.number for reason in decision.reasons if reason.rule == "A10") == pytest.approx(0.9)


def test_three_hundred_elements_name_both_rules():
    """Always read with the parent says embed, 300 elements say do not: both rules are named, the number decides (A10)."""
    page = select("page", read("post", "id"), read("comment", via="post_comment"))
    proposal = design(one_to_many("post", "comment", 300, page), "tree")
    assert choice(proposal, "post_comment") is Choice.CHILD_REFERENCE
    decision = proposal.decision("post_comment")
    assert decision is not None
    draw = next(reason for reason in decision.reasons if reason.rule == "A10")
    assert "A3" in draw.text
    assert "rule-4" in draw.text
    assert draw.number == 300


def test_children_always_read_with_their_parent_are_embedded():
    """One-to-many always accessed with its parent: embed (A3)."""
    page = select("page", read("post", "id"), read("comment", via="post_comment"))
    assert choice(design(one_to_many("post", "comment", 120, page), "tree"), "post_comment") is Choice.EMBED


def test_children_that_change_with_their_parent_are_embedded():
    """Atomic updates decide over independent access, and the draw is explained (A3, A10)."""
    both = write("transfer", change("account", "id"), change("entry", via="account_entry"))
    alone = select("entries", read("entry", "name"))
    proposal = design(one_to_many("account", "entry", 120, both, alone), "tree")
    assert choice(proposal, "account_entry") is Choice.EMBED
    assert "A10" in rules(proposal, "account_entry")
