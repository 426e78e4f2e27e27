"""The bundled shop, read with its workload."""

from __future__ import annotations

from pathlib import Path

from nestling.ir.reading import Reading
from nestling.pipeline import inspect
from nestling.shop import create_shop, workload


def shop_reading(folder: Path, more: str = "") -> Reading:
    """The shop made in a folder; `more`: further statements."""
    create_shop(folder / "shop.db")
    (folder / "workload.sql").write_text(workload() + more, encoding="utf-8")
    return inspect(f"sqlite:///{folder / 'shop.db'}", workload=folder / "workload.sql")
