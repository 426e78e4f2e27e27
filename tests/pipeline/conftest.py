"""What several tests of the pipeline start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.reading import Reading
from tests.bundled_shop import shop_reading


@pytest.fixture(scope="module")
def reading(shop_folder: Path) -> Reading:
    """The bundled shop with its workload."""
    return shop_reading(shop_folder)
