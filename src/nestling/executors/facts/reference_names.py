"""Finds paths that may hold references, and their targets, by names and types alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.common.words_in_names import singular_words, words
from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts, PathFacts
from nestling.ir.facts.binary_kinds import OF_UUIDS, binary_of
from nestling.ir.facts.path import NUMBERS
from nestling.ir.facts.steps import is_plain

_ID_NAME = re.compile(r"(?P<stem>.*?)(?:_?ids?|Ids?|IDs?|_refs?|Refs?)\Z")
_KEYS = frozenset({"objectId", "string", "binData", "int", "long", "double", "decimal"})
UNIQUE_SHARE = 0.95
"""A field that has this many different values for its documents may be what others refer to."""
OBJECT_ID_SHARE = 0.5
CONVERTS = {
    "string": ("objectId", "number"),
    "objectId": ("string",),
    "number": ("string",),
    **{kind: (other,) for kind, other in OF_UUIDS.items()},
}
"""What values of a type may stand for in another."""
CASED = 3
"""The strength of a collation from which on case counts."""


@dataclass(frozen=True, slots=True)
class ReferencedField:
    """A field that references may lead to; `named`: the reference's name says so; `addressed`: that of other fields does.

    `converts`: its types that the reference's values must be converted to. `collation`: that of a case-insensitive index on it,
    as JSON; else "". `width`: the digits of its texts where all are codes of one width, to which numbers are padded; else 0.
    """

    collection: str
    field: str
    named: bool
    converts: frozenset[str] = frozenset()
    collation: str = ""
    width: int = 0
    addressed: bool = False


@dataclass(frozen=True, slots=True)
class PossibleReference:
    """A path that may hold references, and where to look, the likeliest first."""

    collection: CollectionFacts
    path: PathFacts
    targets: tuple[ReferencedField, ...]

    @property
    def is_object_id(self) -> bool:
        """Whether it mostly holds ObjectIds, which are references more often than not."""
        return _mostly_object_ids(self.path)

    @property
    def is_id_text(self) -> bool:
        """Whether it mostly holds the texts of ObjectIds, which are nothing else by chance."""
        return _holds_id_texts(self.path)

    @property
    def is_id_named(self) -> bool:
        """Whether its name ends like that of a reference."""
        return bool(stem(self.path) != _named(self.path))

    @property
    def is_own_id(self) -> bool:
        """Whether it may just be the `_id` of an element or sub-document, which drivers such as Mongoose add."""
        return _named(self.path) == "_id"


def candidates(collections: Sequence[CollectionFacts]) -> Iterator[PossibleReference]:
    """The paths of a database's documents that may hold references; they may lead to files in GridFS, too."""
    addressed = set(_addressed(collections))
    sizes = {each.name: each.storage.documents if each.storage is not None else 0 for each in collections}
    for collection in (each for each in collections if each.holds_documents):
        for path in collection.paths:
            if path.steps == ("_id",) or ANY_KEY in path.steps or not is_plain(path.steps):
                continue
            found = (replace(t, addressed=t.collection in addressed) for t in _targets(path, collections))
            targets = sorted(
                found, key=lambda t: (not t.named, not t.addressed, -sizes[t.collection], t.collection, t.field)
            )
            candidate = PossibleReference(collection, path, tuple(targets))
            if _types(path) and (
                candidate.is_object_id or candidate.is_id_text or any(target.named for target in targets)
            ):
                yield candidate


def _addressed(collections: Sequence[CollectionFacts]) -> Iterator[str]:
    """The collections whose documents some field elsewhere is named after as a reference."""
    stems = {
        (each.name, folded(stem(path)))
        for each in collections
        if each.holds_documents
        for path in each.paths
        if stem(path) != _named(path) and _types(path) and is_plain(path.steps)
    }
    for other in collections:
        if any(name == folded(other.name) for holder, name in stems if holder != other.name):
            yield other.name


def _targets(path: PathFacts, collections: Sequence[CollectionFacts]) -> Iterator[ReferencedField]:
    for other in collections:
        for key in other.top_level():
            converts = convertible(path, key)
            if path is key or not (_types(path) & _types(key) or converts):
                continue
            named = _says(path, other, key)
            is_id = _mostly_object_ids(path) and _types(key) & _types(path)
            is_text_of_id = _holds_id_texts(path) and "objectId" in converts
            if named or (key.field == "_id" and (is_id or is_text_of_id)):
                yield ReferencedField(other.name, key.field, named, converts, _collation(other, key), key.code_width)


def convertible(path: PathFacts, key: PathFacts) -> frozenset[str]:
    """The types of a key that values of the path may stand for in their own."""
    return frozenset(kind for mine in _types(path) for kind in CONVERTS.get(mine, ()) if kind in _types(key))


def _collation(collection: CollectionFacts, key: PathFacts) -> str:
    """How an index that begins with the key compares texts, where that leaves out their case."""
    found = (each for each in collection.indexes if each.keys[0][0] == key.field and 0 < each.strength < CASED)
    said: dict[str, object] = next((json.loads(each.collation) for each in found), {})
    return json.dumps({name: value for name, value in said.items() if name != "version"}) if said else ""


def _says(path: PathFacts, other: CollectionFacts, key: PathFacts) -> bool:
    """Whether the path's name refers to this key of the other collection."""
    mine, theirs = folded(stem(path)), folded(other.name)
    if not mine or mine != theirs:
        return False
    if key.field == "_id":
        return True
    is_key = folded(stem(key)) == theirs or key.field == _named(path)
    return is_key and key.distinct is not None and key.distinct >= UNIQUE_SHARE * max(key.present, 1)


def stem(path: PathFacts) -> str:
    """The name without its id suffix: `movie_id` and `movieIds` give `movie`, `customer._id` gives `customer`."""
    names = [step for step in path.steps if step != ELEMENT]
    found = _ID_NAME.fullmatch(names[-1])
    if found is None:
        return names[-1]
    inner = found["stem"].rstrip("_")
    return inner or (names[-2] if len(names) > 1 else names[-1])


def _named(path: PathFacts) -> str:
    return [step for step in path.steps if step != ELEMENT][-1]


def folded(name: str) -> str:
    """A name without case, underscores and its plural."""
    return "".join(singular_words(words(name)))


def _types(path: PathFacts) -> set[str]:
    types = {"number" if name in NUMBERS else name for name, _ in path.types if name in _KEYS}
    return types | {binary_of(subtype) for subtype, _ in path.subtypes}


def _holds_id_texts(path: PathFacts) -> bool:
    return dict(path.forms).get("objectId", 0) > OBJECT_ID_SHARE * path.present


def _mostly_object_ids(path: PathFacts) -> bool:
    return path.count("objectId") > OBJECT_ID_SHARE * path.present
