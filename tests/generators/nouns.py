"""Hypothesis strategies for models, readings and proposals, with names nobody would choose.

A design grows from a plain valid one: each relationship is embedded or referenced, then random primitives are added one at a time
and kept where the design stays valid. A new primitive joins `_DECORATIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from nestling.common.errors import DesignError
from nestling.ir import primitives as ir
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.defaults import Default, Generated, OtherDefault, constant
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.design import Design
from nestling.ir.distribution import Distribution
from nestling.ir.fraction import Fraction, has_fraction
from nestling.ir.freshness import Freshness, Level
from nestling.ir.invariants import paths_in
from nestling.ir.model import (
    Attribute,
    Cardinality,
    Entity,
    Hierarchy,
    ManyToMany,
    Model,
    OnDelete,
    OnUpdate,
    Relationship,
    View,
)
from nestling.ir.proposal import Alternative, Choice, Decision, Proposal, Reason
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import DIALECTS
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Origin,
    Quantity,
    RelationshipStatistics,
    Statistics,
)
from nestling.ir.storage.names import collection_name
from nestling.ir.types import NUMBERS, Type, TypeName
from nestling.ir.workload import (
    UNITS,
    Access,
    AttributeFilter,
    Grouping,
    Operator,
    Requirements,
    Statement,
    StatementKind,
    Walk,
    Workload,
)
from tests.generators.allowing import allowed_of
from tests.generators.conditions import checks

ODD_NAMES = (
    *(
        "NO",
        "null",
        "1.0",
        "0x1F",
        "true",
        "~",
        "",
        " ",
        "-",
        "-date",
        "- x",
        "a: b",
        "a #b",
        "#",
        "=",
        "<<",
        "2015-01-01",
    ),
    *(
        "ünïcode",
        "日本",
        "a.b",
        "$set",
        "_id",
        "a\tb",
        "a\nb",
        "\x00",
        "\x85",
        "\ufeff",
        "'",
        '"',
        "\\",
        "{",
        "]",
        ",",
        "&a",
    ),
    *(
        "*a",
        "!x",
        "x!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "x:up",
        "x:down",
        "x too",
        "🙂",
        "\u2028",
        "key",
        "of",
        "as",
        "12:30",
        "x" * 300,
    ),
)
names = st.sampled_from(("a", "b", "order", "customer id")) | st.sampled_from(ODD_NAMES) | st.text(max_size=8)
words = st.text(max_size=30) | st.sampled_from(ODD_NAMES)
lines = st.lists(words, max_size=4).map("\n".join)

_plain_types = st.sampled_from([name for name in TypeName if name not in (TypeName.ARRAY, TypeName.ENUM)])
types = st.recursive(
    st.builds(Type, _plain_types, st.lists(st.integers(1, 9), max_size=1).map(tuple))
    | st.builds(Type, st.just(TypeName.DECIMAL), st.tuples(st.integers(1, 1000), st.integers(-1000, 1000)))
    | st.builds(Type, st.just(TypeName.ENUM), values=st.lists(words, min_size=1, max_size=3, unique=True).map(tuple)),
    lambda inner: st.builds(Type, st.just(TypeName.ARRAY), element=inner),
    max_leaves=3,
)
numbers = st.integers(0, 10**15).map(float) | st.floats(0, 1e15, allow_nan=False)
quantities = st.builds(Quantity, numbers) | st.builds(
    Quantity, numbers, st.sampled_from((Origin.MEASURED, Origin.INFERRED)), st.none() | st.integers(0, 10**9)
)
seconds = st.floats(min_value=1e-9, max_value=1e9) | st.sampled_from((0.001, 0.1, 5.0, 60.0, 90.0, 86400.0, 5400.0))
timed = st.builds(Freshness, st.sampled_from((Level.ASYNC, Level.SCHEDULED)), seconds)
freshness = timed | st.sampled_from([Freshness(Level.TRANSACTION), Freshness(Level.SNAPSHOT)])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=4,
)


_SAID = [ClauseOperator.EQUAL, ClauseOperator.GREATER, ClauseOperator.LESS_OR_EQUAL]


def constants(named: st.SearchStrategy[str]) -> st.SearchStrategy[Clause]:
    """Conditions with constants."""
    values = st.booleans() | st.integers() | words
    absent = st.builds(Clause, named, st.sampled_from([ClauseOperator.NULL, ClauseOperator.PRESENT]))
    return absent | st.builds(Clause, named, st.sampled_from(_SAID), values)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A model of a few entities; every relationship refers to its parent's key."""
    entities = [draw(_entities(name)) for name in draw(st.lists(names, min_size=1, max_size=4, unique=True))]
    link_names = draw(st.lists(names, max_size=5, unique=True))
    links: list[Relationship] = []
    for name in link_names:
        parent, child = draw(st.sampled_from(entities)), draw(st.sampled_from(entities))
        if parent.key and len(child.attributes) >= len(parent.key):
            made = draw(_relationships(name, parent, child))
            links += [made] * (_foreign_key(made) not in map(_foreign_key, links))
    taken = {entity.name for entity in entities}
    views = st.builds(
        View, names.filter(lambda name: name not in taken), words, words, st.lists(names, max_size=2).map(tuple)
    )
    shown = tuple(draw(st.lists(views, max_size=1)))
    return Model(
        draw(words), tuple(entities), tuple(links), _many_to_many(draw, links), _hierarchies(draw, links), shown
    )


