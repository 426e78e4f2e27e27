"""`docs/type-map.md`: each SQL type to BSON and back.

`tests/docs/test_type_map.py` loads and unloads every row of it on real servers.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from tempfile import TemporaryDirectory
from typing import NamedTuple

import bson

from nestling.common.errors import LoadError
from nestling.ir.codec import CODEC
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import JSON_NULL, RowColumn, RowQuery, UndecodableText
from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type
from nestling.ir.value_forms.canonical import canonical_encoder
from nestling.ir.values import Policy, decoder, encoder
from nestling.sources.affinity import is_numeric
from nestling.sources.ddl.column_type import read_type
from nestling.sources.ddl.tokens import tokens
from nestling.sources.sql import open_database, open_sink
from nestling.sources.sql.postgresql.types import exact_type
from nestling.sources.sql.table_ddl import column_words
from scripts.pages._markdown import code, table


class Sample(NamedTuple):
    """A SQL type, a literal of it, the conceptual type the source makes of it, and its BSON type as `$type` names it."""

    declared: str
    literal: str
    conceptual: str
    bson: str


UUID_TEXT = "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"
JSON_TEXT = "'{\"a\": [1, null]}'"
COLUMNS = {
    "sqlite": (
        Sample("INTEGER", "42", "integer", "int"),
        Sample("BIGINT", "9007199254740993", "integer", "long"),
        Sample("BOOLEAN", "1", "boolean", "bool"),
        Sample("REAL", "1.5", "float", "double"),
        Sample("DECIMAL(10,2)", "12.50", "float", "double"),
        Sample("DECIMAL_TEXT(40,2)", "'12.50'", "decimal(40,2)", "decimal"),
        Sample("VARCHAR(20)", "'Ada'", "text(20)", "string"),
        Sample("TEXT", "'Ada'", "text", "string"),
        Sample("BLOB", "x'00ff'", "bytes", "binData"),
        Sample("DATE", "'2024-02-29'", "date", "date"),
        Sample("TIME", "'23:59:59'", "time", "string"),
        Sample("TIMESTAMP", "'2024-02-29 10:00:00'", "timestamp", "date"),
        Sample("TIMESTAMP", "'2024-02-29 10:00:00.250'", "timestamp(3)", "date"),
        Sample("TIMESTAMP", "'2024-02-29 10:00:00.123456'", "timestamp(6)", "string"),
        Sample("DATETIME", "'2024-02-29'", "date", "date"),
        Sample("UUID", UUID_TEXT, "uuid", "binData"),
        Sample("UUID_TEXT", UUID_TEXT, "uuid", "binData"),
        Sample("GUID", UUID_TEXT.upper(), "text", "string"),
        Sample("JSON", JSON_TEXT, "json", "object"),
        Sample("GEOMETRY", "x'0101'", "geometry", "binData"),
        Sample("", "'anything'", "text", "string"),
    ),
    "postgresql": (
        Sample("boolean", "true", "boolean", "bool"),
        Sample("smallint", "42", "integer", "int"),
        Sample("integer", "42", "integer", "int"),
        Sample("bigint", "9007199254740993", "integer", "long"),
        Sample("numeric(10,2)", "12.50", "decimal(10,2)", "decimal"),
        Sample("numeric", "12.50", "decimal", "decimal"),
        Sample("real", "1.5", "float as real", "double"),
        Sample("double precision", "1.5", "float", "double"),
        Sample("money", "'12.50'", "text as money", "string"),
        Sample("varchar(20)", "'Ada'", "text(20)", "string"),
        Sample("char(5)", "'Ada'", "text(5) as char", "string"),
        Sample("text", "'Ada'", "text", "string"),
        Sample("bytea", "'\\x00ff'", "bytes", "binData"),
        Sample("date", "'2024-02-29'", "date", "date"),
        Sample("time", "'23:59:59.5'", "time", "string"),
        Sample("timetz", "'23:59:59+02'", "time as timetz", "string"),
        Sample("timestamp", "'2024-02-29 10:00:00'", "timestamp", "date"),
        Sample("timestamp", "'2024-02-29 10:00:00.123456'", "timestamp(6)", "string"),
        Sample("timestamptz", "'2024-02-29 10:00:00+02'", "timestamptz", "date"),
        Sample("interval", "'1 day 2 hours'", "interval", "string"),
        Sample("uuid", UUID_TEXT, "uuid", "binData"),
        Sample("json", JSON_TEXT, "json", "object"),
        Sample("jsonb", JSON_TEXT, "json as jsonb", "object"),
        Sample("mood", "'glad'", "enum('glad', 'sad')", "string"),
        Sample("integer[]", "'{1,2}'", "array(integer)", "array"),
        Sample("text[]", "'{a,NULL}'", "array(text)", "array"),
        Sample("bit(3)", "B'101'", "bits(3)", "string"),
        Sample("bit varying", "B'10100'", "bits", "string"),
        Sample("point", "'(1,2)'", "geometry", "string"),
        Sample("inet", "'10.0.0.1'", "text as inet", "string"),
        Sample("int4range", "'[1,5)'", "text as int4range", "string"),
        Sample("xml", "'<a/>'", "text as xml", "string"),
    ),
    "mysql": (
        Sample("tinyint(1)", "1", "boolean", "bool"),
        Sample("tinyint", "42", "integer", "int"),
        Sample("int", "42", "integer", "int"),
        Sample("int unsigned", "4294967295", "integer", "long"),
        Sample("bigint", "9007199254740993", "integer", "long"),
        Sample("bigint unsigned", "18446744073709551615", "integer", "decimal"),
        Sample("decimal(10,2)", "12.50", "decimal(10,2)", "decimal"),
        Sample("float", "1.5", "float as single", "double"),
        Sample("double", "1.5", "float", "double"),
        Sample("varchar(20)", "'Ada'", "text(20)", "string"),
        Sample("char(5)", "'Ada'", "text(5) as char", "string"),
        Sample("longtext", "'Ada'", "text", "string"),
        Sample("varbinary(20)", "x'00ff'", "bytes", "binData"),
        Sample("longblob", "x'00ff'", "bytes", "binData"),
        Sample("date", "'2024-02-29'", "date", "date"),
        Sample("time", "'23:59:59'", "time", "string"),
        Sample("time", "'-838:59:59'", "time as duration", "string"),
        Sample("datetime", "'2024-02-29 10:00:00'", "timestamp", "date"),
        Sample("datetime(6)", "'2024-02-29 10:00:00.123456'", "timestamp(6)", "string"),
        Sample("timestamp", "'2024-02-29 10:00:00'", "timestamptz", "date"),
        Sample("year", "2024", "integer as year", "int"),
        Sample("enum('glad','sad')", "'glad'", "enum('glad', 'sad')", "string"),
        Sample("set('a','b')", "'a,b'", "text('a', 'b') as set", "string"),
        Sample("bit(3)", "b'101'", "bits(3)", "string"),
        Sample("json", JSON_TEXT, "json", "object"),
        Sample("uuid", UUID_TEXT, "uuid", "binData"),
        Sample("inet6", "'::1'", "text", "string"),
        Sample("geometry", "ST_GeomFromText('POINT(1 2)')", "geometry", "binData"),
    ),
}
TITLES = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mysql": "MySQL and MariaDB"}
REMARKS = {
    ("sqlite", "DECIMAL(10,2)"): "`also: [integer]`: SQLite keeps a whole number as an integer, another as a float",
    ("sqlite", "DECIMAL_TEXT(40,2)"): "a type word with TEXT in it keeps every digit",
    ("sqlite", "DATETIME"): "all values are days",
    ("sqlite", "UUID"): "texts in canonical form; blobs are bytes",
    ("sqlite", "GUID"): "no canonical form: texts, as SQLite compares them",
    ("sqlite", ""): "no type: what the values are",
    ("sqlite", "GEOMETRY"): "stored as it is read; listed as a gap",
    ("postgresql", "char(5)"): "stored without trailing blanks, shown with them",
    ("postgresql", "money"): "carried as text; listed as a gap",
    ("postgresql", "point"): "carried as text; listed as a gap",
    ("postgresql", "inet"): "carried as text; listed as a gap",
    ("postgresql", "int4range"): "carried as text; listed as a gap",
    ("postgresql", "xml"): "carried as text; listed as a gap",
    ("postgresql", "timestamptz"): "the instant, in UTC; PostgreSQL itself keeps no zone",
    ("postgresql", "interval"): "ISO 8601, `P1DT2H`",
    ("postgresql", "mood"): "CREATE TYPE … AS ENUM; the validator lists the values",
    ("postgresql", "text[]"): "NULL inside an array is `null`",
    ("postgresql", "timetz"): "compared by the instant, which the text does not show: an order of it is a gap",
    ("mysql", "float"): "the double MySQL computes with: `0.1` is 0.10000000149011612, of which MySQL shows six digits",
    ("mysql", "char(5)"): "stored and shown without trailing blanks",
    ("mysql", "year"): "compared with it, 99 is 1999, in statements too",
    ("mysql", "set('a','b')"): "compared as text; an order of it, by the position of its labels, is a gap",
    ("mysql", "tinyint(1)"): "when all values are 0 or 1",
    ("mysql", "bigint unsigned"): "beyond 64 bits signed",
    ("mysql", "time"): "`time as duration` if some are negative or exceed 99 hours: an order of such texts is a gap",
    ("mysql", "timestamp"): "an instant, in UTC",
    ("mysql", "inet6"): "carried as text; listed as a gap",
    ("mysql", "geometry"): "kept as it is read; listed as a gap",
}

POLICIES = (
    (
        "more than 34 digits",
        "`--long-decimals error` (default) stops and names the row; `--long-decimals text` stores such numbers as text",
    ),
    (
        "microseconds where the design keeps dates",
        "`--microseconds error` (default) stops and names the row; `--microseconds text` stores them as text, with a note",
    ),
    (
        "a blob or text of more than about 15 MiB",
        "its column goes to GridFS, which the strategies propose; if nothing can be split off, the load stops and names the row",
    ),
    (
        "a document of more than 16 MiB",
        "reported before loading if statistics show it; at load time an error that names the row, with everything else intact",
    ),
    (
        "an embedded row whose parent does not exist",
        "it goes to the embedding's `orphans` collection; without one the load stops and names the row",
    ),
    ("triggers", "not carried over; a note names each, because the application has to do its work"),
    (
        "DO blocks in PostgreSQL's DDL",
        "types, tables, keys and columns that they declare are read, whatever the condition; a note names a block that does more",
    ),
    (
        "DROP and RENAME in DDL files",
        "constraints and indexes have the names given, or those the database gives; a gap names a drop of what is not there",
    ),
    (
        "a REFERENCES in a column of a MySQL file",
        "enforced, as in MariaDB and MySQL 9; a note says that earlier versions of MySQL ignore it",
    ),
    ("UNIQUE NULLS NOT DISTINCT, DEFERRABLE, of the first characters", "read as UNIQUE, with a note"),
    (
        "tables that inherit in PostgreSQL",
        "each holds its own rows; [statements](statements/postgresql.md#tables-that-inherit) over the parent have to say ONLY",
    ),
    (
        "`EXCLUDE` constraints of PostgreSQL",
        "not carried over; a note names each: [the application has to enforce it](validation.md#checks)",
    ),
    ("views", "statements read them as their SELECT; a note or gap names those that have no query"),
    (
        "defaults",
        (
            "not in the documents; [writes](statements/writes.md#what-an-insert-leaves-out) insert them, "
            "and `unload` declares them in its tables"
        ),
    ),
    (
        "defaults no table declares",
        "expressions of the source; UUIDs and numbers outside the key in SQLite; times of day in servers: `unload` says so",
    ),
    (
        "keys the database numbers",
        (
            "[no number twice](statements/writes.md#numbers-that-never-return) if the source gives none twice; "
            "`unload` creates no AUTOINCREMENT"
        ),
    ),
    (
        "indexes that are not unique",
        "not in the model: a design has those that its statements and references need, and `unload` creates none",
    ),
    (
        "`decimal(p,s)` in SQLite",
        "the type of its values, as SQLite has no decimals: `inspect` notes it, and `unload` declares that type, not the digits",
    ),
    ("collations in MySQL", "`unload` declares `utf8mb4_bin`, or `utf8mb4_unicode_520_ci` for `unicode_ci`"),
    ("collations in SQLite", "`unload` declares `NOCASE` for `unicode_ci` and `nocase`, `RTRIM` for `rtrim`"),
    (
        "collations in PostgreSQL",
        "none; `unload` names texts that the source compares differently, and foreign keys that spell their parent differently",
    ),
    (
        "enums",
        (
            "`unload` creates types in PostgreSQL, one for equal labels, named after a column; foreign keys are texts. In MySQL"
            " it declares ENUM outside keys, if labels differ by more than case or blanks"
        ),
    ),
    (
        "widths of integers",
        "one type, of 64 bits: `unload` declares `bigint` in servers, and notes it",
    ),
    (
        "times of day",
        "texts: `unload` declares `time` in PostgreSQL if that changes no value, else `text`, with a note",
    ),
    (
        "relationships that only a join of the workload shows",
        "not enforced; `unload` creates no foreign key for them, and notes it",
    ),
    (
        "lengths of texts",
        (
            "`unload` declares them in servers; a column with a longer text, as SQLite accepts it, has none, with a note."
            " In MySQL a row has at most 65,535 bytes: the longest texts of a wider one are `longtext`; a key has 3,072, and a"
            " text in it that is longer than declared is refused"
        ),
    ),
    (
        "types a server does not have",
        "PostgreSQL's extensions and composite types, times with a zone, MySQL's JSON: `unload` names them and what they became",
    ),
    ("computed columns", "the values, in plain columns that a note names; their expressions stay in the source"),
)


class Limit(NamedTuple):
    """A value the usual BSON type cannot hold, or that people wonder about."""

    words: str
    type: str
    value: object


LIMITS = (
    Limit("NULL", "integer", None),
    Limit("an empty text", "text", ""),
    Limit("JSON `null`, which is not NULL", "json", JSON_NULL),
    Limit("NULL inside an array", "array(integer)", [1, None]),
    Limit("a whole number within 32 bits", "integer", 2**31 - 1),
    Limit("a whole number within 64 bits", "integer", 2**63 - 1),
    Limit("a whole number beyond 64 bits", "integer", 2**64 - 1),
    Limit("a decimal of 34 digits", "decimal", Decimal("1234567890123456789012345678901.234")),
    Limit("a decimal of 35 digits", "decimal", Decimal("12345678901234567890123456789012.345")),
    Limit("a decimal NaN", "decimal", Decimal("NaN")),
    Limit("an infinite float", "float", float("inf")),
    Limit("a day", "date", date(2024, 2, 29)),
    Limit("a date outside the years 1–9999, `0000-00-00`, `infinity`", "date", "0000-00-00"),
    Limit("a timestamp with milliseconds", "timestamp(3)", datetime(2024, 2, 29, 10, 0, 0, 250_000)),  # noqa: DTZ001
    Limit("a timestamp with microseconds", "timestamp(6)", datetime(2024, 2, 29, 10, 0, 0, 123_456)),  # noqa: DTZ001
    Limit("text in a timestamp column that looks like that", "timestamp(6)", "2024-02-29T10:00:00.123456"),
    Limit("text that is not UTF-8", "text", UndecodableText(b"caf\xe9")),
    Limit("JSON with a key that starts with `$`", "json", {"$ref": 1}),
    Limit("SQLite: text in an INTEGER column", "integer", "about 7"),
    Limit("SQLite: a number in a TEXT column", "text", 7),
    Limit("SQLite: a blob in a DATE column", "date", b"\x00\xff"),
)
_FOUND = {int: INTEGER, str: TEXT, bytes: Type.parse("bytes")}
"""What `also` of an attribute calls values found there."""
_BSON_TYPES = {
    0x01: "double", 0x02: "string", 0x03: "object", 0x04: "array", 0x05: "binData", 0x08: "bool", 0x09: "date", 0x0A: "null",
    0x10: "int", 0x12: "long", 0x13: "decimal",
}  # fmt: skip

HEAD = """# Type map

