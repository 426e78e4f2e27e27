"""Any strategy on any valid model: a proposal, with a decision for every relationship."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestling.common.errors import InputError
from nestling.ir.model import Attribute, Cardinality, Entity, ManyToMany, Model, OnDelete, Relationship
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.situation import situation
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Origin,
    Quantity,
    RelationshipStatistics,
    Statistics,
)
from nestling.ir.types import Type
from nestling.ir.workload import (
    Access,
    AttributeFilter,
    Operator,
    Requirements,
    Statement,
    StatementKind,
    Workload,
)
from nestling.patterns import propose
from nestling.strategies import Thresholds, design, drafted, strategy_names
from tests.soaking import examples
from tests.strategies.readings import entity, fan_out, read, reading, relationship, rows, select

NAMES = st.sampled_from(["a", "b", "id", "_id", "$x", "a.b", "a．b", "page", "count", "t", "T", "", "b_id", "x y"])
TYPES = st.sampled_from(
    [Type.parse(t) for t in ("integer", "text", "bytes", "json", "array(text)", "timestamp", "any")]
)


def test_strategies_are_the_files_of_the_folder():
    """Adding a file adds a strategy; today there are three."""
    assert strategy_names() == ("embedded", "normalized", "tree")


def test_an_unknown_strategy_names_those_there_are():
    """The message helps: it lists the strategies."""
    with pytest.raises(InputError, match="normalized"):
        design(reading([entity("a")]), "optimum")


def test_what_the_reading_noted_is_carried_over():
    """Statistics, requirements, gaps and notes of the reading belong to the proposal."""
    gap = Gap(GapKind.NEVER, "a geometry")
    plain = reading([entity("a")], requirements=Requirements(array_bound=7))
    found = Reading(plain.model, plain.workload, plain.statistics, (gap,), ("a note",))
    proposal = design(found, "tree")
    assert proposal.gaps == (gap,)
    assert proposal.notes == ("a note",)
    assert proposal.statistics == plain.statistics
    assert proposal.requirements.array_bound == 7


def test_a_negative_threshold_is_refused():
    """Thresholds are counts and shares."""
    with pytest.raises(InputError, match="few"):
        Thresholds(few=-1)


def test_a_model_without_entities_has_a_design():
    """Nothing in, nothing out."""
    for strategy in strategy_names():
        assert design(Reading(Model("empty", ())), strategy).design.collections == ()


# --- any model -------------------------------------------------------------------------------------------------------


def quantities(largest: int) -> st.SearchStrategy[Quantity | None]:
    return st.none() | st.builds(Quantity, st.integers(0, largest).map(float), st.sampled_from(Origin))


@st.composite
def entities(draw: st.DrawFn, name: str) -> Entity:
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    attributes = tuple(Attribute(each, draw(TYPES), nullable=draw(st.booleans())) for each in names)
    key = tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True)))
    uniques = tuple(
        tuple(group)
        for group in draw(st.lists(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True), max_size=2))
    )
    return Entity(name, attributes, key, uniques)


@st.composite
def links(draw: st.DrawFn, number: int, all_entities: list[Entity]) -> Relationship | None:
    parent, child = draw(st.sampled_from(all_entities)), draw(st.sampled_from(all_entities))
    groups = [group for group in (parent.key, *parent.uniques) if group and len(group) <= len(child.attributes)]
    if not groups:
        return None
    group = draw(st.sampled_from(groups))
    columns = draw(st.permutations(child.attribute_names))[: len(group)]
    return Relationship(
        f"r{number}",
        parent.name,
        child.name,
        group,
        tuple(columns),
        draw(st.sampled_from([Cardinality.ONE_TO_ONE, Cardinality.ONE_TO_MANY])),
        draw(st.booleans()),
        draw(NAMES),
        draw(NAMES),
        draw(st.sampled_from(OnDelete)),
    )


@st.composite
def statements(draw: st.DrawFn, number: int, model: Model) -> Statement:
    accesses = []
    for each in draw(st.lists(st.sampled_from(model.entities), min_size=1, max_size=3)):
        filters = draw(
            st.lists(
                st.builds(AttributeFilter, st.sampled_from(each.attribute_names), st.sampled_from(Operator)), max_size=3
            )
        )
        touching = [link.name for link in model.relationships if each.name in (link.parent, link.child)]
        via = draw(st.none() | st.sampled_from(touching)) if touching else None
        accesses.append(Access(each.name, draw(st.sampled_from(StatementKind)), filters=tuple(filters), via=via))
    return Statement(f"s{number}", "", StatementKind.SELECT, accesses=tuple(accesses))


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "$d", "＄d", "a_orphans", "e f"]), min_size=1, unique=True))
    all_entities = [draw(entities(name)) for name in names]
    found = [draw(links(number, all_entities)) for number in range(draw(st.integers(0, 9)))]
    by_key = dict[tuple[str, str, frozenset[tuple[str, str]]], Relationship]()
    for each in filter(None, found):
        pairs_of_key = frozenset(zip(each.child_attributes, each.parent_attributes, strict=True))
        by_key.setdefault((each.parent, each.child, pairs_of_key), each)
    relationships = [*by_key.values()]
    pairs = [(a, b) for a in relationships for b in relationships if a.child == b.child and a.name < b.name]
    both = [
        ManyToMany(f"m{number}", left.child, left.name, right.name)
        for number, (left, right) in enumerate(draw(st.lists(st.sampled_from(pairs), max_size=2)) if pairs else [])
    ]
    model = Model("any", tuple(all_entities), tuple(relationships), tuple(both))
    counts = tuple(
        (
            each.name,
            EntityStatistics(
                draw(quantities(10**7)),
                draw(quantities(10**4)),
                tuple(
                    (a, AttributeStatistics(draw(quantities(10**5)), draw(quantities(10**8))))
                    for a in each.attribute_names
                ),
            ),
        )
        for each in all_entities
    )
    fan_outs = tuple(
        (
            link.name,
            RelationshipStatistics(
                mean=draw(quantities(100)),
                maximum=draw(quantities(10**5)),
                grows=draw(quantities(1)),
                dangling=draw(quantities(10)),
                orphans=draw(quantities(10)),
            ),
        )
        for link in relationships
    )
    work = tuple(draw(statements(number, model)) for number in range(draw(st.integers(0, 3))))
    bound = draw(st.none() | st.integers(1, 300))
    return Reading(model, Workload(work, Requirements(array_bound=bound)), Statistics(counts, fan_outs))


@pytest.mark.thorough
@settings(max_examples=examples(50, 5000), deadline=None)
@given(readings())
def test_every_valid_model_has_a_design(found: Reading):
    """No name, cycle, bound or missing number makes a strategy fail; each relationship is decided on once, and as is said."""
    for strategy in strategy_names():
        proposal = design(found, strategy)
        covered = {name for both in found.model.many_to_many for name in (both.left, both.right)}
        expected = [link.name for link in found.model.relationships if link.name not in covered]
        expected += [both.name for both in found.model.many_to_many]
        assert [made.relationship for made in proposal.decisions] == expected
        assert all(made.reasons and made.alternatives for made in proposal.decisions)
        _says_what_the_design_does(proposal)


def _says_what_the_design_does(proposal: Proposal):
    """A relationship is embedded in the design exactly when its decision says so."""
    embedded = {
        place.node.embedding.relationship
        for places in proposal.design.places.values()
        for place in places
        if place.node.embedding is not None
    }
    plain = {link.name for link in proposal.design.model.relationships}
    said = {made.relationship for made in proposal.decisions if str(made.choice) == "embed"}
    assert said & plain == {made.relationship for made in proposal.decisions} & embedded


@settings(max_examples=examples(10, 1000), deadline=None)
@given(readings())
def test_the_same_reading_gives_the_same_proposal(found: Reading):
    """Nothing depends on the order of sets."""
    for strategy in strategy_names():
        assert design(found, strategy) == design(found, strategy)


def test_an_index_that_no_document_can_have_is_left_out():
    """Rows in an array beside the array that their foreign key refers to: MongoDB indexes one of the two."""
    parent = Entity(
        "box", (Attribute("id", Type.parse("integer")), Attribute("tags", Type.parse("array(text)"))), ("id",)
    )
    parent = replace(parent, uniques=(("tags",),))
    child = entity("thing", "of", "number")
    child = replace(child, uniques=(("of", "number"),))
    link = replace(relationship("box", "thing"), parent_attributes=("tags",), child_attributes=("of",))
    proposal = design(reading([parent, child], [link]), "embedded")
    assert all(index.collection != "box" or "number" not in str(index.keys) for index in proposal.design.indexes)
    assert any("only nestling's writes keep of, number unique" in note for note in proposal.notes)


@pytest.mark.parametrize("heaviest", ["clip", "note", "photo"])
def test_what_weighs_most_leaves_a_document_that_is_too_large(heaviest: str):
    """Of children of which two fit and not all three, the heaviest get a collection of their own."""
    children = ("clip", "note", "photo")
    found = reading(
        [entity("album"), *(entity(child, "album_id", "text") for child in children)],
        [relationship("album", child) for child in children],
        counts={child: rows(1_000, text=6_200 if child == heaviest else 6_000) for child in children},
        fan_outs={f"album_{child}": fan_out(1_000, mean=1) for child in children},
        statements=[
            select("page", read("album", "id"), *(read(each, "album_id", via=f"album_{each}") for each in children))
        ],
    )
    known = situation(found, Thresholds())
    chosen = frozenset({"album in a collection of its own", *(f"{child} in album" for child in children)})
    candidates = propose(known)
    assert chosen <= {each.id for each in candidates}
    made = drafted(known, candidates, chosen).design
    assert {each.root for each in made.collections} == {"album", heaviest}