def _foreign_key(link: Relationship) -> tuple[str, str, frozenset[tuple[str, str]]]:
    return link.parent, link.child, frozenset(zip(link.child_attributes, link.parent_attributes, strict=True))


@st.composite
def _entities(draw: st.DrawFn, name: str) -> Entity:
    attribute_names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    also = st.lists(types, max_size=1).map(tuple)
    attributes = tuple(
        Attribute(
            a,
            kind,
            draw(st.booleans()),
            others,
            draw(_defaults(kind)),
            draw(st.sampled_from(Collation)),
            allowed,
            draw(_fractions(kind)),
        )
        for a in attribute_names
        for kind, others in [(draw(types), draw(also))]
        for allowed in [draw(_allowed((kind, *others)))]
    )
    groups = st.lists(st.sampled_from(attribute_names), min_size=1, max_size=2, unique=True).map(tuple)
    key = draw(groups | st.just(()))
    entity = Entity(name, attributes, key, tuple(draw(st.lists(groups, max_size=2))))
    conditions_of = [each.condition for each in draw(checks(entity))]
    some = tuple(PartialUnique(draw(groups), each, draw(st.sampled_from(("", "live")))) for each in conditions_of)
    return replace(entity, checks=draw(checks(entity)), partial_uniques=some)


def _allowed(kinds: tuple[Type, ...]) -> st.SearchStrategy[Allowed | None]:
    found = st.none() | allowed_of(st.integers(-(10**30), 10**30) | st.decimals(-99, 99, places=2), words)
    return found.map(lambda allowed: allowed if allowed is None or all(map(allowed.is_of, kinds)) else None)


def _fractions(kind: Type) -> st.SearchStrategy[Fraction | None]:
    found = st.builds(Fraction, st.integers(0, 5), st.booleans())
    return st.none() | found if has_fraction(kind) else st.none()


def _defaults(kind: Type) -> st.SearchStrategy[Default | None]:
    found: st.SearchStrategy[bool | int | float | str] = st.booleans() | st.integers() | words
    found |= st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
        ("1.50", "2024-02-29", "2024-02-29 10:00:00")
    )
    constants = found.map(lambda value: constant(value, kind))
    return st.none() | constants | st.sampled_from(Generated) | st.builds(OtherDefault, words)


