"""What several tests of the pipeline start from."""

from __future__ import annotations

import pytest

from nestling.ir.reading import Reading
from tests.pipeline.shop import shop_reading


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """The bundled shop with its workload."""
    return shop_reading(tmp_path_factory.mktemp("shop"))
