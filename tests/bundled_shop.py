"""The bundled shop and its workload, as files and as what is read of them."""

from __future__ import annotations

from pathlib import Path

from nestling.ir.reading import Reading
from nestling.pipeline import inspect
from nestling.shop import create_shop, workload


def write_shop(folder: Path, more: str = "") -> str:
    """Write `shop.db` and `workload.sql` into a folder, and give the database's address; `more`: further statements."""
    create_shop(folder / "shop.db")
    (folder / "workload.sql").write_text(workload() + more, encoding="utf-8")
    return shop_address(folder)


def shop_address(folder: Path) -> str:
    """The address of the shop in a folder."""
    return f"sqlite:///{folder / 'shop.db'}"


def shop_reading(folder: Path) -> Reading:
    """What is read of the shop in a folder."""
    return inspect(shop_address(folder), workload=folder / "workload.sql")