@st.composite
def _relationships(draw: st.DrawFn, name: str, parent: Entity, child: Entity) -> Relationship:
    foreign_key = draw(
        st.lists(
            st.sampled_from(child.attribute_names), min_size=len(parent.key), max_size=len(parent.key), unique=True
        )
    )
    referred = draw(st.sampled_from([parent.key, parent.key[::-1]]))
    has_nulls = not any(map(child.always_has, foreign_key))
    always = all(map(child.always_has, foreign_key))
    actions = [action for action in OnDelete if has_nulls or action is not OnDelete.SET_NULL]
    action = draw(st.sampled_from(actions))
    sets = action in (OnDelete.SET_NULL, OnDelete.SET_DEFAULT) and draw(st.booleans())
    return Relationship(
        name,
        parent.name,
        child.name,
        referred,
        tuple(foreign_key),
        draw(st.sampled_from((Cardinality.ONE_TO_ONE, Cardinality.ONE_TO_MANY))),
        draw(st.booleans()) and always,
        draw(words),
        draw(words),
        action,
        draw(st.sampled_from(list(OnUpdate))),
        draw(st.booleans()),
        tuple(foreign_key[1:]) if sets else (),
    )


def _many_to_many(draw: st.DrawFn, links: list[Relationship]) -> tuple[ManyToMany, ...]:
    if len(links) < 2 or links[0].child != links[1].child:
        return ()
    name = draw(names.filter(lambda name: name not in {link.name for link in links}))
    return (ManyToMany(name, links[0].child, links[0].name, links[1].name),)


def _hierarchies(draw: st.DrawFn, links: list[Relationship]) -> tuple[Hierarchy, ...]:
    if not links or draw(st.booleans()):
        return ()
    return (Hierarchy(draw(names), links[0].parent, (links[0].name,)),)


_values: dict[TypeName, st.SearchStrategy[Any]] = {
    TypeName.INTEGER: st.integers(-(2**40), 2**40),
    TypeName.FLOAT: st.floats(-1e6, 1e6),
    TypeName.DECIMAL: st.decimals(-1000, 1000, places=2),
    TypeName.TEXT: st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    TypeName.BOOLEAN: st.booleans(),
    TypeName.DATE: st.dates(),
    TypeName.TIMESTAMP: st.datetimes(),
}


def _lie(kind: Type) -> st.SearchStrategy[Distribution | None]:
    """How values of a type lie."""
    values = _values.get(kind.name)
    if values is None:
        return st.none()
    common = st.lists(st.tuples(values, st.floats(0, 0.2)), min_size=1, max_size=4).map(tuple)
    quantiles = st.lists(values, min_size=2, max_size=12).map(lambda found: tuple(sorted(found)))
    rows = st.none() | st.integers(1, 10**6)
    return st.none() | st.builds(Distribution, quantiles, common, st.sampled_from(Origin), rows)


@st.composite
def statistics(draw: st.DrawFn, model: Model) -> Statistics:
    """Numbers about some of a model's entities and relationships."""
    known = st.none() | quantities
    counts = known.map(lambda each: None if each is None else replace(each, value=float(round(each.value))))
    share = st.none() | st.builds(Quantity, st.sampled_from((0.0, 0.25, 1.0)))
    entities = []
    for entity in draw(st.lists(st.sampled_from(model.entities), max_size=2, unique=True)):
        chosen = draw(st.lists(st.sampled_from(entity.attribute_names), max_size=2, unique=True))
        attributes = tuple(
            (a, draw(st.builds(AttributeStatistics, known, known, known, share, values=_lie(entity.attribute(a).type))))
            for a in chosen
        )
        entities.append((entity.name, EntityStatistics(draw(counts), draw(known), attributes)))
    links = [link.name for link in model.relationships]
    chosen_links = draw(st.lists(st.sampled_from(links), max_size=2, unique=True)) if links else []
    few = st.integers(0, 9).map(float)  # so that no document passes its bound
    small = st.none() | st.builds(Quantity, few, st.just(Origin.MEASURED))
    most = st.builds(Quantity, st.integers(9, 12).map(float), st.just(Origin.MEASURED))
    relationships = tuple(
        (n, draw(st.builds(RelationshipStatistics, small, small, maximum=st.none() | most))) for n in chosen_links
    )
    return Statistics(tuple(entities), relationships)


