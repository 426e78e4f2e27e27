"""The bundled shop: a small relational database that has a bit of everything, made the same on every machine.

It holds what schema design is about: one-to-one (loyalty cards), few (addresses, lines of a purchase), many (reviews, with a
best-seller far above the mean), very many (page views, without a key), many-to-many (products and categories) and a tree.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

SEED = 20
PRODUCTS, CUSTOMERS, PURCHASES, VIEWS = 240, 600, 2_500, 12_000
BEST_SELLER_REVIEWS = 180

_SHELVES = ("Kitchen", "Garden", "Workshop", "Office", "Outdoors")
_ADJECTIVES = (
    "left-handed",
    "folding",
    "enamelled",
    "quiet",
    "portable",
    "cast-iron",
    "oak",
    "brass",
    "stackable",
    "Öko",
)
_NOUNS = (
    "smoke shifter",
    "grommet",
    "kettle",
    "lamp",
    "saw",
    "hammock",
    "notebook",
    "teapot",
    "trowel",
    "switch",
    "crêpe pan",
)
_NAMES = ("Ada", "Björn", "Chloé", "Dmitri", "Esra", "Fatima", "Grace", "Hiro", "Inés", "João", "Kate", "Łukasz")
_SURNAMES = ("Lovelace", "Monster", "Nováková", "Okafor", "Peña", "Quine", "Ritchie", "Sørensen", "Tanaka", "Ulam")
_CITIES = ("Aarhus", "Bogotá", "Cork", "Dresden", "Évora", "Gdańsk", "Kyoto", "Lagos", "Oslo", "Zürich")
_OPINIONS = (
    "Does what it says.",
    "Bigger than it looks.",
    "Broke on day two.",
    "My third one already.",
    "Fine, but loud.",
)
_START = datetime(2024, 1, 1, 8)  # noqa: DTZ001 - the shop's clock has no zone


def schema() -> str:
    """The DDL of the shop."""
    return files(__name__).joinpath("schema.sql").read_text(encoding="utf-8")


def workload() -> str:
    """The shop's statements with their rates."""
    return files(__name__).joinpath("workload.sql").read_text(encoding="utf-8")


def create_shop(path: Path) -> None:
    """Write the shop to a new SQLite file at `path`."""
    chance = random.Random(SEED)  # noqa: S311 - rows, not secrets
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema())
        for table, rows in _tables(chance):
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own table names


def _tables(chance: random.Random) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
    categories = list(_categories())
    yield "category", [*categories]
    products = [_product(number, chance) for number in range(1, PRODUCTS + 1)]
    yield "product", products
    leaves = [row[0] for row in categories if row[2] is not None]
    yield "product_category", [(p[0], c) for p in products for c in sorted(chance.sample(leaves, chance.randint(1, 3)))]
    yield "customer", [_customer(number, chance) for number in range(1, CUSTOMERS + 1)]
    members = sorted(chance.sample(range(1, CUSTOMERS + 1), CUSTOMERS // 3))
    yield "loyalty_card", [(c, chance.randint(0, 9_000), chance.choice(("blue", "silver", "gold"))) for c in members]
    yield "address", [row for c in range(1, CUSTOMERS + 1) for row in _addresses(c, chance)]
    yield "review", list(_reviews(chance))
    yield "purchase", [_purchase(number, chance) for number in range(1, PURCHASES + 1)]
    yield "purchase_line", [row for o in range(1, PURCHASES + 1) for row in _lines(o, products, chance)]
    views = ((_skewed(PRODUCTS, chance), _moment(chance), f"v{chance.randint(1, 900)}") for _ in range(VIEWS))
    yield "page_view", list(views)


def _categories() -> Iterator[tuple[int, str, int | None]]:
    number = len(_SHELVES)
    for shelf, name in enumerate(_SHELVES, 1):
        yield shelf, name, None
    for shelf, name in enumerate(_SHELVES, 1):
        for kind in ("tools", "gifts", "spares"):
            number += 1
            yield number, f"{name} {kind}", shelf


def _product(number: int, chance: random.Random) -> tuple[object, ...]:
    name = f"{chance.choice(_ADJECTIVES)} {chance.choice(_NOUNS)}".capitalize()
    words = None if chance.random() < 0.1 else f"{name}. " + " ".join(chance.choices(_OPINIONS, k=chance.randint(2, 6)))
    price, stock = round(chance.lognormvariate(3, 0.8), 2), chance.randint(0, 400)
    return number, f"SKU-{number:05d}", f"{name} no. {number}", words, price, stock, _moment(chance)[:10]


def _customer(number: int, chance: random.Random) -> tuple[object, ...]:
    first, last = chance.choice(_NAMES), chance.choice(_SURNAMES)
    return number, f"{first} {last}", f"{first}.{last}.{number}@example.com".lower(), _moment(chance)


def _addresses(customer: int, chance: random.Random) -> Iterator[tuple[object, ...]]:
    for label in ("home", "work", "parents")[: chance.choice((0, 1, 1, 1, 2, 3))]:
        postcode = None if chance.random() < 0.1 else f"{chance.randint(1000, 99999)}"
        yield customer, label, f"Mill Lane {chance.randint(1, 200)}", chance.choice(_CITIES), postcode


def _reviews(chance: random.Random) -> Iterator[tuple[object, ...]]:
    written = [1] * BEST_SELLER_REVIEWS + [_skewed(PRODUCTS, chance) for _ in range(1_500)]
    for number, product in enumerate(written, 1):
        author = None if chance.random() < 0.05 else chance.randint(1, CUSTOMERS)
        body = None if chance.random() < 0.2 else chance.choice(_OPINIONS)
        yield number, product, author, chance.randint(1, 5), body, _moment(chance)


def _purchase(number: int, chance: random.Random) -> tuple[object, ...]:
    return (
        number,
        _skewed(CUSTOMERS, chance),
        _moment(chance),
        chance.choice(("placed", "paid", "sent", "sent", "sent")),
    )


def _lines(purchase: int, products: list[tuple[object, ...]], chance: random.Random) -> Iterator[tuple[object, ...]]:
    for line in range(1, chance.choice((1, 1, 2, 2, 3, 4, 6)) + 1):
        product = products[_skewed(PRODUCTS, chance) - 1]
        yield purchase, line, product[0], chance.randint(1, 4), product[4]


def _skewed(limit: int, chance: random.Random) -> int:
    """A number from 1 to `limit`, low ones far more often."""
    return min(limit, 1 + int(limit * chance.random() ** 2.5))


def _moment(chance: random.Random) -> str:
    return f"{_START + timedelta(seconds=chance.randint(0, 70_000_000))}"
