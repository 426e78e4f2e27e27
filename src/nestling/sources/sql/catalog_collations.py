"""How a database of PostgreSQL has its texts, where statements on MongoDB have them otherwise.

Texts may be ordered as a language orders them, while those statements order them by code point. And the C locale knows the case
of A to Z only, while they know that of all letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_COLLATIONS = """
SELECT found.name, count(*) FROM (
  SELECT CASE WHEN k.collname <> 'default' THEN k.collname::text
    WHEN to_jsonb(d)->>'datlocprovider' = 'i' THEN COALESCE(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale')
    WHEN to_jsonb(d)->>'datlocprovider' = 'b' THEN 'C' ELSE d.datcollate::text END AS name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_collation k ON k.oid = a.attcollation JOIN pg_database d ON d.datname = current_database()
  WHERE c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%') found
WHERE upper(replace(found.name, '-', '')) NOT IN ('C', 'POSIX', 'C.UTF8', 'UCS_BASIC', 'PG_C_UTF8')
GROUP BY 1 ORDER BY 1"""


_CASE = """
SELECT CASE to_jsonb(d)->>'datlocprovider' WHEN 'i' THEN '' WHEN 'b' THEN to_jsonb(d)->>'datlocale' ELSE datctype::text END
FROM pg_database d WHERE datname = current_database()"""


def case_of_letters(cursor: Any) -> Iterator[str]:
    """A note where only A to Z have another case."""
    cursor.execute(_CASE)
    ((name,),) = cursor.fetchall()
    if name in ("C", "POSIX"):
        known = "knows the case of A to Z only: on MongoDB `upper`, `lower` and `ILIKE` know that of other letters too"
        yield f"the database's locale `{name}` {known}"


def orders_of_languages(cursor: Any) -> Iterator[str]:
    """A note for each such collation."""
    cursor.execute(_COLLATIONS)
    for name, count in cursor.fetchall():
        columns = "1 column" if count == 1 else f"{count} columns"
        yield f"texts of {columns} are ordered by the collation `{name}`: on MongoDB capitals come before small letters"