@st.composite
def requirements(draw: st.DrawFn, model: Model) -> Requirements:
    """Requirements over a model's names; bounds so wide that every design keeps them."""
    subjects = [f"{e.name}.{a}" for e in model.entities for a in e.attribute_names]
    subjects += [link.name for link in model.relationships]
    entity_names = [entity.name for entity in model.entities]
    together = st.lists(st.sampled_from(entity_names), min_size=2, max_size=2, unique=True).map(tuple)
    return Requirements(
        tuple(draw(st.dictionaries(st.sampled_from(subjects), freshness, max_size=2)).items()),
        tuple(draw(st.lists(together, max_size=2))) if len(entity_names) > 1 else (),
        draw(st.none() | st.integers(0)),
        draw(st.sampled_from((16 * 1024 * 1024, 10**300))),
        draw(st.none() | st.integers(10**300)),
        draw(st.none() | st.integers(1)),
        tuple(draw(st.dictionaries(st.sampled_from(entity_names), numbers, max_size=1)).items()),
        tuple(draw(st.dictionaries(st.sampled_from(subjects), st.integers(2), max_size=1)).items()),
        draw(st.none() | st.integers(0, 2**31 - 1)),
        draw(st.booleans()),
        tuple(
            (e.name, e.attribute_names[0], "1" if e.attributes[0].type.name in NUMBERS else "2024-01-01")
            for e in model.entities[: draw(st.integers(0, 1))]
        ),
    )


@st.composite
def _statements(draw: st.DrawFn, name: str, model: Model) -> Statement:
    accesses = []
    for entity in draw(st.lists(st.sampled_from(model.entities), max_size=2)):
        some = st.lists(st.sampled_from(entity.attribute_names), max_size=2).map(tuple)
        filters = st.lists(
            st.builds(AttributeFilter, st.sampled_from(entity.attribute_names), st.sampled_from(list(Operator))),
            max_size=2,
        )
        links = [link.name for link in model.relationships]
        via = draw(st.none() | st.sampled_from(links)) if links else None
        kind = draw(st.sampled_from(list(StatementKind)))
        attributes = st.sampled_from(entity.attribute_names)
        aggregates = st.lists(st.tuples(st.sampled_from(list(AggregateKind)), st.none() | attributes), max_size=2).map(
            tuple
        )
        keys = st.lists(st.tuples(attributes, st.none() | st.sampled_from(UNITS)), min_size=1, max_size=2).map(tuple)
        grouping = st.none() | st.builds(Grouping, keys, aggregates)
        read, asked, sort = draw(some), tuple(draw(filters)), draw(some)
        sort = tuple(
            name for name in sort if len(name) < 2 or not name.startswith("-")
        )  # `-name` is a descending `name`
        walk = draw(st.none() | st.sampled_from(list(Walk)))
        said = st.lists(constants(st.sampled_from(entity.attribute_names)), max_size=2).map(tuple)
        grouped = draw(aggregates), draw(grouping)
        accesses.append(Access(entity.name, kind, read, asked, sort, via, *grouped, walk, draw(said), draw(said)))
    return Statement(
        name,
        draw(lines | st.sampled_from(("SELECT 1\nFROM x", "update x\n  set y = 1\n", "  delete"))),
        draw(st.sampled_from(list(StatementKind))),
        draw(st.floats(1e-9, 1e9) | st.sampled_from((900.0, 2 / 86400, 1.0, 5 / 60))),
        draw(words),
        tuple(draw(st.lists(words, max_size=2))),
        tuple(draw(st.dictionaries(words, json_values, max_size=2)).items()),
        tuple(accesses),
    )


