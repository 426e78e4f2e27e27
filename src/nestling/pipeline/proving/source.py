"""A source in, a proof out: the design nestling advises, its rivals, its rows and its statements' values, measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.ir.proof import Proof
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.pipeline.designing import design
from nestling.pipeline.drawing import bindings
from nestling.pipeline.proving.effort import FULL, Effort
from nestling.pipeline.proving.prove import prove
from nestling.pipeline.rivals import rivals
from nestling.pipeline.watching import Watch

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.common.server import Server

VARIANTS = ("runner-up", "ablation")


def prove_source(
    reading: Reading,
    address: str,
    on: tuple[Server, Database[Any]],
    *,
    proposal: Proposal | None = None,
    files: Iterable[Path] = (),
    random: int = 0,
    variants: bool = True,
    effort: Effort = FULL,
    watch: Watch | None = None,
) -> Proof:
    """Prove the design of a reading with the rows behind `address`; errors as of `prove`, `rivals` and `bindings`.

    `proposal`: the design that is advised (None: the one `design` finds); `variants`: with single decisions taken another way.
    """
    from nestling.sources.front import open_rows

    if watch is not None:
        watch("designing", 0, None)
    source = open_rows(address, reading.model)
    values = bindings(reading, source, seed=effort.seed)
    every = rivals(reading, proposal or design(reading), files=files, random=random, seed=effort.seed)
    racing = {name: made for name, made in every.items() if variants or not name.startswith(VARIANTS)}
    return prove(reading, racing, lambda model: open_rows(address, model), values, on, effort=effort, watch=watch)
