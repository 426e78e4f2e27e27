"""How values of a PostgreSQL server arrive: exact where that is possible, else the server's own text."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from psycopg.adapt import Loader
from psycopg.errors import DataError
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.string import TextLoader

from nestling.ir.value_forms.json_text import read_json

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer

_AS_TEXT = ("time", "timetz", "interval", "inet", "cidr", "int4range", "int8range", "numrange", "daterange", "tsrange",
            "tstzrange", "int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange",
            "tstzmultirange")  # fmt: skip
_MAY_NOT_FIT = ("date", "timestamp", "timestamptz")
_OWN_TYPES = """SELECT typname, oid, typarray FROM pg_catalog.pg_type
WHERE typtype IN ('b', 'e', 'd', 'c') AND typarray <> 0 AND typnamespace <> 'pg_catalog'::regnamespace
AND typnamespace <> 'information_schema'::regnamespace"""


def register_loaders(connection: Connection[Any]) -> None:
    """Make a connection hand over values as `nestling.ir.rows` documents them."""
    adapters = connection.adapters
    for name, oid, array_oid in connection.execute(_OWN_TYPES).fetchall():
        TypeInfo(name, oid, array_oid).register(connection)
    for name in _AS_TEXT:
        adapters.register_loader(name, TextLoader)
    for name in _MAY_NOT_FIT:
        inner = adapters.get_loader(adapters.types[name].oid, Format.TEXT)
        adapters.register_loader(name, _or_text(inner, utc=name == "timestamptz"))
    adapters.register_loader("json", JsonLoader)
    adapters.register_loader("jsonb", JsonbLoader)
    for info in list(adapters.types):
        if info.array_oid and (array := adapters.get_loader(info.array_oid, Format.TEXT)):
            adapters.register_loader(info.array_oid, _unless_bounded(array))


class JsonLoader(Loader):
    """JSON as Python values, by `read_json`."""

    def load(self, data: Buffer) -> object:
        """Read one value of `json`."""
        return read_json(bytes(data).decode())


class JsonbLoader(Loader):
    """JSON whose numbers keep their digits, `0.10`."""

    def load(self, data: Buffer) -> object:
        """Read one value of `jsonb`."""
        return read_json(bytes(data).decode(), digits=True)


@cache
def _or_text(inner: Any, *, utc: bool) -> type[Loader]:
    class OrText(Loader):
        """A date Python can hold, or the server's text: `infinity`, years before 1 or after 9999."""

        def __init__(self, oid: int, context: Any = None) -> None:
            super().__init__(oid, context)
            self._load = inner(oid, context).load

        def load(self, data: Buffer) -> object:
            try:
                found = self._load(data)
            except DataError:
                return bytes(data).decode()
            return found.replace(tzinfo=UTC) if utc and isinstance(found, datetime) else found

    return OrText


@cache
def _unless_bounded(array: Any) -> type[Loader]:
    class UnlessBounded(Loader):
        """A list, or the server's text if the array's bounds do not start at 1, which a list cannot express.

        The driver's own array loader may be written in C, and ignores Python classes.
        """

        def __init__(self, oid: int, context: Any = None) -> None:
            super().__init__(oid, context)
            self._load = array(oid, context).load

        def load(self, data: Buffer) -> object:
            text = bytes(data)
            return text.decode() if text.startswith(b"[") else self._load(data)

    return UnlessBounded
