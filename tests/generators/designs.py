"""Hypothesis strategy for valid designs that use every primitive: start normalised, then make moves that keep it valid.

A move changes the *plan* – where each entity lives and what its documents hold; a plan becomes collections, and a `Design`
decides whether those are valid. A move that is not is taken back, so every drawn design is valid and none is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeVar

from hypothesis import strategies as st

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Cardinality, Entity, Model, Relationship
from nestling.ir.primitives import (
    Before,
    Bucket,
    BucketWindow,
    Collection,
    CollectionKind,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Member,
    Options,
    Order,
    Overflow,
    Pairs,
    Reference,
    Slots,
    Split,
    Summary,
    Variant,
    WindowUnit,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.storage.names import collection_name
from nestling.ir.types import TypeName
from tests.generators.worlds import PLACE, World

TIMES = (TypeName.DATE, TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ)


@dataclass
class Plan:
    """Where one entity lives (`home`: a root, inside `via`'s parent, a member of `into`, or copied along `via`)."""

    home: str = "root"
    via: str = ""
    into: str = ""
    embedding: dict[str, Any] = field(default_factory=dict)
    fields: tuple[Field, ...] = ()
    pairs: tuple[Pairs, ...] = ()
    copies: tuple[Copy, ...] = ()
    computed: tuple[Computed, ...] = ()
    collection: dict[str, Any] = field(default_factory=dict)
    split: list[Split] = field(default_factory=list)
    discriminated: bool = False


@dataclass
class Draft:
    """A whole design on its way: a plan per entity, and who holds each relationship's ids."""

    world: World
    plans: dict[str, Plan]
    holders: dict[str, tuple[Holder, ...]]
    copied: dict[str, bool] = field(default_factory=dict)

    @property
    def model(self) -> Model:
        return self.world.model

    def design(self) -> Design:
        """Raises DesignError when the plan is not valid."""
        roots = [entity for entity in self.model.entities if self.plans[entity.name].home == "root"]
        return Design(self.model, tuple(self._collection(entity) for entity in roots))

    def _collection(self, entity: Entity) -> Collection:
        plan = self.plans[entity.name]
        members = [
            e.name
            for e in self.model.entities
            if self.plans[e.name].home == "member" and self.plans[e.name].into == entity.name
        ]
        inline = [e for e in self._inside(entity.name) if self.plans[e].embedding["form"] is Form.INLINE]
        variant = None
        if members or inline or plan.discriminated:
            variant = Variant(
                "a kind",
                "root" if members or plan.discriminated else None,
                tuple(Member(f"member {name}", self._body(name)) for name in members),
                tuple((self.plans[name].via, f"sub {name}") for name in inline),
            )
        options: dict[str, Any] = {"id": entity.key} | plan.collection
        return Collection(
            collection_name(entity.name), self._body(entity.name), variant=variant, splits=tuple(plan.split), **options
        )

    def _inside(self, parent: str) -> list[str]:
        plans = self.plans.items()
        return [n for n, p in plans if p.home == "embedded" and self.model.relationship(p.via).parent == parent]

    def _body(self, name: str) -> Document:
        plan = self.plans[name]
        embeddings = tuple(self._embedding(child) for child in self._inside(name))
        references = [
            self._reference(link, holder)
            for link in self.model.relationships
            for holder in self.holders.get(link.name, ())
            if (link.parent if holder is Holder.PARENT else link.child) == name
        ]
        copied = [
            self._home_copy(e, p)
            for e, p in self.plans.items()
            if p.home == "copied" and self.model.relationship(p.via).child == name
        ]
        return Document(
            name, plan.fields, plan.pairs, embeddings, tuple(references), (*plan.copies, *copied), plan.computed
        )

    def _reference(self, link: Relationship, holder: Holder) -> Reference:
        if holder is Holder.CHILD:
            return Reference(link.name, holder)
        copied: tuple[Field, ...] = ()
        if self.copied.get(link.name):
            first = self.model.entity(link.child).attribute_names[-1]
            copied = (Field(first, "copied"),)
        return Reference(link.name, holder, f"ids of {link.name}".replace(".", "_").replace("$", "_"), copied)

    def _embedding(self, child: str) -> Embedding:
        plan = self.plans[child]
        return Embedding(f"all {child}".replace(".", "_"), plan.via, body=self._body(child), **plan.embedding)

    def _home_copy(self, source: str, plan: Plan) -> Copy:
        entity = self.model.entity(source)
        form = plan.embedding["form"]
        fields = tuple(Field(a, f"of {number}") for number, a in enumerate(entity.attribute_names))
        if form is Form.OBJECT:
            link = self.model.relationship(plan.via)
            fields = tuple(f for f in fields if f.attribute not in link.parent_attributes) or fields[:1]
        copy = Copy(f"home of {source}".replace(".", "_"), (Hop(plan.via, up=True),), fields, form, TRANSACTION)
        return replace(copy, home=True, orphans=f"unreferred {source}".replace("$", "_"))


Draw = st.DrawFn
Found = TypeVar("Found")
Move = Callable[[Draw, Draft], None]


@st.composite
def designs(draw: Draw, world: World, *, moves: int = 20) -> Design:
    """A valid design for the world's model, from up to so many moves."""
    draft = Draft(world, {e.name: Plan() for e in world.model.entities}, {})
    draft.holders = {link.name: (Holder.CHILD,) for link in world.model.relationships}
    design = draft.design()
    for move in draw(st.lists(st.sampled_from(MOVES), min_size=draw(st.sampled_from((2, 8, 14))), max_size=moves)):
        tried = deepcopy(draft)
        move(draw, tried)
        try:
            design, draft = tried.design(), tried
        except DesignError:
            continue
    return design


def _rooted(draft: Draft) -> list[Entity]:
    return [entity for entity in draft.model.entities if draft.plans[entity.name].home == "root"]


def _one_of(draw: Draw, found: list[Found]) -> Found | None:
    return draw(st.sampled_from(found)) if found else None


def _some(draw: Draw, names: Iterable[str], *, least: int = 1, most: int = 3) -> tuple[str, ...]:
    known = sorted(names)
    if len(known) < max(least, 1):
        return ()
    return tuple(draw(st.lists(st.sampled_from(known), min_size=least, max_size=most, unique=True)))


def _of_type(entity: Entity, *kinds: TypeName) -> list[str]:
    return [attribute.name for attribute in entity.attributes if attribute.type.name in kinds]


def _free(model: Model, entity: Entity) -> list[str]:
    """Attributes that are in no key of any kind."""
    keys = [entity.key, *entity.uniques, *(link.child_attributes for link in model.parents_of(entity.name))]
    return [name for name in entity.attribute_names if not any(name in key for key in keys)]


def _named(text: str) -> str:
    """A name for a field or collection."""
    return text.replace(".", "_").replace("$", "_")


# --- moves -----------------------------------------------------------------------------------------------------------


def embed(draw: Draw, draft: Draft) -> None:
    """The children of a relationship live in their parent's documents."""
    rooted = {entity.name for entity in _rooted(draft)}
    link = _one_of(draw, [link for link in draft.model.relationships if link.child in rooted and not link.is_self])
    if link is None:
        return
    plan = Plan("embedded", link.name, fields=draft.plans[link.child].fields, copies=draft.plans[link.child].copies)
    form = draw(st.sampled_from(_forms(draft.model, link)))
    plan.embedding = {"form": form}
    if form is Form.SCALARS:
        plan.fields, plan.copies = (), ()
    if not draft.model.is_total(link) or draw(st.booleans()):
        plan.embedding["orphans"] = _named(f"orphans {link.child}")
    if form in (Form.ARRAY, Form.SCALARS):
        plan.embedding |= _bounds(draw, draft.model.entity(link.child))
    draft.plans[link.child], draft.holders[link.name] = plan, ()


def _forms(model: Model, link: Relationship) -> list[Form]:
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return [Form.OBJECT, Form.INLINE, Form.ARRAY]
    stored = set(model.entity(link.child).attribute_names) - set(link.child_attributes)
    return [Form.ARRAY, Form.SCALARS, Form.SCALARS] if len(stored) == 1 else [Form.ARRAY]


def _bounds(draw: Draw, child: Entity) -> dict[str, object]:
    found: dict[str, object] = {}
    if draw(st.booleans()):
        pages, flag = _named(f"pages {child.name}"), _named(f"more {child.name}")
        found["overflow"] = Overflow(draw(st.integers(1, 2)), pages, flag)
    sortable = _of_type(child, TypeName.INTEGER, TypeName.TEXT, TypeName.DATE, TypeName.UUID)
    found["order"] = tuple(Order(name, draw(st.booleans())) for name in _some(draw, sortable, least=0))
    return found


def slots(draw: Draw, draft: Draft) -> None:
    """An embedded array has a place for each value of a small integer."""
    arrays = [n for n, p in draft.plans.items() if p.home == "embedded" and p.embedding["form"] is Form.ARRAY]
    name = _one_of(draw, [name for name in arrays if _fits_slots(draft, name)])
    if name is not None:
        draft.plans[name].embedding |= {"slots": Slots(PLACE, 8, -1), "overflow": None}


def _fits_slots(draft: Draft, name: str) -> bool:
    """Whether no two rows of one parent would need the same place."""
    entity, link = draft.model.entity(name), draft.model.relationship(draft.plans[name].via)
    if PLACE not in entity:
        return False
    places = [entity.attribute_names.index(each) for each in (PLACE, *link.child_attributes)]
    taken = [tuple(repr(row[place]) for place in places) for row in draft.world.rows[name]]
    return len(set(taken)) == len(taken)


def member(draw: Draw, draft: Draft) -> None:
    """An entity's documents lie in another's collection."""
    hosts = {plan.into for plan in draft.plans.values()}
    entity = _one_of(draw, [e for e in _rooted(draft) if e.key and e.name not in hosts])
    into = _one_of(draw, [e for e in _rooted(draft) if e is not entity])
    if entity is not None and into is not None:
        plan = draft.plans[entity.name]
        plan.home, plan.into, plan.collection, plan.split, plan.discriminated = "member", into.name, {}, [], False


def copy_away(draw: Draw, draft: Draft) -> None:
    """The home of a parent are the copies in its children."""
    parents = {e.name for e in _rooted(draft) if not draft.model.parents_of(e.name)}
    fitting = [link for link in draft.model.relationships if link.parent in parents and draft.holders[link.name]]
    link = _one_of(draw, fitting)
    if link is not None:
        form = draw(st.sampled_from((Form.OBJECT, Form.INLINE)))
        draft.plans[link.parent] = Plan("copied", link.name, embedding={"form": form})
        draft.holders[link.name] = ()


def refer(draw: Draw, draft: Draft) -> None:
    """The parent, the child or both hold the ids; only the parent where no child refers to nothing."""
    link = _one_of(draw, [link for link in draft.model.relationships if draft.holders[link.name]])
    if link is None:
        return
    ways: list[tuple[Holder, ...]] = [(Holder.CHILD,), (Holder.CHILD, Holder.PARENT)]
    if link.name not in draft.world.loose:
        ways += [(Holder.PARENT,)] * 3
    draft.holders[link.name] = draw(st.sampled_from(ways))
    draft.copied[link.name] = draw(st.booleans())


def bucket(draw: Draw, draft: Draft) -> None:
    """An entity's rows are grouped."""
    entity = _one_of(draw, _rooted(draft))
    if entity is None:
        return
    by = _some(draw, entity.attribute_names, least=0, most=2)
    times = _some(draw, _of_type(entity, *TIMES), least=0, most=1)
    window = BucketWindow(times[0], draw(st.sampled_from(WindowUnit))) if times else None
    numbers = _some(draw, _of_type(entity, TypeName.INTEGER), least=0, most=1)
    known = [("most", AggregateKind.MAX), ("least", AggregateKind.MIN), ("present", AggregateKind.COUNT)]
    summary = tuple(Summary(*each, name) for name in numbers for each in draw(st.sampled_from((known[:1], known))))
    plan = draft.plans[entity.name]
    plan.collection = {"id": (), "bucket": Bucket(by, "events", draw(st.integers(1, 3)), window, summary)}
    plan.split, plan.discriminated = [], False


def split(draw: Draw, draft: Draft) -> None:
    """Attributes, files or old rows lie elsewhere."""
    entity = _one_of(draw, [e for e in _rooted(draft) if e.key])
    if entity is None:
        return
    plan = draft.plans[entity.name]
    name = _named(f"part {len(plan.split)} of {entity.name}")
    taken = {attribute for each in plan.split for attribute in each.attributes}
    match draw(st.sampled_from(("attributes", "rows", "gridfs"))):
        case "attributes":
            plan.split.append(Split(name, _some(draw, set(entity.attribute_names) - {*entity.key, *taken})))
        case "rows":
            plan.split += [
                Split(name, rows=Before(a, "2020-02-01")) for a in _some(draw, _of_type(entity, *TIMES), most=1)
            ]
        case _:
            files = set(_of_type(entity, TypeName.BYTES, TypeName.TEXT)) & set(_free(draft.model, entity)) - taken
            plan.split.append(Split(name, _some(draw, files), gridfs=True))


def pair(draw: Draw, draft: Draft) -> None:
    """Attributes are stored as a list of pairs, but for what is, or may become, the place in an array."""
    entity = _one_of(draw, list(draft.model.entities))
    if entity is not None:
        names = _some(draw, set(entity.attribute_names) - {*entity.key, PLACE})
        draft.plans[entity.name].pairs = (Pairs("the pairs", names),)


def rename(draw: Draw, draft: Draft) -> None:
    """Attributes are stored under other, nested names."""
    entity = _one_of(draw, list(draft.model.entities))
    if entity is not None:
        names, paths = _some(draw, entity.attribute_names, least=0), ("z.z", "z.y", "w")
        draft.plans[entity.name].fields = tuple(Field(*both) for both in zip(names, paths, strict=False))


def identify(draw: Draw, draft: Draft) -> None:
    """The `_id` is another key, the key in another order, or an ObjectId."""
    entity = _one_of(draw, _rooted(draft))
    if entity is None:
        return
    keys = [k for k in (entity.key, *entity.uniques, ()) if not any(entity.attribute(name).nullable for name in k)]
    draft.plans[entity.name].collection = {"id": tuple(draw(st.permutations(draw(st.sampled_from(keys)))))}


def carry(draw: Draw, draft: Draft) -> None:
    """Constants, kinds of collections, a discriminator of the root's own."""
    entity = _one_of(draw, _rooted(draft))
    if entity is None:
        return
    plan = draft.plans[entity.name]
    match draw(st.sampled_from(("constants", "clustered", "capped", "discriminated", "time series"))):
        case "constants":
            plan.collection["constants"] = (("schema version", 1),)
        case "clustered":
            plan.collection["options"] = Options(CollectionKind.CLUSTERED)
        case "capped":
            plan.collection["options"] = Options(CollectionKind.CAPPED, size_bytes=1 << 20)
        case "discriminated":
            plan.discriminated = True
        case _:
            _as_time_series(draw, draft, entity)


def _as_time_series(draw: Draw, draft: Draft, entity: Entity) -> None:
    times = [name for name in _of_type(entity, *TIMES) if _all_dates(draft, entity, name)]
    meta = _some(draw, entity.attribute_names, least=0, most=1)
    for time in _some(draw, times, most=1):
        other = next((name for name in meta if name != time), None)
        options = Options(CollectionKind.TIME_SERIES, time=time, meta=other)
        draft.plans[entity.name] = Plan(collection={"options": options, "id": ()})


def _all_dates(draft: Draft, entity: Entity, name: str) -> bool:
    """Whether every value is one a time series takes: a date within the years it knows."""
    place = entity.attribute_names.index(name)
    values = [row[place] for row in draft.world.rows[entity.name]]
    return all(isinstance(value, date) and 1970 <= value.year < 2038 for value in values)


def copy(draw: Draw, draft: Draft) -> None:
    """A copy of a related entity's attributes, which no home depends on."""
    entity = _one_of(draw, list(draft.model.entities))
    path = _path(draw, draft.model, entity.name) if entity is not None else ()
    if entity is None or not path:
        return
    plan, source = draft.plans[entity.name], draft.model.entity(path[-1].target(draft.model))
    number, to_one = len(plan.copies), all(hop.to_one(draft.model) for hop in path)
    is_self = len(path) == 1 and path[0].up and draft.model.relationship(path[0].relationship).is_self
    closure = is_self and draw(st.booleans())
    forms = [Form.ARRAY, Form.SCALARS] if closure or not to_one else [Form.OBJECT, Form.INLINE]
    form = draw(st.sampled_from([*forms, Form.PATH] if closure else forms))
    most = 1 if form in (Form.SCALARS, Form.PATH) else 3
    names = _some(draw, source.attribute_names, most=most)
    fields = tuple(Field(name, f"copied {number} {place}") for place, name in enumerate(names))
    made = Copy(f"copy {number}", path, fields, form, TRANSACTION, closure=closure)
    if not to_one and draw(st.booleans()):
        made = replace(made, order=(Order(names[0], draw(st.booleans())),), limit=draw(st.integers(1, 3)))
    plan.copies += (made,)


def compute(draw: Draw, draft: Draft) -> None:
    """An aggregate over related rows."""
    entity = _one_of(draw, list(draft.model.entities))
    path = _path(draw, draft.model, entity.name) if entity is not None else ()
    if entity is not None and path:
        plan = draft.plans[entity.name]
        plan.computed += (Computed(f"computed {len(plan.computed)}", path, AggregateKind.COUNT, TRANSACTION),)


def _path(draw: Draw, model: Model, at: str) -> tuple[Hop, ...]:
    """One or two hops from an entity."""
    hops: list[Hop] = []
    for _ in range(draw(st.integers(1, 2))):
        choices = [Hop(link.name, up=True) for link in model.parents_of(at)]
        choices += [Hop(link.name, up=False) for link in model.children_of(at)]
        if choices:
            hops.append(draw(st.sampled_from(choices)))
            at = hops[-1].target(model)
    return tuple(hops)


MOVES: tuple[Move, ...] = (
    *(embed, embed, embed, embed, slots, slots, member, copy_away, refer, refer, refer, bucket, split, split, pair),
    *(rename, identify, carry, copy, compute),
)
