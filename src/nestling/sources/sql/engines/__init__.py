"""The kinds of SQL databases there are: each file has an `ENGINE`, and its name is the file's. Adding one is adding a file."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nestling.sources.sql.engine import Engine


@cache
def engine_of(name: str) -> Engine:
    """The kind of database called so."""
    engine: Engine = import_module(f"{__name__}.{name}").ENGINE
    return engine


@cache
def schemes() -> Mapping[str, str]:
    """How addresses begin, to the kind of database each means."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {scheme: name for name in names for scheme in engine_of(name).schemes}
