"""Open sets: folders whose modules are the members, found by walking."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def module_names(path: Iterable[str]) -> tuple[str, ...]:
    """The modules of a package's `__path__` by name, sorted; packages in it are what they share, and none of them."""
    return _names(tuple(path))


def member(package: str, name: str) -> ModuleType:
    """The module of that name in a package, which has one."""
    return import_module(f"{package}.{name}")


@cache
def _names(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(path) if not module.ispkg))
