"""A conversion as data: it is run here, and written as a call into the modules nestling writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Convert: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Conversion:
    """A function of this package that takes a value; with `arguments`, one that makes such a function of them."""

    function: Callable[..., Any]
    arguments: tuple[object, ...] | None = None

    @property
    def convert(self) -> Convert:
        """The function to call."""
        if self.arguments is None:
            return self.function
        made: Convert = self.function(
            *(each.convert if isinstance(each, Conversion) else each for each in self.arguments)
        )
        return made
