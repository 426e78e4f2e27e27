"""The closed set of functions: a file for each kind, `call` finds which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.functions.arrays import ARRAYS
from nestling.emitters.mql.sql.functions.choice import CHOICES
from nestling.emitters.mql.sql.functions.intervals import INTERVALS
from nestling.emitters.mql.sql.functions.json_changes import JSON_CHANGES
from nestling.emitters.mql.sql.functions.json_conditions import JSON_CONDITIONS
from nestling.emitters.mql.sql.functions.json_parts import JSON_PARTS
from nestling.emitters.mql.sql.functions.json_values import JSON_VALUES
from nestling.emitters.mql.sql.functions.made_dates import MADE_DATES
from nestling.emitters.mql.sql.functions.numbers import NUMBERS
from nestling.emitters.mql.sql.functions.patterns import PATTERNS
from nestling.emitters.mql.sql.functions.texts import TEXTS
from nestling.emitters.mql.sql.functions.times import TIMES
from nestling.emitters.mql.sql.functions.zones import ZONES
from nestling.ir.statements.expression import Call

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_JSON = {**JSON_CHANGES, **JSON_CONDITIONS, **JSON_PARTS, **JSON_VALUES}
_RENDERERS = {**ARRAYS, **_JSON, **CHOICES, **INTERVALS, **MADE_DATES, **NUMBERS, **PATTERNS, **TEXTS, **TIMES, **ZONES}


def call(node: Call, r: Renderer) -> MqlValue:
    """The value of a function call as MQL."""
    return _RENDERERS[node.function](node, r)