One rule: **a value becomes a native BSON value if that is exactly reversible; otherwise it is stored as it was found, and
counted.** Nothing is rounded. `nestling load` reports how many values of which column did not fit their type, and `verify`
compares every one of them.

A *conceptual type* stands between SQL and BSON. For a live database it is the actual type of the values: a `DATETIME` column
that contains only days is a `date`, a `timestamp` is `timestamp(6)` only if some value has microseconds. `also` in the model
file lists the types of values that differ. "Unloaded as" is the column that `nestling unload` creates in the same kind of
database, and "comes back" what becomes of the value in SQLite.

`unload` reads every row it writes back before it commits. If a value would come back as another, or the database refuses it,
`unload` stops and names the table, the key of the row, the column and what to do; nothing stays except, in MySQL, empty tables.
In SQLite a column whose `also` lists types that its affinity would change is declared by a word with BLOB in it, such as
`NUMBER_BLOB`, which changes nothing. Columns of servers hold one type: if `also` lists a type they cannot hold, `unload` stops
before it writes. PostgreSQL's dates and moments may be infinite. Three pairs of values count as equal: a whole float and the
integer if a column holds both; the JSON text `null` and JSON `null`; and JSON texts with the same content, `{"price":1.50}` and
`{"price": 1.5}`: documents keep what JSON means, not how it was written.

