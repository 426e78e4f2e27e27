"""Facts: what a live MongoDB was found to be, as plain data. Gathered once by `nestling.executors.facts`, read by the doctor.

They hold names, types, counts and sizes, never a value of anybody's document.
"""

from nestling.ir.facts.collection import (
    BUILT,
    OUT_OF_TIME,
    REFUSED,
    SET_ASIDE,
    USE_UNSEEN,
    Collection,
    Copied,
    Facts,
    Index,
    Kind,
    Reference,
    Sample,
    Server,
    Skipped,
    Storage,
    TwoWay,
    Validator,
)
from nestling.ir.facts.path import Path, Quantiles
from nestling.ir.facts.statement import Join, Pattern, Projection, Statement
from nestling.ir.facts.steps import ANY_KEY, ELEMENT, arrays_on, field_path, steps_text

__all__ = [
    "ANY_KEY",
    "BUILT",
    "ELEMENT",
    "OUT_OF_TIME",
    "REFUSED",
    "SET_ASIDE",
    "USE_UNSEEN",
    "Collection",
    "Copied",
    "Facts",
    "Index",
    "Join",
    "Kind",
    "Path",
    "Pattern",
    "Projection",
    "Quantiles",
    "Reference",
    "Sample",
    "Server",
    "Skipped",
    "Statement",
    "Storage",
    "TwoWay",
    "Validator",
    "arrays_on",
    "field_path",
    "steps_text",
]
