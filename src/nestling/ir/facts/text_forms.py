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
_DAY = (
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
_CLOCK = r"[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_ZONE = "(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])"
REAL_DATE = f"{_DAY}(?:{_CLOCK}{_ZONE}?)?"
"""The dates among them that a calendar and a clock have: the server converts each."""
ZONELESS = f"{_DAY}(?:{_CLOCK})?"
"""A pattern for dates without a time zone, which the server reads as UTC."""
CODE = "[+-]?0[0-9]+"
"""Digits behind a zero, as those of telephone numbers and postal codes: no number keeps the zero."""
TRUE = ("true", "yes", "on")
FALSE = ("false", "no", "off")
BOOL = "|".join(form for word in (*TRUE, *FALSE) for form in (word, word.capitalize(), word.upper()))
"""Words of booleans, as programs write them."""
DAY_FIRST = r"(?:0?[1-9]|[12][0-9]|3[01])\.(?:0?[1-9]|1[0-2])\.[0-9]{4}"
"""Dates as many countries write them, such as `31.12.2024`: these texts do not sort as the dates do."""
SLASHED = "(?:0?[1-9]|[12][0-9]|3[01])/(?:0?[1-9]|[12][0-9]|3[01])/[0-9]{4}"
"""Dates of which nobody can tell whether the day or the month comes first: `05/10/2024`."""
SLASHED_DAY_FIRST = "(?:1[3-9]|2[0-9]|3[01])/(?:0?[1-9]|1[0-2])/[0-9]{4}"
SLASHED_MONTH_FIRST = "(?:0?[1-9]|1[0-2])/(?:1[3-9]|2[0-9]|3[01])/[0-9]{4}"
"""Dates among them that tell: no month is a thirteenth."""
EXACT_DOUBLE = r"(?=-?[0-9.]{1,15}$)(?!-0$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?"
EXACT_DECIMAL = r"(?=-?[0-9.]{1,34}$)(?!-0$)-?(?:0(?:\.[0-9]{1,6})?|[1-9][0-9]*(?:\.[0-9]+)?)"

AMOUNT = r"(?=-?[0-9.]{1,15}$)-?(?:0|[1-9][0-9]*)\.[0-9]{2}"
"""A number with two decimals, as amounts of money are written; one such text alone may be a version."""
COUNTED = {
    "date": REAL_DATE,
    "zoneless": ZONELESS,
    "objectId": OBJECT_ID,
    "number": NUMBER,
    "code": CODE,
    "double": EXACT_DOUBLE,
    "decimal": EXACT_DECIMAL,
    "amount": AMOUNT,
    "dayFirst": DAY_FIRST,
    "slashed": SLASHED,
    "slashedDayFirst": SLASHED_DAY_FIRST,
    "slashedMonthFirst": SLASHED_MONTH_FIRST,
    "bool": BOOL,
}
"""The patterns by the name under which texts that match are counted (`Path.forms`)."""
FRACTION = "fraction"
"""The name under which doubles are counted that equal no decimal: in binary 0.1 is not exact, 0.5 is."""
BIT = "bit"
"""The name under which the numbers 0 and 1 are counted among booleans, which they may stand for."""
INEXACT = "inexact"
"""The name under which doubles are counted that no text of ours holds: they have more than 15 digits, or very many zeros."""


def exact(number: str, *, amounts: bool = False) -> str:
    """The texts that a type of numbers holds exactly; integers give way to decimals where they must.

    `amounts`: all texts have two decimals, so that a zero at the end says nothing.
    """
    if number != "double":
        return EXACT_DECIMAL
    return f"{AMOUNT}|{EXACT_DOUBLE}" if amounts else EXACT_DOUBLE
