"""The pages of docs/ that are made from code: `python -m scripts.pages` writes them, a test says when that was forgotten.

A page is a module in this folder with a function `page() -> str`; `type_map.py` makes `docs/type-map.md`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def pages() -> dict[str, str]:
    """File name to text of every generated page, by name."""
    names = sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    return {f"{name.replace('_', '-')}.md": import_module(f"{__name__}.{name}").page() for name in names}
