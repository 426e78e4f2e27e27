"""Conceptual values as BSON: what is refused, in words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from nestling.common.errors import LoadError
from nestling.ir.values import encode


def test_long_numbers_are_cut_where_they_are_refused() -> None:
    """How many digits there are is said, not all of them; a number that fits on a line is shown whole."""
    with pytest.raises(LoadError) as refused:
        encode(Decimal("7" * 401))
    assert f"the number {'7' * 60}… has 401 digits" in str(refused.value)
    with pytest.raises(LoadError, match="7" * 40 + " has 40 digits"):
        encode(Decimal("7" * 40))
