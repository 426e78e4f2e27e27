"""What several tests of the pipeline start from."""

from __future__ import annotations

import pytest

from nestling.ir.reading import Reading


@pytest.fixture(scope="module")
def reading(shop_read: Reading) -> Reading:
    """The bundled shop with its workload."""
    return shop_read
