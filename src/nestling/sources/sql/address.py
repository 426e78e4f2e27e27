"""Where a SQL database is: the addresses people write, and which driver reads each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.common.errors import Problem, SourceError
from nestling.common.redaction import redact
from nestling.sources.sql.engines import engine_of, schemes

if TYPE_CHECKING:
    from sqlalchemy import URL

_SCHEME = re.compile(r"^(?:jdbc:)?([a-z0-9]+)(?:\+[a-z0-9_]+)?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A database's address: its dialect, which names a file of `engines`, the driver's URL, and the text safe to show."""

    dialect: str
    url: URL
    origin: str

    @property
    def path(self) -> Path:
        """The file of a database that is one."""
        return Path(self.url.database or "")


def is_sql_address(text: str) -> bool:
    """Whether a source's address is one this package reads."""
    match = _SCHEME.match(text)
    return match is not None and match[1].lower() in schemes()


def parse_address(text: str) -> Address:
    """Parse `sqlite:///file`, `postgresql://…`, `mysql://…` or the forms of Django, Rails and JDBC.

    Raises `SourceError`.
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    if not is_sql_address(text):
        known = ", ".join(f"`{scheme}://`" for scheme in schemes())
        what, move = "this is not the address of a SQL database", ""
        if text.lower().startswith(("mongodb://", "mongodb+srv://")):
            move = "to move a live MongoDB, use `nestling plan` and `nestling migrate`"
        elif text.lower().startswith("mongo"):
            move = "a MongoDB is `mongodb://host/database`"
        raise SourceError(Problem(what, where=redact(text), known=f"known are {known}", next_move=move))
    dialect = schemes()[_SCHEME.match(text)[1].lower()]  # type: ignore[index]
    encode = "percent-encode the characters : / ? # [ ] @ in user and password"
    server = text.partition("://")[2]
    if server.count("@") > 1 and not server.startswith("/"):  # the driver would name as a host what is a password's end
        move = f"{encode}: @ is %40, # is %23, / is %2F"
        raise SourceError(Problem("the address contains more than one @", where=redact(text), next_move=move))
    try:
        url = make_url(_SCHEME.sub(f"{engine_of(dialect).url_driver}://", text))
    except (ArgumentError, ValueError):
        raise SourceError(Problem("the address cannot be read", where=redact(text), next_move=encode)) from None
    if not url.database:
        move = "add the database's name or path: `sqlite:///shop.db`, `postgresql://host/shop`"
        raise SourceError(Problem("the address names no database", where=redact(text), next_move=move))
    return Address(dialect, url, redact(text))
