"""Growth that nobody measured or declared but that influences the design."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.quantity_words import first_of, short
from nestling.ir.situation.fan_out import FanOut
from nestling.ir.situation.situation import Situation

MOST_RELATIONSHIPS_NAMED = 3
"""Most relationships named in a note."""


def assumed_growth(situation: Situation) -> Iterator[str]:
    """A sentence with all relationships whose growth is assumed, from what, and how to state it better."""
    told = [f"{name} ({_words(each)})" for name, each in situation.fan_outs.items() if each.assumed]
    if told:
        yield (
            f"growth is assumed, not measured or declared, for {first_of(told, MOST_RELATIONSHIPS_NAMED)}. If that is"
            " wrong, add the INSERTs that the workload lacks, or write `growth_per_day` into a model file"
            " (`nestling inspect SOURCE -o model.yaml`)"
        )


def _words(fan_out: FanOut) -> str:
    now = f"at most {short(fan_out.largest)} now; " if fan_out.largest is not None else ""
    return f"{now}{fan_out.assumed}"
