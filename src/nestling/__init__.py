"""From a relational schema and its workload to a verified MongoDB schema, with the reasons and the numbers.

::

    from nestling import Store, pipeline

    proposal = pipeline.design(pipeline.inspect("shop.db", workload="workload.sql"))
    with pipeline.opened(uri, "shop") as (server, database):
        pipeline.load(proposal, "shop.db", database)
        Store(proposal, database, workload="workload.sql").run("product_page", id=7)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nestling import pipeline
    from nestling.common.errors import NestlingError
    from nestling.store import AsyncStore, Result, Store

__version__ = "0.4.0.dev0"
__all__ = ["AsyncStore", "NestlingError", "Result", "Store", "__version__", "pipeline"]
_HOMES = {"AsyncStore": "store", "NestlingError": "common.errors", "Result": "store", "Store": "store"}


def __getattr__(name: str) -> object:
    """Import a name when it is first used: commands that do not need it start faster."""
    if name == "pipeline":
        return import_module("nestling.pipeline")
    if name in _HOMES:
        return getattr(import_module(f"nestling.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
