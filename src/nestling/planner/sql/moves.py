"""What to do about functions that are not converted: other SQL that says the same, or what the application computes."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from nestling.planner.sql.called import function_name

_DIGEST = "read the value, and compute the digest in the application"
_NEW_ID = "make the UUID in the application, and give it as a parameter"
_IN_APPLICATION = (
    "select the value, and convert it in the application; for a condition give the converted value as a parameter"
)
_JSON_MADE = "select the values as columns, and make the JSON in the application"
_JSON_READ = "select the JSON, and take from it what you need in the application"
_SPREAD = "select COUNT(x), SUM(x) and SUM(x * x), and compute it in the application"
_LISTED = "select the rows in order, and make the list in the application"
_GIVEN_TIME = "give the time as a parameter; to show it, select the number or text, and convert it in the application"
_PATTERN = "use REPLACE and SUBSTRING with constants, or compute it in the application"
_WORDS = "use `LIKE '%word%'`; or give the collection a text index, and search with `$text` in a query of your own"
_BITS = "read the values, and combine them in the application"
_COUNTED = "count with a second statement: `SELECT COUNT(*)` with the same FROM and WHERE"


def _each(names: str, move: str) -> Iterable[tuple[str, str]]:
    return ((name, move) for name in names.split())


_EVERYWHERE = dict(
    (
        *_each("MD5 SHA SHA1 SHA2 SHA224 SHA256 SHA384 SHA512 CRC32 DIGEST PASSWORD", _DIGEST),
        *_each("UUID GEN_RANDOM_UUID UUID_GENERATE_V4 UUID_SHORT RANDOMBLOB", _NEW_ID),
        *_each("HEX UNHEX CONV BIN OCT TO_HEX ENCODE DECODE TO_BASE64 FROM_BASE64", _IN_APPLICATION),
        *_each("REGEXP_REPLACE REGEXP_SUBSTR REGEXP_INSTR REGEXP_MATCH REGEXP_MATCHES REGEXP_COUNT", _PATTERN),
        *_each("BIT_OR BIT_AND BIT_XOR", _BITS),
    )
)
_OF_EACH = {
    "mysql": dict(
        (
            ("RAND", "give the number as a parameter; `ORDER BY RAND()` is converted"),
            ("FIND_IN_SET", "as a condition, write `CONCAT(',', list, ',') LIKE '%,word,%'`"),
            *_each("STR_TO_DATE FROM_UNIXTIME FROM_DAYS MAKETIME SEC_TO_TIME", _GIVEN_TIME),
            ("TIMEDIFF", "take the seconds: `TIMESTAMPDIFF(SECOND, earlier, later)`"),
            ("UNIX_TIMESTAMP", "for a datetime in UTC, write `TIMESTAMPDIFF(SECOND, '1970-01-01', at)`"),
            ("TIME_TO_SEC", "write `HOUR(t) * 3600 + MINUTE(t) * 60 + SECOND(t)`"),
            *_each("TIME_FORMAT MICROSECOND", "select the time, and take this from it in the application"),
            *_each("CURRENT_TIME CURTIME UTC_TIME", "give the time of day as a parameter"),
            ("FORMAT", "write `ROUND(x, 2)`, and group the digits in the application"),
            ("ELT", "write `CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END`"),
            ("MATCH", _WORDS),
            *_each("STDDEV STD STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP", _SPREAD),
            *_each("JSON_ARRAYAGG JSON_OBJECTAGG", _LISTED),
            ("JSON_EXTRACT", "take the text, `JSON_UNQUOTE(JSON_EXTRACT(data, '$.key'))`"),
            *_each("JSON_OBJECT JSON_ARRAY JSON_MERGE JSON_MERGE_PATCH JSON_SET", _JSON_MADE),
            *_each("JSON_KEYS JSON_SEARCH JSON_TYPE JSON_VALID JSON_DEPTH JSON_TABLE", _JSON_READ),
            ("FOUND_ROWS", _COUNTED),
            ("LAST_INSERT_ID", "write `INSERT … RETURNING id`, which returns the new number"),
            ("ROW_COUNT", "use `affected` of the statement's result"),
            *_each("POWER POW", "for a whole exponent, write the product: `x * x`"),
        )
    ),
    "postgres": dict(
        (
            ("RANDOM", "give the number as a parameter; `ORDER BY random()` is converted"),
            *_each("TO_TSVECTOR TO_TSQUERY PLAINTO_TSQUERY WEBSEARCH_TO_TSQUERY TS_RANK", _WORDS),
            *_each("JSONB_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_ARRAY ROW_TO_JSON TO_JSONB TO_JSON", _JSON_MADE),
            *_each("JSONB_OBJECT_AGG JSON_OBJECT_AGG", _LISTED),
            *_each("JSONB_PATH_QUERY JSONB_PATH_EXISTS JSONB_TYPEOF JSON_TYPEOF JSONB_EACH", _JSON_READ),
            *_each("LASTVAL CURRVAL", "write `INSERT … RETURNING id`, which returns the new number"),
        )
    ),
    "sqlite": dict(
        (
            ("RANDOM", "give the number as a parameter; `ORDER BY random()` is converted"),
            ("LAST_INSERT_ROWID", "write `INSERT … RETURNING id`, which returns the new number"),
            *_each("CHANGES TOTAL_CHANGES", "use `affected` of the statement's result"),
            *_each("JSON_GROUP_ARRAY JSON_GROUP_OBJECT", _LISTED),
            *_each("JSON_OBJECT JSON_ARRAY JSON_SET JSON_INSERT JSON_REPLACE JSON_PATCH", _JSON_MADE),
            *_each("JSON_TYPE JSON_VALID JSON_EACH JSON_TREE", _JSON_READ),
        )
    ),
}


def move_of(node: exp.Expr, grammar: str) -> str:
    """What to do about a call that is not converted; empty where nothing special is known."""
    if isinstance(node, exp.PropertyEQ):
        return "use a window function, such as `ROW_NUMBER() OVER (ORDER BY id)`, or a parameter"
    if isinstance(node, exp.Select) and "SQL_CALC_FOUND_ROWS" in map(str, node.args.get("operation_modifiers") or ()):
        return _COUNTED
    name = function_name(node, grammar).partition("(")[0].strip("`").strip()
    return _OF_EACH.get(grammar, {}).get(name, "") or _EVERYWHERE.get(name, "")
