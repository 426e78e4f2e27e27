"""`lower(text) = given` of PostgreSQL as a regular expression on the text itself.

The server only knows the case of A to Z. For all other letters each letter of each row would have to be looked up in a table; a
regular expression built once from the given text does the same.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.common.trees import rebuilt
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import EACH_ITSELF, Call, Compare, Expression, Like, Literal, Parameter
from nestling.ir.statements.operators import CaseRule, Collation, Comparison, Function, Rules
from nestling.ir.value_forms.letter_case import LOWER_OF, UPPER_OF, known_case

_TABLES = {Function.LOWER: LOWER_OF, Function.UPPER: UPPER_OF}


def with_cases_as_patterns(relation: Relation) -> Relation:
    """The relation with such comparisons as patterns without wildcards."""
    return rebuilt(relation, _as_pattern)


def _as_pattern(value: object) -> object | None:
    if (
        not isinstance(value, Compare)
        or value.operator is not Comparison.EQUAL
        or value.collation is not Collation.BINARY
    ):
        return None
    for text, other in ((value.left, value.right), (value.right, value.left)):
        if isinstance(text, Call) and _is_cased(text) and (given := _given(other, text.function)) is not None:
            return Like(text, given, EACH_ITSELF, CaseRule.EXACT)
    return None


def _is_cased(call: Call) -> bool:
    """Whether it is the case of a text that rows have."""
    if call.function not in _TABLES or call.rules is not Rules.POSTGRESQL:
        return False
    (text,) = call.arguments
    return not isinstance(text, Literal | Parameter) and not text.type.is_char


def _given(expression: Expression, case: Function) -> Expression | None:
    """A constant or parameter, perhaps in the same case; None for anything else."""
    match expression:
        case Parameter(listed=False):
            return expression
        case Call(function=function, arguments=(Parameter(listed=False),), rules=Rules.POSTGRESQL) if function is case:
            return expression
        case Literal(value=str(text)) if known_case(text):
            return expression
        case Call(function=function, arguments=(Literal(value=str(text)) as inner,), rules=Rules.POSTGRESQL) if (
            function is case and known_case(text)
        ):
            return replace(inner, value=text.translate(_TABLES[case]))
        case _:
            return None
