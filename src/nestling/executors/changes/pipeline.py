"""What the server is asked for: events of some collections, made as small as they can be before they travel.

A change event of a whole document can pass the server's 16 MiB. Only names of changed fields are asked for, and documents where
`Watching` wants them; servers that can split large events (6.0.9, 7.0) are asked to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nestling.executors.changes.change import EventKind

_Stage = dict[str, Any]
SPLITS_SINCE = (6, 0, 9)
IMAGES_SINCE = (6, 0)


@dataclass(frozen=True, slots=True)
class Watching:
    """The collections whose changes matter, and what comes with them.

    `touching`: of some collections, stored paths without array places; an update that touches none of them, nothing in them and
    nothing around them does not come.
    `before`: the document before the change, where its collection keeps images. `after`: the document as it is when the event is
    read, which may be later than the change.
    """

    collections: tuple[str, ...]
    before: bool = False
    after: bool = False
    touching: Mapping[str, frozenset[str]] = field(default_factory=dict)


def pipeline(watching: Watching, version: tuple[int, ...]) -> list[_Stage]:
    """The stages behind `$changeStream`."""
    stages = [{"$match": {"$or": _wanted(watching)}}, {"$project": _small(watching)}]
    if (watching.before or watching.after) and splits(version):
        stages.append({"$changeStreamSplitLargeEvent": {}})
    return stages


def splits(version: tuple[int, ...]) -> bool:
    """Whether the server can split large events: from 6.0.9 on, and not the short-lived 6.1 to 6.3."""
    return version >= SPLITS_SINCE and not (6, 1) <= version < (7, 0)


def options(watching: Watching, version: tuple[int, ...]) -> dict[str, Any]:
    """The options of the change stream that concern documents."""
    found: dict[str, Any] = {}
    if watching.after:
        found["full_document"] = "updateLookup"
    if watching.before and version >= IMAGES_SINCE:
        found["full_document_before_change"] = "whenAvailable"
    return found


def _wanted(watching: Watching) -> list[_Stage]:
    """Which events: those of one kind or another, of names that matter."""
    names = {"$in": list(watching.collections)}
    plain = {"$in": [name for name in watching.collections if name not in watching.touching]}
    kinds = [str(kind) for kind in EventKind if kind.of_document and kind is not EventKind.UPDATE]
    whole = [str(EventKind.DROP), str(EventKind.RENAME)]
    ends = [str(EventKind.DROP_DATABASE), str(EventKind.INVALIDATE)]
    update = str(EventKind.UPDATE)
    return [
        {"operationType": {"$in": [*kinds, *whole]}, "ns.coll": names},
        {"operationType": update, "ns.coll": plain},
        *(
            {"operationType": update, "ns.coll": name, "$expr": _touches(paths)}
            for name, paths in sorted(watching.touching.items())
        ),
        {"operationType": str(EventKind.RENAME), "to.coll": names},
        {"operationType": {"$in": ends}},
    ]


def _touches(paths: frozenset[str]) -> _Stage:
    """Whether a changed path is one of these paths, lies below one, or above one."""
    regex = "|".join(f"(?:{touching(path)})" for path in sorted(paths)) or "(?!)"
    matches = {"$regexMatch": {"input": "$$this", "regex": regex}}
    return {"$anyElementTrue": [{"$map": {"input": _changed(), "in": matches}}]}


def touching(path: str) -> str:
    """The regular expression of a changed path, array places and all, that is this one, in it, or around it."""
    first, *others = (re.escape(name) + r"(?:\.[0-9]+)*" for name in path.split("."))
    rest = r"(?:\..*)?"
    for name in reversed(others):
        rest = rf"(?:\.{name}{rest})?"
    return f"^{first}{rest}$"


def _small(watching: Watching) -> dict[str, Any]:
    names = ("operationType", "ns.coll", "to.coll", "documentKey", "clusterTime", "wallTime")
    shape: dict[str, Any] = dict.fromkeys(names, 1) | {"changed": _changed()}
    if watching.before:
        shape["fullDocumentBeforeChange"] = 1
    if watching.after:
        shape["fullDocument"] = 1
    return shape


def _changed() -> dict[str, Any]:
    """The dotted paths an update touched."""
    said = "$updateDescription"
    fields = {"$objectToArray": {"$ifNull": [f"{said}.updatedFields", {}]}}
    cut = {"$ifNull": [f"{said}.truncatedArrays", []]}
    return {
        "$concatArrays": [
            {"$map": {"input": fields, "in": "$$this.k"}},
            {"$ifNull": [f"{said}.removedFields", []]},
            {"$map": {"input": cut, "in": "$$this.field"}},
        ]
    }
