"""Documents that say when they expire, and never do.

Why: nothing deletes them. The collection and its indexes grow for ever, and every query without a condition on the date finds
expired data.

Example: `sessions.expires_at` without a TTL index.

Remedy: an index on the field with `expireAfterSeconds: 0`, which deletes everything that has expired, at once and for good. It
is proposed if names suggest that documents are worthless after their date, such as sessions, tokens, logs and caches. Others,
such as coupons with a `valid_to`, are business data that you usually keep: then the finding only asks.

Ignore when: something else deletes them, or expired documents must be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nestling.doctor.commands import change_collection, create_index
from nestling.doctor.name_kinds import words_of
from nestling.doctor.rule import Rule, RuleInput
from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule("Missing TTL index", Severity.WARNING)
_EXPIRY = re.compile(r"expir(es|ed|y|ation|e)?_?(at|on|date|time)?|valid_?(until|to|till)|delete_?(at|after)|ttl", re.I)
_DELETION = re.compile(r"delete_?(at|after)|ttl", re.I)
_EPHEMERAL = frozenset(
    {
        "session",
        "token",
        "nonce",
        "otp",
        "captcha",
        "log",
        "cache",
        "lock",
        "lockout",
        "throttle",
        "reset",
        "temp",
        "tmp",
    }
)
"""Words for documents that are worthless once their date has passed."""
DATED_SHARE = 0.5
_TO_DELETE = "Create a TTL index on it. It deletes what has expired, at once and for good: check the dates first."
_TO_ASK = (
    "If these documents are worthless once their date has passed, a TTL index on the field deletes them, for good."
    " If people still need them, as with coupons and contracts, keep them and accept this finding."
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Expiry dates of documents that neither a TTL index nor an option of a clustered collection deletes."""
    for collection in seen.facts.of_documents():
        timed = collection.expires or any(
            index.ttl_seconds is not None and index.dates is not False for index in collection.indexes
        )
        for path in collection.top_level():
            is_date = path.count("date") > DATED_SHARE * path.present
            if is_date and _EXPIRY.fullmatch(path.field) and not timed and is_plain(path.steps):
                yield _finding(seen, collection, path)


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts) -> Finding:
    documents = collection.storage.documents if collection.storage else 0
    is_sure = _is_ephemeral(collection, path)
    return seen.finding(
        collection,
        path.text,
        "by its name, it says when a document expires, but no TTL index deletes the document then",
        number=documents,
        unit="documents",
        cost=f"{counted(documents, 'document')} {agreeing(documents, 'stays', 'stay')} until somebody deletes them",
        remedy=(_TO_DELETE if is_sure else _TO_ASK) + _of_texts(path),
        commands=(_to_delete(collection, path),) if is_sure else (),
        severity=None if is_sure else Severity.INFO,
        confidence=Confidence.LIKELY if is_sure else Confidence.POSSIBLE,
    )


def _of_texts(path: PathFacts) -> str:
    """What the index does to values that become dates later."""
    texts = path.count("string")
    if not texts:
        return ""
    return (
        f" Of the values, {count(texts)} {agreeing(texts)} of type string, which the index ignores. Convert them to"
        " dates before you create the index: afterwards, it deletes expired documents as soon as they are"
        " converted."
    )


def _is_ephemeral(collection: CollectionFacts, path: PathFacts) -> bool:
    """Whether the names say that a document is worthless, or to be deleted, once its date has passed."""
    return _DELETION.fullmatch(path.field) is not None or bool(words_of(collection.name) & _EPHEMERAL)


def _to_delete(collection: CollectionFacts, path: PathFacts) -> str:
    """A TTL index, converted from an existing index on the field if there is one: the server accepts no second one."""
    for index in collection.indexes:
        if [field for field, _ in index.keys] == [path.field] and not index.partial and not index.collation:
            made = {"name": index.name, "expireAfterSeconds": 0}
            return f"{change_collection(collection, index=made)} // from MongoDB 5.1 on"
    return create_index(collection.database, collection.name, [(path.field, 1)], expireAfterSeconds=0)
