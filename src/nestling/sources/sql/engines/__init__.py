"""The kinds of SQL databases: each file has an `ENGINE` and gives it its name. To add one, add a file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from nestling.common.folders import member, module_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nestling.sources.sql.engine import Engine


@cache
def engine_of(name: str) -> Engine:
    """The kind of database called so."""
    engine: Engine = member(__name__, name).ENGINE
    return engine


@cache
def schemes() -> Mapping[str, str]:
    """By beginning of an address, the kind of database it means."""
    return {scheme: name for name in module_names(__path__) for scheme in engine_of(name).schemes}
