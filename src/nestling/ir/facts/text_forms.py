"""Texts that stand for values of another type, as patterns that Python and the server read alike.

A number is exact when it is written as it would be written back: nothing of the text is lost when it is stored as a number.
"""

from __future__ import annotations

OBJECT_ID = "[0-9a-fA-F]{24}"
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
DATE = (
    "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
CODE = "[+-]?0[0-9]+"
"""Digits behind a zero, as those of telephone numbers and postal codes: no number keeps the zero."""
EXACT_DOUBLE = r"(?=-?[0-9.]{1,15}$)(?!-0$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?"
EXACT_DECIMAL = r"(?=-?[0-9.]{1,34}$)(?!-0$)-?(?:0(?:\.[0-9]{1,6})?|[1-9][0-9]*(?:\.[0-9]+)?)"


def exact(number: str) -> str:
    """The texts that a type of numbers holds exactly; integers give way to decimals where they must."""
    return EXACT_DOUBLE if number == "double" else EXACT_DECIMAL
