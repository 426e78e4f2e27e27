"""What a field's name says its values are: money, codes, ids."""

from __future__ import annotations

from nestling.common.words_in_names import singular, words
from nestling.ir.facts import ELEMENT

MONEY = frozenset(
    {*("price", "cost", "amount", "rate", "fee", "tax", "vat", "total", "discount"), *("charge", "salary", "wage")}
)
QUANTITIES = frozenset(
    {
        *("qty", "quantity", "weight", "balance", "stock", "rating", "score", "distance", "duration", "volume"),
        *("height", "width", "length", "depth", "area", "temperature", "latitude", "longitude", "percent"),
    }
)
"""Words for numbers that people sum, sort and compare, besides money."""
CODES = frozenset(
    {
        *("zip", "zipcode", "postal", "postcode", "plz", "phone", "telephone", "mobile", "cell", "fax", "msisdn"),
        *("sku", "ean", "gtin", "upc", "isbn", "issn", "iban", "bic", "swift", "code", "plate", "license", "licence"),
        *("vin", "imei", "serial", "ssn", "passport", "barcode", "pin"),
    }
)
"""Words for values that consist of digits but are not numbers: nobody adds them up, and a leading zero counts."""
IDS = frozenset({"id", "key", "ref", "no", "nr"})
"""Words for what tells things apart: a number as well as a text, so most values decide."""


def words_of(name: str) -> set[str]:
    """The words of a name, also in the singular."""
    found = words(name)
    return {*found, *map(singular, found)}


def names_a_code(steps: tuple[str, ...]) -> bool:
    """Whether a field's name says that its digits are a code."""
    return bool(_last(steps) & CODES)


def names_money(steps: tuple[str, ...]) -> bool:
    """Whether a field's name says that it is an amount of money."""
    return bool(_last(steps) & MONEY)


def names_a_quantity(steps: tuple[str, ...]) -> bool:
    """Whether a field's name says that people calculate with it."""
    return bool(_last(steps) & (MONEY | QUANTITIES))


def names_an_id(steps: tuple[str, ...]) -> bool:
    """Whether a field's name says that it tells things apart."""
    return bool(_last(steps) & IDS)


def _last(steps: tuple[str, ...]) -> set[str]:
    return words_of(next((step for step in reversed(steps) if step != ELEMENT), ""))
