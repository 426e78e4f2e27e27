"""What is said of the order of texts by MySQL's collations beside MongoDB's, measured on a MariaDB and a mongod."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest
from pymongo.database import Database
from sqlalchemy import make_url

from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import collation_option
from nestling.sources.sql.mysql.orders import unlike
from tests.soaking import sample

ASCII = [*map(chr, range(32, 127))]
EUROPE = [
    chr(code)
    for first, last in ((0xA0, 0x17F), (0x1EA0, 0x1EF9), (0x386, 0x3CE), (0x400, 0x45F))
    for code in range(first, last + 1)
    if chr(code).isprintable()
]
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
PAIRS = [one + other for one in LETTERS for other in LETTERS]
EXPANDED = ["ss", "ae", "oe", "th", "ij", "dz"]
MEASURED = (
    "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_uca1400_as_ci",
    "utf8mb3_general_ci", "utf8mb4_unicode_nopad_ci", "utf8mb4_swedish_ci", "utf8mb4_general_nopad_ci",
)  # fmt: skip


@pytest.fixture
def cursor(mariadb: str) -> Iterator[Any]:
    """One of the MariaDB."""
    pymysql = pytest.importorskip("pymysql")
    url = make_url(mariadb)
    connection = pymysql.connect(
        host=url.host,
        port=url.port,
        user=url.username,
        password=str(url.password),
        database=url.database,
        charset="utf8mb4",
    )
    with closing(connection), connection.cursor() as found:
        yield found


def there(cursor: Any, collation: str, texts: Sequence[str]) -> list[int]:
    """The rank of each text between two letters, by MariaDB."""
    charset = collation.partition("_")[0]
    cursor.execute(
        f"CREATE OR REPLACE TEMPORARY TABLE t (n int, c varchar(9) CHARACTER SET {charset} COLLATE {collation})"
    )
    cursor.executemany("INSERT INTO t VALUES (%s, %s)", [(n, f"a{text}b") for n, text in enumerate(texts)])
    cursor.execute("SELECT dense_rank() OVER (ORDER BY c), n FROM t")
    ranks = {n: rank for rank, n in cursor.fetchall()}
    return [ranks[n] for n in range(len(texts))]


def here(database: Database[Any], texts: Sequence[str], rule: Collation = Collation.UNICODE_CI) -> list[int]:
    """The same by MongoDB, with the collation that statements are asked with."""
    collection = database["texts"]
    collection.drop()
    collection.insert_many({"_id": n, "c": f"a{text}b"} for n, text in enumerate(texts))
    together: list[dict[str, Any]] = [{"$group": {"_id": "$c", "all": {"$push": "$_id"}}}, {"$sort": {"_id": 1}}]
    groups = collection.aggregate(together, collation=collation_option(rule))
    ranks = {n: rank for rank, group in enumerate(groups) for n in group["all"]}
    return [ranks[n] for n in range(len(texts))]


def unlike_ones(texts: Sequence[str], one: Sequence[int], other: Sequence[int]) -> list[tuple[str, str]]:
    """Neighbours by the one rank that the other has not so."""
    found = sorted(zip(one, other, texts, strict=True))
    return [
        (mine[2], next_[2])
        for mine, next_ in pairwise(found)
        if (mine[0] < next_[0]) != (mine[1] < next_[1]) or mine[1] > next_[1]
    ]


def unmatched(pattern: str, texts: Sequence[str]) -> list[str]:
    """Those without such a character."""
    return [text for text in texts if not (pattern and re.search(pattern, text))]


@pytest.mark.parametrize("collation", MEASURED)
def test_all_other_characters_are_ordered_alike(cursor: Any, database: Database[Any], collation: str) -> None:
    """Of printable ASCII, and of the letters and signs of European languages."""
    texts = unmatched(unlike(collation).ordered, [*ASCII, *EUROPE])
    assert set("09azAZ") <= set(texts)
    assert unlike_ones(texts, there(cursor, collation, texts), here(database, texts)) == []


@pytest.mark.parametrize("collation", MEASURED)
def test_all_other_letters_equal_the_same(cursor: Any, database: Database[Any], collation: str) -> None:
    """Among themselves, and two letters that one stands for."""
    texts = [*unmatched(unlike(collation).equal, [*filter(str.isalpha, EUROPE)]), *LETTERS, *EXPANDED]
    one, other = there(cursor, collation, texts), here(database, texts)
    groups = [
        {tuple(t for t, r in zip(texts, ranks, strict=True) if r == rank) for rank in ranks} for ranks in (one, other)
    ]
    assert groups[0] == groups[1]


@pytest.mark.thorough
@pytest.mark.parametrize("collation", ["utf8mb4_general_ci", "utf8mb4_unicode_ci", "latin1_swedish_ci"])
def test_each_character_that_is_named_is_ordered_otherwise(
    cursor: Any, database: Database[Any], collation: str
) -> None:
    """Beside some of those that are ordered alike."""
    alike = unmatched(unlike(collation).ordered, ASCII)
    for each in set(ASCII) - set(alike):
        texts = [*alike, each]
        assert unlike_ones(texts, there(cursor, collation, texts), here(database, texts)), each


@pytest.mark.thorough
def test_every_collation_is_known(cursor: Any, database: Database[Any]) -> None:
    """What is told of printable ASCII, and of pairs of letters, is true of all that MariaDB has."""
    cursor.execute(
        "SELECT collation_name, character_set_name FROM information_schema.collations WHERE collation_name IS NOT NULL"
    )
    names = [name if charset else f"utf8mb4_{name}" for name, charset in cursor.fetchall()]
    looked_at, wrong = 0, {}
    for name in sample(sorted(names), one_in=4):
        if "_bin" in name or name == "binary" or name.startswith("swe7"):  # which has other letters in place of signs
            continue
        pattern = unlike(name).ordered
        rule = Collation.BINARY if name.endswith("_cs") else Collation.UNICODE_CI
        texts = unmatched(pattern, [*ASCII, *PAIRS] if name.startswith("utf8mb4") else ASCII)
        if found := unlike_ones(texts, there(cursor, name, texts), here(database, texts, rule)):
            wrong[name] = found
        looked_at += 1
    assert not wrong, "\n".join(f"{k} {v[:5]}" for k, v in wrong.items())
    assert looked_at > 25
