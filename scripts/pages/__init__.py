"""The pages of docs/ that are made from code: `python -m scripts.pages` writes them, a test says when that was forgotten.

A page is a module in this folder with a function `page() -> str`; `type_map.py` makes `docs/type-map.md`. The patterns have a
page each, in `docs/patterns`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

from nestling.common.folders import module_names

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@cache
def pages() -> dict[str, Callable[[], str]]:
    """File name of every generated page, by name, to what makes its text."""
    names = [name for name in module_names(__path__) if not name.startswith("_")]
    single = {f"{name.replace('_', '-')}.md": import_module(f"{__name__}.{name}").page for name in names}
    by_pattern: dict[str, Callable[[], str]] = import_module(f"{__name__}._pattern_pages").pages()
    return single | by_pattern
