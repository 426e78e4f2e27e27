"""Which catalog reader serves which dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nestling.common.sql_dialects import SQLITE
from nestling.sources.sql.address import Address

if TYPE_CHECKING:
    from nestling.sources.sql.catalog import Catalog


def read_catalog(address: Address, connection: Any) -> Catalog:
    """Read the catalog through an open connection."""
    if address.dialect == SQLITE:
        from nestling.sources.sql.catalog_sqlite import read_sqlite_catalog

        return read_sqlite_catalog(connection)
    from nestling.sources.sql.catalog_server import read_server_catalog

    return read_server_catalog(address, connection)
