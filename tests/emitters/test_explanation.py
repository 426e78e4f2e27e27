"""Explanations: what was asked, found and decided, as values, text and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nestling.common.errors import InputError
from nestling.emitters.explanation.explanation import explanation, proposal_json, rules_page
from nestling.emitters.explanation.text import explanation_text
from nestling.ir.model import Attribute, Cardinality, Entity, ManyToMany, Model, Relationship
from nestling.ir.proposal import Proposal, Weighed
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.rules import RULES, rule
from nestling.ir.statistics import RelationshipStatistics, Statistics, measured
from nestling.ir.types import INTEGER, TEXT
from nestling.strategies import design


def entity(name: str, *attributes: str, key: tuple[str, ...] = ("id",)) -> Entity:
    every = dict.fromkeys((*key, *attributes))
    return Entity(name, tuple(Attribute(a, INTEGER if "id" in a else TEXT, nullable=False) for a in every), key)


def link(parent: str, child: str) -> Relationship:
    return Relationship(f"{parent}_{child}", parent, child, ("id",), (f"{parent}_id",), Cardinality.ONE_TO_MANY, True)


@pytest.fixture
def proposal() -> Proposal:
    model = Model(
        "library",
        (
            entity("author", "name"),
            entity("book", "author_id", "title"),
            entity("reader"),
            entity("loan", key=("reader_id", "book_id")),
        ),
        (link("author", "book"), link("reader", "loan"), link("book", "loan")),
        (ManyToMany("borrowed", "loan", "reader_loan", "book_loan"),),
    )
    numbers = {"author_book": 400.0, "reader_loan": 20.0, "book_loan": 90.0}
    known = tuple((name, RelationshipStatistics(maximum=measured(value))) for name, value in numbers.items())
    gap = Gap(GapKind.NOTIMPL, "a trigger", "schema.sql:4")
    return design(Reading(model, statistics=Statistics((), known), gaps=(gap,)), "tree")


def test_a_decision_is_explained_by_steps_and_factors(proposal):
    """Each question with its rule and number, and all seven factors with the side they lean to."""
    (explained,) = explanation(proposal, "author_book").decisions
    assert explained.subject == "author 1:N book"
    assert str(explained.choice) == "child-reference"
    assert explained.steps[0].rule == "A3"
    assert explained.steps[0].number == 400
    assert len(explained.factors) == 7
    assert {factor.leans for factor in explained.factors} <= {"embedding", "referencing", "neither"}
    assert {str(other.choice) for other in explained.alternatives} >= {"embed", "parent-reference"}


def test_a_side_of_a_many_to_many_is_explained_by_the_whole(proposal):
    """The decision on the junction answers for both its relationships."""
    (explained,) = explanation(proposal, "book_loan").decisions
    assert explained.relationship == "borrowed"
    assert explained.subject == "reader N:M book through loan"


def test_an_unknown_relationship_names_those_there_are(proposal):
    """The message lists what can be explained."""
    with pytest.raises(InputError, match="author_book"):
        explanation(proposal, "author_boko")


def test_the_text_shows_the_numbers_and_why_not(proposal):
    """One block per decision, then the gaps."""
    text = explanation_text(explanation(proposal))
    assert text.startswith("author_book: child-reference (author 1:N book)\n")
    assert "at most 400" in text
    assert "  rejected  embed: " in text
    assert "schema.sql:4: a trigger (nestling does not convert this)" in text


def test_the_json_has_the_documented_shape(proposal):
    """Collections, decisions with their reasons and alternatives, what was weighed, costs and gaps; and it is JSON."""
    found = json.loads(json.dumps(proposal_json(proposal)))
    costs = {
        "weighed",
        "cost",
        "bound",
        "optimality_gap",
        "threshold",
        "seconds",
        "profile",
        "statements",
        "rates",
        "dearer",
    }
    assert set(found) == {"strategy", "collections", "decisions", "left_out", "in_part", "gaps", "notes"} | costs
    assert found["cost"] is None
    assert set(found["decisions"][0]) == {"relationship", "choice", "patterns", "reasons", "alternatives", "flips"}
    assert set(found["decisions"][0]["reasons"][0]) == {"rule", "text", "number", "statements"}
    choices = {each["choice"] for each in found["decisions"]}
    assert choices <= {"embed", "child-reference", "parent-reference", "two-way-reference"}
    assert found["gaps"] == [
        {"kind": "notimpl", "what": "a trigger", "where": "schema.sql:4", "text": "", "move": "", "index": ""}
    ]


def test_the_json_shows_each_collections_fields(proposal):
    """Stored names with attributes and types, ids of children, and what is embedded."""
    collections = json.loads(json.dumps(proposal_json(proposal)))["collections"]
    assert collections["author"]["fields"] == {
        "_id": {"attribute": "id", "type": "integer"},
        "name": {"attribute": "name", "type": "text"},
        "book_ids": {"relationship": "author_book", "ids": True},
    }
    reader = collections["reader"]["fields"]
    assert [name for name, field in reader.items() if field.get("as") == "scalars"] == ["book_ids"]


def test_every_rule_that_is_cited_is_in_the_table(proposal):
    """A reason never cites a rule nobody can look up."""
    for strategy in ("tree", "embedded", "normalized"):
        made = design(Reading(proposal.design.model, statistics=proposal.statistics), strategy)
        cited = {reason.rule for each in made.decisions for reason in each.reasons}
        assert cited
        assert all(map(rule, cited))


def test_the_rules_page_is_the_table():
    """The manual page is what `rules_page` writes, and has every rule."""
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    assert page.read_text(encoding="utf-8") == rules_page()
    assert all(f"`{each.id}`" in rules_page() for each in RULES)


def test_what_two_structures_save_together_is_said_once(proposal):
    """Two copies of which the best design has neither: their saving is one, and reads as one."""
    names = ("product.name in line", "product.price in line")
    weighed = [
        Weighed(name, "extended-reference", chosen=True, gain=0.0138, instead=("index of line on product_id",))
        for name in names
    ]
    shown = explanation_text(explanation(replace(proposal, weighed=(*weighed,))))
    assert shown.count("over index of line") == 1
    assert "once for both: see product.name in line" in " ".join(shown.split())
