"""The design of what was read, made once by all workers: that of the shop at least cost takes seconds to find and weigh."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from nestling import pipeline
from nestling.ir.proposal import OPTIMAL, Proposal
from nestling.ir.reading import Reading
from nestling.ir.text import write_reading
from nestling.pipeline.designing import design

SHARED = "NESTLING_TESTS_SHARED"
"""The environment's name of a folder that all workers of a run see."""


@contextmanager
def designed_once() -> Iterator[None]:
    """Commands in this process find the design of what was read before as it was found then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "design", _once)
        yield


def _once(reading: Reading | Path | str, strategy: str = OPTIMAL, *arguments: Any, **options: Any) -> Proposal:
    """What `pipeline.design` makes of a reading, which is the same for equal ones; files and live databases are read anew."""
    make = designed if isinstance(reading, Reading) and reading.today is None else design
    return make(reading, strategy, *arguments, **options)


@cache
def designed(reading: Reading, strategy: str, *arguments: Any, **options: Any) -> Proposal:
    """The design that one of the workers makes; others wait for it."""
    if strategy != OPTIMAL or arguments or options:
        return design(reading, strategy, *arguments, **options)
    made = Path(os.environ[SHARED]) / sha256(write_reading(reading).encode()).hexdigest()
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            made.write_bytes(pickle.dumps((reading, design(reading, strategy))))
    of, found = pickle.loads(made.read_bytes())
    assert isinstance(found, Proposal)
    return found if of == reading else design(reading, strategy)  # a file does not say all of what was read