The type includes the length of a text and the digits of a decimal, and [writes](statements/writes.md#types) enforce
them. It does not include the width of an integer: validators and writes accept any 64-bit integer. MySQL's `unsigned` becomes a
minimum of 0.

"""
MIDDLE = """## What the usual type cannot hold

{table}
A [validator](validation.md#types) accepts those of these forms that the model mentions. A load accepts the others too, and
widens the validator when it finds one. Applications must know this: if any value of a column has microseconds, all its values
are texts, which sort and compare correctly. If none had any when the design was made, the column holds dates. Then a write
refuses a moment with microseconds, and `load` stops at rows that have them by now. A comparison accepts such a moment as it is.
There are four ways out:

- Design with [`--milliseconds`](#dates-of-milliseconds): all such columns are dates, and finer digits are cut off.
- Once the column has microseconds, design again from the source, and load with that design. Or write `timestamptz(6)` as the
  column's type in the model file. It is then text, and keeps microseconds.
- Pass milliseconds: `now.replace(microsecond=now.microsecond // 1000 * 1000)`.
- Have the store round: `Store(design, database, microseconds="round")`. It then rounds each `datetime` parameter for a column of
  dates to the nearest millisecond. Columns of text keep microseconds. Texts and constants in a statement are still refused.
  Functions that `emit` writes have no such option.

Applications whose clock has microseconds, such as those with `datetime.now()` of Python or `timezone.now()` of Django, are
affected in columns that were empty or NULL when the design was made, and with designs made from DDL or from a model written by
hand. They are not affected in columns declared with at most three digits of a second.

### Dates of milliseconds

Most applications do not need microseconds, and MongoDB's operators, TTL indexes, time series and tools work on dates. So
`nestling inspect`, `design` and `prove` accept `--milliseconds`:

- Every moment that may be finer becomes a date. The model says so: `{{type: timestamptz, fraction_digits: 3, fraction_cut:
  true, source_is_finer: true}}`.
- Rows are cut to milliseconds as they are read, so `load`, `verify` and orders of arrays agree. Writes cut the values they are
  given, so `datetime.now()` is accepted.
- Values are cut, not rounded: a moment stays in its second, day and month, and `at >= :from AND at < :to` finds the same rows for
  bounds of whole milliseconds. `prove` compares answers by milliseconds. `=`, `>` and `<=`, and an order of two moments
  within one millisecond, may give a different answer than the source.
- Moments in keys, unique constraints and foreign keys stay texts with microseconds: two of them could become equal. So do columns
  of SQLite that contain texts of several forms.

### Declared digits of a second

A time may be declared with fewer digits of a second than six: PostgreSQL's `timestamp(0)`, MySQL's `DATETIME(3)`, and MySQL's
plain `DATETIME`, `TIMESTAMP` and `TIME`, which have none. The model records this: `{{type: timestamp, fraction_digits: 0}}`.
A column without such a declaration keeps all digits: PostgreSQL's plain `timestamp`, `DATETIME(6)`, and every column of SQLite.

Whatever a statement writes to such a column – a constant, a parameter, a default or a computed value – gets the declared digits,
as in the source. So a column of three digits or fewer accepts `datetime.now()`.

| source | `10:00:00.7` in a column without digits | `10:00:00.5` |
|---|---|---|
| PostgreSQL | `10:00:01` | the moment that is farther from the year 2000 |
| MySQL | `10:00:01` | the later moment |
| MySQL with `TIME_TRUNCATE_FRACTIONAL` | `10:00:00` | `10:00:00` |
| MariaDB | `10:00:00` | `10:00:00` |
| MariaDB with `TIME_ROUND_FRACTIONAL` | `10:00:01` | the later moment |

If the source cuts off, the model says `fraction_cut: true`. `inspect` and `design` ask the server for its global `sql_mode`. A
DDL file is assumed to be MariaDB's if its first lines say so, as those of `mariadb-dump` do, and MySQL's otherwise. If that is
wrong, change `fraction_cut` in the model file.

A comparison does not round: `at = '2024-01-01 10:00:00.7'` finds no row of a column without digits. In MySQL's dialect `NOW()`
has whole seconds, and `NOW(3)` milliseconds; in PostgreSQL's, `now()` has the milliseconds of MongoDB's clock. Copying a `time`
or a moment with microseconds into a column of fewer digits is a gap. `unload` declares the digits in the model; a column with a
finer moment gets six, so that nothing is lost.

In SQLite's dialect, whose moments are texts, a text that is not in the form of the column's other texts (`YYYY-MM-DD HH:MM:SS`)
is refused, and the error shows the expected form: this concerns finer digits, a `date` in a column of moments, and a zone in a
column without zones. `CURRENT_TIMESTAMP` and `datetime('now')`, also as a default, have whole seconds: in a column of moments
with milliseconds they are a gap; write `strftime('%Y-%m-%d %H:%M:%f', 'now')`.

A number in JSON is an `int`, a `long` or a `double`; one that a `double` would round is a `decimal`. A `jsonb` keeps
the digits of its numbers: there `0.10`, `1.0` and numbers of more than 15 digits are also `decimal`, and `unload` writes
them as they were. In MongoDB the `double` 0.1 and the `decimal` 0.1 are not equal: your own queries have to ask such a field
for both. Results of `Store` show the number.

PostgreSQL's `json` keeps its text, so an object that names a key twice is stored as that text. A `jsonb` is `json as
jsonb`: what is written to it keeps the last of such keys. Text that is not JSON is refused for both, and for MySQL's.

A column of SQLite with `CHECK (json_valid(data))`, alone or with `OR data IS NULL` as Django's `JSONField` has it, is `json as
checked`, whether declared `text` or `JSON`: it accepts a dict, a list or a JSON text, refuses anything else, and `unload`
declares the CHECK again. MySQL's `longtext` with this CHECK, which is MariaDB's JSON, is `json`. A text in a key, a unique
group or a foreign key stays `text`, and a note says so. A `JSON` column of SQLite without a CHECK accepts any value.

DDL and empty databases show no values. SQLite's decimals are then also `float` with `integer`, and a `DATETIME` column is
assumed to have whole seconds. A load of rows with milliseconds then stops and says so; a design made from the database itself
accepts them.

A column of SQLite whose moments have fractions of several lengths, as Django writes them (`10:00:00` and `10:00:00.000456`), is
text: SQLite compares them as texts, and a `datetime` parameter for one becomes the text that SQLite's drivers write.

`$sum` over a column with numbers beyond 34 digits stored as text ignores those.

## By policy

{policies}
## NULL and missing

NULL is a missing field, so `{{field: null}}` and `{{field: {{$exists: false}}}}` both find it, and an index contains it as null.
`null` is stored in two places only: inside arrays, and for a JSON column that contains JSON `null`.
"""


def page() -> str:
    """The page's text."""
    parts = [_dialect(name) for name in COLUMNS]
    rows = [_limit(limit) for limit in LIMITS]
    limits = MIDDLE.format(
        table=table(("value", "type", "stored as", "comes back"), rows), policies=table(("what", "policy"), POLICIES)
    )
    return HEAD + "\n".join([*parts, limits])


def _dialect(dialect: str) -> str:
    rows = [
        (
            code(column.declared) or "(none)",
            code(column.literal),
            code(column.conceptual),
            code(column.bson),
            _unloaded(_attribute(column, dialect), dialect),
            REMARKS.get((dialect, column.declared), ""),
        )
        for column in COLUMNS[dialect]
    ]
    names = (TITLES[dialect], "for instance", "conceptual", "BSON", "unloaded as", "remark")
    return f"## {TITLES[dialect]}\n\n{table(names, rows)}"


def _unloaded(attribute: Attribute, dialect: str) -> str:
    """What its column is in the end."""
    exact = exact_type(attribute) if dialect == POSTGRESQL else None
    return code(str(exact or column_words(attribute, dialect))) or "(none)"


def _attribute(column: Sample, dialect: str) -> Attribute:
    """The attribute the source makes of a column that holds just this value."""
    kind = Type.parse(column.conceptual)
    also = (Type.parse("decimal(20,0)"),) if (column.conceptual, column.bson) == ("integer", "decimal") else ()
    fraction = read_type(list(tokens(column.declared, dialect)), dialect, {}).fraction
    attribute = Attribute("a", kind, also=also, fraction=fraction)
    return attribute if kind != FLOAT or not is_numeric(column.declared) else replace(attribute, also=(INTEGER,))


def _limit(limit: Limit) -> tuple[str, str, str, str]:
    kind = Type.parse(limit.type)
    if limit.value is None:
        return limit.words, code(limit.type), "missing field", "yes"
    try:
        stored = encoder(kind)(limit.value)
        instead = ""
    except LoadError:
        stored = encoder(kind, Policy(long_decimals="text"))(limit.value)
        instead = "an error that names the row; by policy "
    return limit.words, code(limit.type), f"{instead}{_bson_name(stored)}", _comes_back(kind, stored, limit.value)


def _comes_back(kind: Type, stored: object, value: object) -> str:
    """What reading a SQLite file yields after the stored value, decoded, was written there as `unload` writes it."""
    found = decoder(kind)(bson.decode(bson.encode({"v": stored}, codec_options=CODEC), CODEC)["v"])
    also = _FOUND.get(type(found), INTEGER) if found != 2**64 - 1 else Type.parse("decimal(20,0)")
    is_odd = type(found) in _FOUND and also.name is not kind.name
    entity = Entity("t", (Attribute("v", kind, also=(also,) if is_odd else ()),))
    model = Model("m", (entity,))
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/copy.db"
        sink = open_sink(url)
        sink.begin(model)
        sink.write(entity, [(found,)])
        sink.finish()
        ((back,),) = open_database(url, model=model).rows(RowQuery("t", (RowColumn("v"),)))
    encode = canonical_encoder(["v"], entity, Policy(long_decimals="text"))
    return "yes" if encode([back]) == encode([value]) else f"as {back!r}"


def _bson_name(stored: object) -> str:
    document = bson.encode({"v": stored}, codec_options=CODEC)
    name = code(_BSON_TYPES[document[4]])
    subtype = f", subtype {document[11]}" if document[4] == 0x05 else ""
    return f"{name}{subtype}"
