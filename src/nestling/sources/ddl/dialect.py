"""Which database a DDL text was written for, by what only that one writes."""

from __future__ import annotations

import re

from nestling.ir.statements.sql_dialects import DIALECTS, MYSQL, POSTGRESQL, SQLITE

_EVIDENCE = {
    MYSQL: (
        r"\bENGINE\s*=|\bAUTO_INCREMENT\b|/\*!\d{5}|\bUNSIGNED\b|\b(?:tiny|medium|long)(?:text|blob)\b|\b(?:tiny|medium)int\s*\(|\benum\s*\('"
        r"|\bDEFAULT\s+CHARSET\b|^\s*(?:UNIQUE\s+)?KEY\s+`|\bON\s+UPDATE\s+CURRENT_TIMESTAMP|^DELIMITER\s"
        r"|`[^`\n]+`|^SET\s+@@?\w"
    ),
    POSTGRESQL: (
        r"::\w|\b(?:big|small)?serial\b|\bCREATE\s+(?:TYPE|DOMAIN|EXTENSION|SEQUENCE)\b|\btimestamptz\b|\bjsonb\b|\bbytea\b"
        r"|\bcharacter\s+varying\b|\bwith(?:out)?\s+time\s+zone\b|\$\w*\$|\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?ONLY\b"
        r"|\bUSING\s+(?:btree|gin|gist)\b|\bCREATE\s+SCHEMA\b|^COPY\s.*FROM\s+stdin|\w\[\]|\buuid\b|\bnextval\s*\("
        r"|\binherits\s*\(|^\\connect\b|\bPARTITION\s+OF\b"
    ),
    SQLITE: (
        r"\bAUTOINCREMENT\b|\[\w[^\]\n]*\]\s*(?:\(|\w)|\bWITHOUT\s+ROWID\b|^\s*PRAGMA\b|\bsqlite_|\bINTEGER\s+PRIMARY\s+KEY\b"
        r"|\)\s*STRICT\s*;|\bUSING\s+fts\d|\bTEXT\s+PRIMARY\s+KEY\b"
    ),
}
_WEIGHT = {
    MYSQL: 1,
    POSTGRESQL: 1,
    SQLITE: 2,
}  # SQLite says little of its own, and what others write is legal there too
_NOT_SQLITE = re.compile(r"\bDROP\s+TABLE\s[^;]*\bCASCADE\s*;", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*")
READ_CHARACTERS = 400_000
"""How much of a long text is looked at."""


def detect_dialect(text: str) -> str:
    """The dialect most of the evidence points to; SQLite, which takes any type name, when there is none.

    Words that several dialects take (`SERIAL` aside, most type names) are no evidence.
    """
    head = _COMMENT.sub("", text[:READ_CHARACTERS])
    found = {
        dialect: _WEIGHT[dialect] * len(re.findall(pattern, head, re.IGNORECASE | re.MULTILINE))
        for dialect, pattern in _EVIDENCE.items()
    }
    if not any(found.values()) and _NOT_SQLITE.search(head):
        return POSTGRESQL
    return max(DIALECTS, key=lambda dialect: found[dialect])
