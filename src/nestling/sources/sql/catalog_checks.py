"""The CHECK constraints of a PostgreSQL or MySQL server, by table, and PostgreSQL's exclusion constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.sources.tables import CheckConstraint

if TYPE_CHECKING:
    from collections.abc import Mapping

# Those of tables, those of the domains their columns are of, and a partition's own, which hold of some of its table's rows only.
# Where a collation takes different texts for equal, or the server counts bytes for characters, a condition means something else
# here: such ones count as ones that may not hold.
_POSTGRESQL = """
SELECT n.nspname, c.relname, x.conname, pg_get_expr(x.conbin, x.conrelid), '',
       x.convalidated AND COALESCE((to_jsonb(x)->>'conenforced')::boolean, true)
       AND current_setting('server_encoding') <> 'SQL_ASCII'
       AND NOT EXISTS (SELECT 1 FROM pg_attribute a JOIN pg_collation o ON o.oid = a.attcollation WHERE a.attrelid = x.conrelid
                       AND a.attnum = ANY (x.conkey) AND NOT COALESCE((to_jsonb(o)->>'collisdeterministic')::boolean, true))
FROM pg_constraint x JOIN pg_class c ON c.oid = x.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE x.contype = 'c'
UNION ALL
SELECT n.nspname, c.relname, x.conname, pg_get_expr(x.conbin, 0), a.attname, x.convalidated
       AND current_setting('server_encoding') <> 'SQL_ASCII'
       AND NOT EXISTS (SELECT 1 FROM pg_collation o
                       WHERE o.oid = a.attcollation AND NOT COALESCE((to_jsonb(o)->>'collisdeterministic')::boolean, true))
FROM pg_constraint x JOIN pg_attribute a ON a.atttypid = x.contypid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f') JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE x.contype = 'c'
UNION ALL
SELECT n.nspname, r.relname, c.relname || '.' || x.conname, pg_get_expr(x.conbin, x.conrelid), '', false
FROM pg_constraint x JOIN pg_class c ON c.oid = x.conrelid AND c.relispartition JOIN pg_inherits h ON h.inhrelid = c.oid
JOIN pg_class r ON r.oid = h.inhparent JOIN pg_namespace n ON n.oid = r.relnamespace
WHERE x.contype = 'c' AND x.conislocal
ORDER BY 1, 2, 3, 5"""
_EXCLUSIONS = """
SELECT n.nspname, c.relname, x.conname, pg_get_constraintdef(x.oid) FROM pg_constraint x JOIN pg_class c ON c.oid = x.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE x.contype = 'x' AND COALESCE(to_jsonb(x)->>'conparentid', '0') = '0' ORDER BY 1, 2, 3"""
_MARIADB = """
SELECT NULL, table_name, constraint_name, check_clause, '', 1 FROM information_schema.check_constraints
WHERE constraint_schema = DATABASE() ORDER BY table_name, constraint_name"""
_MYSQL = """
SELECT NULL, t.table_name, c.constraint_name, c.check_clause, '', t.enforced = 'YES'
FROM information_schema.check_constraints c JOIN information_schema.table_constraints t
  ON t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name
WHERE c.constraint_schema = DATABASE() AND t.constraint_type = 'CHECK' ORDER BY t.table_name, c.constraint_name"""
_HAS_CHECKS = """
SELECT version(), COUNT(*) FROM information_schema.tables
WHERE table_schema = 'information_schema' AND table_name = 'CHECK_CONSTRAINTS'"""


def server_checks(dialect: str, cursor: Any) -> Mapping[tuple[str | None, str], tuple[CheckConstraint, ...]]:
    """The checks of every table, by schema and name."""
    statement = _POSTGRESQL if dialect == POSTGRESQL else _of_mysql(cursor)
    if not statement:
        return {}
    cursor.execute(statement)
    found: dict[tuple[str | None, str], tuple[CheckConstraint, ...]] = {}
    for schema, table, name, sql, column, holds in cursor.fetchall():
        check = CheckConstraint(sql, name, column, bool(holds))
        found[schema, table] = (*found.get((schema, table), ()), check)
    return found


def server_exclusions(cursor: Any) -> list[tuple[str, str, str, str]]:
    """PostgreSQL's exclusion constraints: schema, table, name and SQL."""
    cursor.execute(_EXCLUSIONS)
    found: list[tuple[str, str, str, str]] = cursor.fetchall()
    return found


def _of_mysql(cursor: Any) -> str:
    """The statement for this server; MySQL before 8.0.16 forgets its checks."""
    cursor.execute(_HAS_CHECKS)
    version, known = cursor.fetchone()
    if not known:
        return ""
    return _MARIADB if "MariaDB" in version else _MYSQL
