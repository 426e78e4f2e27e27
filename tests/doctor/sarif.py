"""What SARIF 2.1.0 asks of the parts of a log that the doctor writes, as a JSON schema in our own words.

Written from the standard's text (sections 3.13 to 3.58): only properties the standard has, with its types and its closed sets.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _object(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


TEXT: Schema = {"type": "string", "minLength": 1}
LEVEL: Schema = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = _object(("text",), text=TEXT, markdown=TEXT)
RULE = _object(
    ("id",),
    id=TEXT,
    name=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    helpUri={"type": "string", "format": "uri"},
    defaultConfiguration=_object((), level=LEVEL, enabled={"type": "boolean"}, rank={"type": "number"}),
)
LOGICAL = _object((), name=TEXT, fullyQualifiedName=TEXT, decoratedName=TEXT, kind=TEXT, index={"type": "integer"})
RESULT = _object(
    ("message",),
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations=_list(_object((), logicalLocations=_list(LOGICAL, minItems=1))),
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    suppressions=_list(
        _object(
            ("kind",),
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification=TEXT,
        ),
        uniqueItems=True,
    ),
    properties={"type": "object"},
)
DRIVER = _object(
    ("name",), name=TEXT, version=TEXT, informationUri={"type": "string"}, rules=_list(RULE, uniqueItems=True)
)
LOG = _object(
    ("version", "runs"),
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs=_list(_object(("tool",), tool=_object(("driver",), driver=DRIVER), results=_list(RESULT))),
)
