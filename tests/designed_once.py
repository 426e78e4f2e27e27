"""The design of what was read, made once by each worker: that of the shop at least cost takes seconds to find and weigh."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nestling import pipeline
from nestling.ir.proposal import OPTIMAL, Proposal
from nestling.ir.reading import Reading
from nestling.pipeline.designing import design

_designed = cache(design)


@contextmanager
def designed_once() -> Iterator[None]:
    """Commands in this process find the design of what was read before as it was found then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "design", _once)
        yield


def _once(reading: Reading | Path | str, strategy: str = OPTIMAL, *arguments: Any, **options: Any) -> Proposal:
    """What `pipeline.design` makes of a reading, which is the same for equal ones; files and live databases are read anew."""
    make = _designed if isinstance(reading, Reading) and reading.today is None else design
    return make(reading, strategy, *arguments, **options)
