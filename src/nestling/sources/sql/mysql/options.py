"""Options after the `?` of a MySQL address, in the spelling of MySQL's programs, SQLAlchemy or JDBC, for the driver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nestling.common.errors import Problem, SourceError, unknown
from nestling.sources.sql.address import Address

_NAMES = {"unixsocket": "unix_socket", "sslca": "ssl_ca", "sslcert": "ssl_cert", "sslkey": "ssl_key",
          "user": "user", "password": "password"}  # fmt: skip
_FILES = ("sslca", "sslcert", "sslkey")
_OURS = frozenset({"charset", "characterencoding", "useunicode", "servertimezone", "connectiontimezone"})
"""Sessions set these themselves, so that the same data arrives as the same values."""
_UNVERIFIED = {"ssl": {"check_hostname": False, "verify_mode": "none"}}
_MODES: dict[str, dict[str, Any]] = {
    "disabled": {"ssl_disabled": True},
    "preferred": {},
    "required": _UNVERIFIED,
    "verify_ca": {"ssl_verify_cert": True},
    "verify_identity": {"ssl_verify_cert": True, "ssl_verify_identity": True},
}


def mysql_options(address: Address) -> dict[str, Any]:
    """The driver's arguments. Raises `SourceError` for unknown options: a requirement for TLS must not be ignored."""
    found: dict[str, Any] = {}
    mode = ""
    seen = set[str]()
    for name, value in address.url.query.items():
        folded = name.replace("-", "").replace("_", "").casefold()
        if folded in seen or not isinstance(value, str):
            move = "give it once"
            raise SourceError(Problem(f"`{name}` is given more than once", address.origin, next_move=move))
        seen.add(folded)
        if folded == "sslmode":
            mode = value.casefold()
        elif folded in _NAMES:
            found[_NAMES[folded]] = value
            if folded in _FILES and not Path(value).is_file():
                raise SourceError(
                    Problem(f"no such file: `{name}={value}`", address.origin, next_move="check the path")
                )
        elif folded not in _OURS:
            known = ("ssl_mode", *_NAMES.values())
            raise SourceError(unknown("parameter of a MySQL address", name, known))
    if mode and mode not in _MODES:
        raise SourceError(unknown("ssl_mode", mode, _MODES))
    if mode.startswith("verify") and "ssl_ca" not in found:
        move = "add `ssl_ca=` with the path of the CA certificate"
        raise SourceError(
            Problem(f"ssl_mode `{mode}` needs a CA certificate to verify against", address.origin, next_move=move)
        )
    return found | _MODES.get(mode, {})
