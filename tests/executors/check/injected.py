"""Hand edits that make what a document keeps wrong, made in the documents themselves and not by any machinery of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from pymongo.database import Database

from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.freshness import Level
from nestling.ir.primitives import BUCKET_END, BUCKET_START, PAGE, CollectionKind, Computed, Copy, Form, Reference
from nestling.ir.storage.layout import NodeKind, Place, collection_discriminator
from nestling.ir.storage.names import join
from nestling.planner.checks import checks_of
from nestling.planner.upkeep import upkeeps_of

Document = dict[str, Any]
WRONG = "put here by hand"
EDITABLE = (CollectionKind.PLAIN, CollectionKind.CLUSTERED)


@dataclass(frozen=True)
class Spot:
    """A field that is derived: the kind of drift a wrong value is, the documents' place, its path below that.

    `holds_ids`: only what stands beside the ids there is derived; who is referred to nothing else tells.
    """

    kind: DriftKind
    place: Place
    path: str
    holds_ids: bool = False


@dataclass(frozen=True)
class Injected:
    """What a check has to find: kind, collection, the document's `_id` (as text) and the field's path without elements."""

    kind: DriftKind
    collection: str
    id: str
    path: str


def spots(design: Design) -> Iterator[Spot]:
    """Every derived field of a design whose documents people can edit, but for those a check lists as gaps."""
    gaps = {gap.where for gap in checks_of(design).gaps}
    for upkeep in upkeeps_of(design):
        if upkeep.freshness.level is Level.SNAPSHOT or upkeep.id in gaps:
            continue
        match upkeep.what:
            case Copy(form=Form.INLINE) as copy:
                yield from (Spot(DriftKind.COPY, upkeep.place, field.path) for field in copy.attributes)
            case Copy() as copy:
                yield Spot(DriftKind.COPY, upkeep.place, copy.name)
            case Computed() as computed:
                yield Spot(DriftKind.COMPUTED, upkeep.place, computed.field)
            case Reference() as reference:
                alone = bool(design.only_listed(design.model.relationship(reference.relationship)))
                yield Spot(DriftKind.REFERENCE, upkeep.place, reference.field, holds_ids=alone)
    for store in design.stores:
        for root in store.roots:
            if root.bucket is not None and store.name not in gaps:
                for name in ("count", *(item.field for item in root.bucket.summary)):
                    yield Spot(DriftKind.SUMMARY, Place(store, (root,)), name)
            if root.kind is NodeKind.GROUP:
                has_window = root.bucket is not None and root.bucket.window is not None
                for name in (PAGE, *((BUCKET_START, BUCKET_END) if has_window else ())):
                    yield Spot(DriftKind.HEADER, Place(store, (root,)), name)
            if root.presence is not None or any(child.presence is not None for child in root.children):
                yield Spot(DriftKind.DISCRIMINATOR, Place(store, (root,)), collection_discriminator(store.collection))
    for places in design.places.values():
        for place in places:
            if place.copy is None and place.node.kind is not NodeKind.GROUP:
                for embedding in place.node.body.embeddings:
                    if embedding.overflow is not None:
                        yield Spot(DriftKind.OVERFLOW, place, embedding.overflow.flag)


def inject(draw: Callable[[Any], Any], design: Design, database: Database[Document], most: int) -> set[Injected]:
    """Make up to so many documents wrong, each in one field."""
    edited: set[tuple[str, str]] = set()
    made: set[Injected] = set()
    possible = [each for each in spots(design) if each.place.store.options.kind in EDITABLE]
    for _ in range(most if possible else 0):
        spot = draw(st.sampled_from(possible))
        collection = database.get_collection(spot.place.store.name, codec_options=CODEC)
        documents = [each for each in collection.find() if (collection.name, repr(each["_id"])) not in edited]
        if not documents:
            continue
        document = draw(st.sampled_from(sorted(documents, key=repr)))
        held = list(_at(document, spot.place))
        if not held or not _belongs(document, spot):
            continue
        if not _spoil(draw, draw(st.sampled_from(held)), spot):
            continue
        collection.replace_one({"_id": document["_id"]}, document)
        edited.add((collection.name, repr(document["_id"])))
        made.add(Injected(spot.kind, collection.name, repr(document["_id"]), join(spot.place.path, spot.path)))
    return made


def _belongs(document: Document, spot: Spot) -> bool:
    """Whether the document is of the place's kind, in a collection of several."""
    variant = spot.place.store.collection.variant
    if variant is None or not variant.members or not isinstance(document["_id"], Mapping):
        return True
    presence = spot.place.nodes[0].presence
    return presence is None or document["_id"].get(variant.discriminator) == presence.value


def _at(document: Document, place: Place) -> Iterator[Document]:
    """The sub-documents at a place; inline rows stand in their parent's, and only where it tells so."""
    found: list[Any] = [document]
    for node in place.nodes:
        for name in filter(None, node.field.split(".")):
            found = [each[name] for each in found if isinstance(each, dict) and name in each]
        if node.form.to_many and node.kind is not NodeKind.GROUP:
            found = [each for array in found for each in array]
        if node.presence is not None:
            held = document.get(node.presence.path)
            if node.presence.value not in (held if isinstance(held, list) else [held]):
                return
    yield from (each for each in found if isinstance(each, dict))


def _spoil(draw: Callable[[Any], Any], held: Document, spot: Spot) -> bool:
    """Put a wrong value there; not where that would take a new sub-document, which would stay empty."""
    *way, last = spot.path.split(".")
    inner = held
    for name in way:
        if name not in inner:
            return False
        inner = inner[name]
    value = inner.get(last)
    if spot.kind is DriftKind.OVERFLOW:
        inner[last] = not value
    elif spot.kind is DriftKind.DISCRIMINATOR:
        inner[last] = draw(st.sampled_from([WRONG, [*(value if isinstance(value, list) else [value]), WRONG]]))
    elif not (others := _beside_ids(value) if spot.holds_ids else _others(value)):
        return False
    else:
        inner[last] = draw(st.sampled_from(others))
        if inner[last] is None:
            del inner[last]
    return True


def _beside_ids(value: Any) -> list[Any]:
    """Values with the same ids."""
    if isinstance(value, dict):
        return [{**deepcopy(value), "more": WRONG}]
    held = value if isinstance(value, list) else []
    return [
        [*held[:place], changed, *held[place + 1 :]] for place, each in enumerate(held) for changed in _beside_ids(each)
    ]


def _others(value: Any) -> list[Any]:
    """Values that are not this one; None: no value."""
    others: list[Any] = [WRONG, {"by": "hand"}, [WRONG]]
    if value is not None:
        others.append(None)
    if isinstance(value, list):
        others += [[*value, WRONG], [WRONG, *value], *([value[:-1]] if value else []), *_turned(value)]
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6:
        others.append(value + 1)
    if isinstance(value, dict):
        others.append({**deepcopy(value), "more": WRONG})
    return others


def _turned(value: list[Any]) -> list[list[Any]]:
    return [value[::-1]] if value != value[::-1] else []
