"""Facts: what a live MongoDB was found to be, as plain data. Gathered once by `nestling.executors.facts`, read by the doctor.

They hold names, types, counts and sizes, never a value of anybody's document.
"""

from nestling.ir.facts.collection import (
    BUILT,
    NO_RIGHT,
    OUT_OF_TIME,
    SET_ASIDE,
    SET_ASIDE_SO_FAR,
    USE_UNSEEN,
    CollectionFacts,
    Copied,
    Facts,
    IndexFacts,
    NamespaceKind,
    ReferenceFacts,
    Sample,
    ServerFacts,
    Skipped,
    Storage,
    TwoWay,
    Validator,
)
from nestling.ir.facts.path import PathFacts, Quantiles
from nestling.ir.facts.statement import ConditionBranch, JoinFacts, LastSeen, Projection, StatementFacts
from nestling.ir.facts.steps import ANY_KEY, ELEMENT, arrays_on, field_path, steps_text

__all__ = [
    "ANY_KEY",
    "BUILT",
    "ELEMENT",
    "NO_RIGHT",
    "OUT_OF_TIME",
    "SET_ASIDE",
    "SET_ASIDE_SO_FAR",
    "USE_UNSEEN",
    "CollectionFacts",
    "ConditionBranch",
    "Copied",
    "Facts",
    "IndexFacts",
    "JoinFacts",
    "LastSeen",
    "NamespaceKind",
    "PathFacts",
    "Projection",
    "Quantiles",
    "ReferenceFacts",
    "Sample",
    "ServerFacts",
    "Skipped",
    "StatementFacts",
    "Storage",
    "TwoWay",
    "Validator",
    "arrays_on",
    "field_path",
    "steps_text",
]