gaps = st.lists(st.builds(Gap, st.sampled_from(list(GapKind)), words, words), max_size=2).map(tuple)
notes = st.lists(words, max_size=2).map(tuple)
dialects = st.sampled_from(("", *DIALECTS))


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    """A reading with everything a reading may hold."""
    model = draw(models())
    statement_names = draw(st.lists(names, max_size=2, unique=True))
    workload = Workload(tuple(draw(_statements(n, model)) for n in statement_names), draw(requirements(model)))
    workload = replace(workload, window_seconds=draw(st.none() | st.floats(0.5, 1e6)))
    return Reading(
        model, workload, draw(statistics(model)), draw(gaps), draw(notes), draw(words.filter(bool)), draw(dialects)
    )


# --- designs ---------------------------------------------------------------------------------------------------------


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """A valid design over some model, with random primitives."""
    model = draw(models())
    collections = []
    for entity in model.entities:
        references = tuple(ir.Reference(link.name, ir.Holder.CHILD) for link in model.parents_of(entity.name))
        collections.append(
            ir.Collection(
                collection_name(f"c {entity.name}")[:200], ir.Document(entity.name, references=references), entity.key
            )
        )
    design = _kept(model, tuple(collections), None)
    if design is None:  # two attributes whose stored names are the same: rename them all
        design = Design(model, tuple(map(_renamed(model), collections)))
    for _ in range(draw(st.integers(0, 6))):
        changed = draw(st.sampled_from(_DECORATIONS))(draw, design)
        design = (changed and _kept(model, changed.collections, design, changed.indexes)) or design
    return design


def _renamed(model: Model) -> Callable[[ir.Collection], ir.Collection]:
    def rename(collection: ir.Collection) -> ir.Collection:
        attributes = model.entity(collection.root).attribute_names
        fields = tuple(ir.Field(name, f"f{number}") for number, name in enumerate(attributes))
        return replace(collection, body=replace(collection.body, fields=fields))

    return rename


def _kept(
    model: Model, collections: tuple[ir.Collection, ...], before: Design | None, indexes: tuple[ir.Index, ...] = ()
) -> Design | None:
    try:
        return Design(model, collections, indexes)
    except DesignError:
        return before


class _Change:
    """Collections and indexes that may or may not make a valid design."""

    def __init__(self, design: Design, number: int, collection: ir.Collection) -> None:
        self.collections = (*design.collections[:number], collection, *design.collections[number + 1 :])
        self.indexes = design.indexes


def _on_collection(
    change: Callable[[st.DrawFn, Design, ir.Collection], ir.Collection | None],
) -> Callable[[st.DrawFn, Design], _Change | None]:
    def apply(draw: st.DrawFn, design: Design) -> _Change | None:
        number = draw(st.integers(0, len(design.collections) - 1))
        changed = change(draw, design, design.collections[number])
        return _Change(design, number, changed) if changed is not None else None

    return apply


def _hop(draw: st.DrawFn, model: Model, entity: str) -> Hop | None:
    hops = [Hop(link.name, up=True) for link in model.parents_of(entity)]
    hops += [Hop(link.name, up=False) for link in model.children_of(entity)]
    return draw(st.sampled_from(hops)) if hops else None


def _fields(draw: st.DrawFn, entity: Entity) -> tuple[ir.Field, ...]:
    chosen = draw(st.lists(st.sampled_from(entity.attribute_names), min_size=1, max_size=3))
    return tuple(ir.Field(a, draw(st.sampled_from((a, "x", "y", "z.w")) | words)) for a in chosen)


