"""Values written as Python source: evaluated with what modules import, they are the values again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId
from bson.datetime_ms import DatetimeMS

from nestling.emitters.python_code.source_layout import laid_out
from nestling.emitters.python_code.support import OWN_IMPORTS

VALUES = [
    datetime(2024, 2, 26, tzinfo=UTC),
    datetime(2024, 2, 26, 1, 2, 3, 456000, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    datetime(2024, 2, 26, 1, 2),  # noqa: DTZ001 - a moment without a zone
    DatetimeMS(-(2**62)),
    Int64(5),
    float("inf"),
    -0.0,
    Decimal128("1.50"),
    UUID(int=7),
    ObjectId(b"twelve bytes"),
    b"\x00'\"",
    Binary(b"\xff", 128),
    MinKey(),
    MaxKey(),
    "a 'text' with \"both\"\n\\",
    None,
    True,
    2**62,
    {"$in": [datetime(1, 1, 1, tzinfo=UTC), {"a.b": [1, "x" * 200]}]},
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_itself_again(value: object) -> None:
    """Whatever its type, moments of any zone among them."""
    names: dict[str, object] = {}
    exec(OWN_IMPORTS, names)
    again = eval(laid_out(value), names)
    assert again == value
    assert type(again) is type(value)
    assert repr(again) == repr(value) or isinstance(value, datetime)
