"""Documents that say when they expire, and never do.

Why: nothing deletes them. The collection and its indexes grow for ever, and every query that forgets to ask finds
what is no longer true.

Example: `sessions.expires_at` without a TTL index.

Remedy: an index on the field with `expireAfterSeconds: 0`.

Ignore when: something else deletes them, or what has expired must be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nestling.doctor.rule import Rule, Seen
from nestling.doctor.words import confidence, create_index
from nestling.ir.facts import Collection, Path
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import count

RULE = Rule("Missing TTL index", Severity.WARNING)
_EXPIRY = re.compile(r"expir(es|ed|y|ation|e)?_?(at|on|date|time)?|valid_?(until|to|till)|delete_?(at|after)|ttl", re.I)
MOSTLY = 0.5


def findings(seen: Seen) -> Iterator[Finding]:
    """Dates of expiry of documents that neither a TTL index nor an option of a clustered collection deletes."""
    for collection in seen.facts.of_documents():
        timed = collection.expires or any(index.ttl_seconds is not None for index in collection.indexes)
        for path in collection.top_level():
            is_date = path.count("date") > MOSTLY * path.present
            if is_date and _EXPIRY.fullmatch(path.field) and not timed and is_plain(path.steps):
                yield _finding(seen, collection, path)


def _finding(seen: Seen, collection: Collection, path: Path) -> Finding:
    documents = collection.storage.documents if collection.storage else 0
    sure = confidence(collection)
    return seen.finding(
        collection,
        path.text,
        "the name says when a document expires, and no TTL index deletes it then",
        number=documents,
        unit="documents",
        cost=f"{count(documents)} documents stay until somebody deletes them",
        remedy="Create a TTL index on it. It deletes what has expired, at once and for good: look at the dates first.",
        commands=(create_index(collection.database, collection.name, [(path.field, 1)], "{expireAfterSeconds: 0}"),),
        confidence=Confidence.LIKELY if sure is Confidence.CERTAIN else sure,
    )
