"""From a relational schema and its workload to a verified MongoDB schema, with the reasons and the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nestling.common.errors import NestlingError as NestlingError
    from nestling.store import AsyncStore as AsyncStore
    from nestling.store import Result as Result
    from nestling.store import Store as Store

__version__ = "0.1.0"
__all__ = ["AsyncStore", "NestlingError", "Result", "Store", "__version__"]


def __getattr__(name: str) -> object:
    """Imported when it is asked for: commands that need none of it start faster."""
    if name in ("AsyncStore", "Result", "Store"):
        from nestling import store

        return getattr(store, name)
    if name == "NestlingError":
        from nestling.common import errors

        return errors.NestlingError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
