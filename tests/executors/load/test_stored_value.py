"""Values as loading stores them, one after the other."""

from __future__ import annotations

from decimal import Decimal

import pytest
from bson import Decimal128

from nestling.executors.load.stored_value import UnstorableError, ValueEncoders
from nestling.ir.model import Attribute
from nestling.ir.types import Type
from nestling.ir.values import Policy


def test_decimals_that_come_again() -> None:
    """A decimal is stored with its own digits, whatever equal ones came before; what cannot be stored is refused every time."""
    encode = ValueEncoders(Policy()).encoder("line", Attribute("price", Type.parse("decimal")))
    texts = ("1.0", "1.00", "1", "-0", "0", "1E+2", "100", "1.0", "1.00", "1E+2")
    assert [encode(Decimal(text)) for text in texts] == [Decimal128(text) for text in texts]
    for _ in range(2):
        with pytest.raises(UnstorableError):
            encode(Decimal("1." + "1" * 40))