def _copy(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection | None:
    hop = _hop(draw, design.model, collection.root)
    if hop is None:
        return None
    source = design.model.entity(hop.target(design.model))
    order = (ir.Order(draw(st.sampled_from(source.attribute_names)), draw(st.booleans())),)
    copy = ir.Copy(
        draw(names.filter(lambda name: name not in [c.name for c in collection.body.copies])),
        (hop,),
        _fields(draw, source),
        draw(st.sampled_from(list(ir.Form))),
        draw(freshness),
        draw(st.sampled_from([(), order])),
        draw(st.sampled_from([None, 1, 10])),
        draw(st.booleans()),
        draw(st.sampled_from(["/", ",", ""])),
    )
    return replace(collection, body=replace(collection.body, copies=(*collection.body.copies, copy)))


def _computed(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection | None:
    hop = _hop(draw, design.model, collection.root)
    if hop is None:
        return None
    source = design.model.entity(hop.target(design.model))
    computed = ir.Computed(
        draw(names.filter(lambda name: name not in [c.field for c in collection.body.computed])),
        (hop,),
        draw(st.sampled_from(list(AggregateKind))),
        draw(freshness),
        draw(st.none() | st.sampled_from(source.attribute_names)),
        draw(st.integers(1, 3)),
        draw(st.none() | names),
    )
    return replace(collection, body=replace(collection.body, computed=(*collection.body.computed, computed)))


def _listed(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection | None:
    links = design.model.children_of(collection.root)
    if not links:
        return None
    link = draw(st.sampled_from(links))
    copied = draw(st.sampled_from([(), _fields(draw, design.model.entity(link.child))]))
    reference = ir.Reference(link.name, ir.Holder.PARENT, draw(names), copied, draw(freshness))
    return replace(collection, body=replace(collection.body, references=(*collection.body.references, reference)))


def _constants(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection:
    constants = draw(st.dictionaries(names, words | st.integers(), max_size=2))
    return replace(collection, constants=tuple(constants.items()))


def _options(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection:
    attributes = st.none() | st.sampled_from(design.model.entity(collection.root).attribute_names)
    kind, size = draw(st.sampled_from(list(ir.CollectionKind))), draw(st.none() | st.integers(1, 2**40))
    return replace(
        collection, options=ir.Options(kind, draw(attributes), draw(attributes), draw(st.none() | words), size)
    )


def _bucket(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection:
    attributes = design.model.entity(collection.root).attribute_names
    summary = ir.Summary(
        "summary.x", draw(st.sampled_from(list(AggregateKind))), draw(st.none() | st.sampled_from(attributes))
    )
    window = ir.BucketWindow(draw(st.sampled_from(attributes)), draw(st.sampled_from(list(ir.WindowUnit))))
    by = tuple(draw(st.lists(st.sampled_from(attributes), max_size=2, unique=True)))
    bucket = ir.Bucket(by, draw(names), draw(st.integers(1, 9)), draw(st.sampled_from([None, window])), (summary,))
    return replace(collection, id=(), bucket=bucket)


def _split(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection:
    attributes = design.model.entity(collection.root).attribute_names
    taken = {split.collection for split in collection.splits}
    chosen = tuple(draw(st.lists(st.sampled_from(attributes), max_size=2, unique=True)))
    rows = None if chosen else ir.Before(draw(st.sampled_from(attributes)), draw(words))
    split = ir.Split(
        draw(names.filter(lambda name: name not in taken)), chosen, rows, bool(chosen) and draw(st.booleans())
    )
    return replace(collection, splits=(*collection.splits, split))


def _pairs(draw: st.DrawFn, design: Design, collection: ir.Collection) -> ir.Collection:
    attributes = design.model.entity(collection.root).attribute_names
    chosen = tuple(draw(st.lists(st.sampled_from(attributes), min_size=1, max_size=2, unique=True)))
    pairs = ir.Pairs(draw(names), chosen, draw(st.sampled_from(["k", "v", "x"])), draw(st.sampled_from(["v", "y"])))
    return replace(collection, body=replace(collection.body, pairs=(pairs,)))


def _index(draw: st.DrawFn, design: Design) -> _Change:
    store = draw(st.sampled_from(design.stores))
    keys = tuple(
        (path, draw(st.sampled_from((1, -1))))
        for path in draw(st.lists(st.sampled_from(sorted(paths_in(store))), max_size=2))
    )
    partial = tuple(draw(st.lists(constants(words), max_size=2, unique_by=lambda each: each.name)))
    index = ir.Index(store.name, keys, draw(st.booleans()), partial, draw(st.none() | st.integers(0, 9)), draw(notes))
    if draw(st.integers(0, 3)) == 0:
        index = ir.Index(store.name, keys, serves=draw(notes), any_case=True)
    change = _Change(design, 0, design.collections[0])
    change.indexes = (*design.indexes, index)
    return change


def _embed(draw: st.DrawFn, design: Design) -> _Change | None:
    """Move a child's collection into its parent's, where nothing else refers to the child."""
    model = design.model
    links = [link for link in model.relationships if not link.is_self]
    homes = {collection.root: number for number, collection in enumerate(design.collections)}
    links = [link for link in links if link.parent in homes and link.child in homes]
    if not links:
        return None
    link = draw(st.sampled_from(links))
    parent, child = design.collections[homes[link.parent]], design.collections[homes[link.child]]
    references = tuple(r for r in child.body.references if r.relationship != link.name)
    attributes = model.entity(link.child).attribute_names
    sorted_by = draw(st.lists(st.sampled_from(attributes), max_size=2))
    order = tuple(ir.Order(a, draw(st.booleans())) for a in sorted_by)
    overflow = ir.Overflow(draw(st.integers(1, 5)), draw(names), draw(names))
    embedding = ir.Embedding(
        draw(names),
        link.name,
        draw(st.sampled_from((ir.Form.OBJECT, ir.Form.ARRAY, ir.Form.SCALARS))),
        replace(child.body, references=references, copies=(), computed=()),
        order,
        draw(st.sampled_from([None, overflow])),
        None,
        draw(st.none() | names),
    )
    body = replace(parent.body, embeddings=(*parent.body.embeddings, embedding))
    change = _Change(design, homes[link.parent], replace(parent, body=body))
    change.collections = tuple(c for c in change.collections if c.name != child.name)
    change.indexes = ()
    return change


def _merge(draw: st.DrawFn, design: Design) -> _Change | None:
    """Make one collection a member of another."""
    if len(design.collections) < 2:
        return None
    root, other, *rest = draw(st.permutations(design.collections))
    variant = ir.Variant(draw(names), draw(words), (ir.Member(draw(words), replace(other.body, copies=())),))
    change = _Change(design, 0, root)
    change.collections, change.indexes = (replace(root, variant=variant), *rest), ()
    return change


_DECORATIONS: tuple[Callable[[st.DrawFn, Design], _Change | None], ...] = (
    *map(_on_collection, (_copy, _computed, _listed, _constants, _options, _bucket, _split, _pairs)),
    _index,
    _embed,
    _merge,
)


@st.composite
def proposals(draw: st.DrawFn) -> Proposal:
    """A proposal with everything a proposal may hold."""
    design = draw(designs())
    choices = st.sampled_from(list(Choice))
    reasons = st.lists(st.builds(Reason, words, words, st.none() | numbers), max_size=2).map(tuple)
    alternatives = st.lists(st.builds(Alternative, choices, words), max_size=2).map(tuple)
    links = [link.name for link in design.model.relationships]
    chosen = draw(st.lists(st.sampled_from(links), max_size=2, unique=True)) if links else []
    decisions = tuple(Decision(n, draw(choices), draw(notes), draw(reasons), draw(alternatives)) for n in chosen)
    return Proposal(
        draw(words), design, decisions, Statistics(), draw(requirements(design.model)), draw(gaps), draw(notes)
    )
