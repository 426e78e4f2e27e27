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
        r"|\binherits\s*\(|^\\connect\b|\bPARTITION\s+OF\b|\bALTER\s+TABLE\s+IF\s+EXISTS\b"
        r"|\bGENERATED\s+(?:ALWAYS|BY\s+DEFAULT)\s+AS\s+IDENTITY\b"
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
_SQL_SERVER = re.compile(r"^\s*GO\s*$|\[dbo\]\s*\.|\bIDENTITY\s*\(\s*\d+\s*,\s*\d+\s*\)", re.IGNORECASE | re.MULTILINE)
_ORACLE = re.compile(r"\bN?VARCHAR2\s*\(|\bSYSDATE\b|\bSYSTIMESTAMP\b|^/\s*$", re.IGNORECASE | re.MULTILINE)
_NOT_SQLITE = re.compile(r"\bDROP\s+TABLE\s[^;]*\bCASCADE\s*;", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*")
READ_CHARACTERS = 400_000
"""How much of a long text is looked at."""


def detect_dialect(text: str) -> str:
    """The dialect that most of the evidence points to; SQLite, which accepts any type name, if there is no evidence.

    Words that several dialects accept (most type names, except `SERIAL`) are not evidence.
    """
    head = _COMMENT.sub("", text[:READ_CHARACTERS])
    found = {
        dialect: _WEIGHT[dialect] * len(re.findall(pattern, head, re.IGNORECASE | re.MULTILINE))
        for dialect, pattern in _EVIDENCE.items()
    }
    if not any(found.values()) and _NOT_SQLITE.search(head):
        return POSTGRESQL
    return max(DIALECTS, key=lambda dialect: found[dialect])


def is_of_sql_server(text: str) -> bool:
    """Whether it is Transact-SQL, by words that no dialect nestling reads has."""
    return _SQL_SERVER.search(_COMMENT.sub("", text[:READ_CHARACTERS])) is not None


def is_of_oracle(text: str) -> bool:
    """Whether it has words of Oracle's, which are taken for names of types."""
    return _ORACLE.search(_COMMENT.sub("", text[:READ_CHARACTERS])) is not None
