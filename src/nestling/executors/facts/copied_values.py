"""Counts how many values next to a reference equal those of the documents it leads to.

Values are compared on this machine as digests, counted and forgotten; a text that is a number equals that number. In small
collections all are compared, otherwise those of the same documents on every run: a sample by a hash of `_id`, and in very large
collections the first and last by `_id`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any

import bson
from bson import Decimal128, ObjectId
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.server_codes import MAX_TIME_EXPIRED, NOT_PERMITTED
from nestling.executors.facts.drawing import HASH_UP_TO, seeded
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.references import unwound
from nestling.ir.facts import OUT_OF_TIME, CollectionFacts, ReferenceFacts, field_path, text_forms

WHOLE_UP_TO_BYTES = 64_000_000
"""Bytes of each of two collections that are compared whole."""
SAMPLED = 5_000
"""Documents of a larger one whose copies are compared."""
MOST_ROWS = 50_000
"""References of these that are followed at most: a document holds many of them in an array."""
TIME_SHARE = 1 / 3
"""The share of the time left that the copies beside one reference may take."""
DIGEST_BYTES = 16
MOST_KEPT, MOST_KEPT_LETTERS = 100_000, 40
"""Values whose digests are kept while two collections are compared, and how long a text among them may be."""
MOST_DIGITS = 34
"""Digits of a number of BSON at most."""
_OFTEN = frozenset({str, int, ObjectId, datetime})
"""Types whose values are equal only where their bytes are."""
_NUMBER = re.compile(text_forms.NUMBER)
_EXACTLY = Context(prec=MOST_DIGITS)

_Row = tuple[bytes, tuple[bytes | None, ...]]
_Pairs = Sequence[tuple[str, str]]


@dataclass(slots=True)
class ComparedFields:
    """Of each pair of fields how many values were compared, and how many are equal; `whole`: of all documents.

    A value is compared where the document referred to has the other field: one that lacks it says nothing of the value.
    """

    checked: list[int]
    equal: list[int]
    whole: bool = False


def _remembering_digests() -> Callable[[Any], bytes]:
    """`_digest`, the digests of short values kept for the next time: most are there many times."""
    kept = lru_cache(maxsize=MOST_KEPT, typed=True)(_digest)

    def digest_of(value: Any) -> bytes:
        kind = type(value)
        is_short = kind in _OFTEN and (kind is not str or len(value) <= MOST_KEPT_LETTERS)
        return kept(value) if is_short else _digest(value)

    return digest_of


@dataclass(slots=True)
class _Reader:
    """Reads the fields of documents as digests. `ids`: the references it met, by their digests, while they are wanted."""

    database: Database[FoundDocument]
    asking: Asking
    what: str
    ids: dict[bytes, Any] | None = None
    is_cut: bool = field(default=False)
    digest_of: Callable[[Any], bytes] = field(default_factory=_remembering_digests)

    def rows(self, name: str, pipeline: list[FoundDocument], key: str, fields: Sequence[str]) -> Iterator[_Row]:
        shown = {"_id": 0, "r": f"${key}"} | {f"c{n}": f"${each}" for n, each in enumerate(fields)}
        stages = [*pipeline, {"$project": shown}]
        columns, digest_of = [f"c{n}" for n in range(len(fields))], self.digest_of
        cursor = self.database[name].aggregate(stages, maxTimeMS=self.asking.milliseconds())
        for row in cursor:
            if self.asking.late:
                self.is_cut = True
                self.asking.skip(self.what, OUT_OF_TIME)
                return
            if row.get("r") is not None:
                digest = digest_of(row["r"])
                if self.ids is not None:
                    self.ids[digest] = row["r"]
                yield digest, tuple([digest_of(row[each]) if each in row else None for each in columns])


def comparison(
    database: Database[FoundDocument],
    reference: ReferenceFacts,
    holder: CollectionFacts,
    target: CollectionFacts,
    pairs: _Pairs,
    asking: Asking,
) -> ComparedFields | None:
    """Compare the values of each pair, a field of the holder and one of the target; None if refused.

    If both collections are small but the time is not enough for all, a sample is compared.
    """
    what = f"the copies beside {holder.namespace}.{field_path(reference.steps)}"
    limited = asking.within(asking.seconds_left() * TIME_SHARE)
    for whole in (True, False) if _is_small(holder) and _is_small(target) else (False,):
        reader = _Reader(database, limited, what)
        compare = partial(_compare_copies, reader, reference, holder, target, pairs, whole=whole)
        made: ComparedFields | None = limited.ask(what, compare, None)
        if made is not None and not reader.is_cut:
            return made
        limited = asking.within(asking.seconds_left() * TIME_SHARE)
    return None


def _is_small(collection: CollectionFacts) -> bool:
    return collection.storage is not None and collection.storage.data_bytes <= WHOLE_UP_TO_BYTES


def _compare_copies(
    reader: _Reader,
    reference: ReferenceFacts,
    holder: CollectionFacts,
    target: CollectionFacts,
    pairs: _Pairs,
    *,
    whole: bool,
) -> ComparedFields:
    mine, theirs = [one for one, _ in pairs], [other for _, other in pairs]
    way, key = unwound(reference.steps), field_path(reference.steps)
    if whole:
        originals = dict(reader.rows(target.name, [], reference.target_field, theirs))
        return _counted(reader.rows(holder.name, way, key, mine), originals, len(pairs), whole=True)
    reader.ids = {}
    rows = _sampled(holder, lambda drawn: [*reader.rows(holder.name, [*drawn, *way, {"$limit": MOST_ROWS}], key, mine)])
    ids, reader.ids = list(reader.ids.values()), None
    wanted: FoundDocument = {"$match": {reference.target_field: {"$in": ids}}}
    originals = dict(reader.rows(target.name, [wanted], reference.target_field, theirs))
    return _counted(rows, originals, len(pairs), whole=False)


def _sampled(collection: CollectionFacts, read: Callable[[list[FoundDocument]], list[_Row]]) -> list[_Row]:
    """A sample that is the same on every run; the first and last `_id`s if the server cannot hash them."""
    documents = collection.storage.documents if collection.storage is not None else 0
    if 0 < documents <= HASH_UP_TO:
        try:
            return read(seeded(documents, SAMPLED, 1))
        except OperationFailure as error:
            if error.code in (*MAX_TIME_EXPIRED, *NOT_PERMITTED):
                raise
    return [row for order in (1, -1) for row in read([{"$sort": {"_id": order}}, {"$limit": SAMPLED // 2}])]


def _counted(
    rows: Iterable[_Row], originals: dict[bytes, tuple[bytes | None, ...]], pairs: int, *, whole: bool
) -> ComparedFields:
    found = ComparedFields([0] * pairs, [0] * pairs, whole)
    for key, values in rows:
        for n, (value, original) in enumerate(zip(values, originals.get(key, ()), strict=False)):
            if value is not None and original is not None:
                found.checked[n] += 1
                found.equal[n] += _is_equal(value, original)
    return found


def _is_equal(one: bytes, other: bytes) -> bool:
    """Whether two digests are of equal values. Two texts are equal to the letter, a text and a number by their numbers."""
    return one == other or (len(one) != len(other) and one[-DIGEST_BYTES:] == other[-DIGEST_BYTES:])


def _digest(value: Any) -> bytes:
    """A value in comparable form; for a text that is a number, the number's digest follows its own."""
    if type(value) is ObjectId:
        return _hash(comparable(value))
    number = _number(value)
    if number is None:
        return _hash(comparable(value))
    by_number = _hash(b"number" + str(number).encode())
    return _hash(comparable(value)) + by_number if isinstance(value, str) else by_number


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


def _number(value: Any) -> Decimal | None:
    """The number that a value represents, whatever its type; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal128):
        return None
    if isinstance(value, str) and (len(value) > MOST_DIGITS or _NUMBER.fullmatch(value) is None):
        return None
    try:
        return _EXACTLY.normalize(_EXACTLY.plus(Decimal(str(value))))
    except InvalidOperation:
        return None


def comparable(value: Any) -> bytes:
    """The bytes by which values are compared."""
    return bson.encode({"": float(value) if isinstance(value, int) and not isinstance(value, bool) else value})
