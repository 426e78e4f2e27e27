"""Rows for the TPC-H tables after the benchmark's public description: its relations, domains and word lists, on a small scale.

Word lists are shorter than the council's, so that each of the 22 questions finds something in a few thousand rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

Row = tuple[object, ...]

SUPPLIERS, PARTS, CUSTOMERS, ORDERS = 40, 400, 300, 3000
SUPPLIERS_OF_A_PART, MOST_LINES = 4, 7
REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3), ("GERMANY", 3),
    ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0), ("MOROCCO", 0),
    ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3),
    ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
)  # fmt: skip
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
INSTRUCTIONS = ("COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN")
COLORS = ("almond", "azure", "beige", "blush", "coral", "forest", "green", "ivory", "khaki", "lemon", "linen", "navy")
KINDS, METALS = ("ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL", "STANDARD"), ("BRASS", "COPPER", "STEEL", "TIN")
BRANDS = ("Brand#12", "Brand#23", "Brand#34", "Brand#45", "Brand#51")
CONTAINERS = ("LG BOX", "LG CASE", "MED BAG", "MED BOX", "SM BOX", "SM CASE")
SIZES = (1, 3, 9, 14, 15, 19, 23, 36, 45, 50)
WORDS = (
    "carefully",
    "deposits",
    "express",
    "final",
    "furiously",
    "ironic",
    "packages",
    "quick",
    "requests",
    "sleep",
    "special",
)
FIRST_DAY, DAYS, TODAY = date(1992, 1, 1), 2405, date(1995, 6, 17)


def tables(seed: int = 1) -> Iterator[tuple[str, list[Row]]]:
    """(table, rows), parents first."""
    pick = random.Random(seed)
    yield "region", [(key, name, _words(pick)) for key, name in enumerate(REGIONS)]
    yield "nation", [(key, name, region, _words(pick)) for key, (name, region) in enumerate(NATIONS)]
    yield "supplier", [_supplier(key, pick) for key in range(1, SUPPLIERS + 1)]
    yield "part", [_part(key, pick) for key in range(1, PARTS + 1)]
    yield (
        "partsupp",
        [
            (part, supplier, pick.randint(1, 9999), _money(pick, 100, 100_000), _words(pick))
            for part in range(1, PARTS + 1)
            for supplier in _suppliers_of(part)
        ],
    )
    yield "customer", [_customer(key, pick) for key in range(1, CUSTOMERS + 1)]
    orders, lines = zip(*(_order(key, pick) for key in range(1, ORDERS + 1)), strict=True)
    yield "orders", list(orders)
    yield "lineitem", [line for each in lines for line in each]


def _suppliers_of(part: int) -> list[int]:
    """Spread over all suppliers, as the specification's formula does."""
    step = SUPPLIERS // SUPPLIERS_OF_A_PART
    return [(part + number * (step + (part - 1) // SUPPLIERS)) % SUPPLIERS + 1 for number in range(SUPPLIERS_OF_A_PART)]


def _supplier(key: int, pick: random.Random) -> Row:
    nation = key % len(NATIONS)
    comment = "even Customer pending Complaints nag" if key % 9 == 0 else _words(pick)
    return (
        key,
        f"Supplier#{key:09}",
        _words(pick)[:40],
        nation,
        _phone(nation, pick),
        _money(pick, -99_999, 999_999),
        comment,
    )


def _part(key: int, pick: random.Random) -> Row:
    name = " ".join(pick.sample(COLORS, 5))
    maker, brand, size = f"Manufacturer#{key % 5 + 1}", pick.choice(BRANDS), pick.choice(SIZES)
    kind = f"{pick.choice(KINDS)} {pick.choice(METALS)}"
    return (key, name, maker, brand, kind, size, pick.choice(CONTAINERS), _retail(key), _words(pick)[:23])


def _retail(part: int) -> Decimal:
    return Decimal(90_000 + (part // 10) % 20_001 + 100 * (part % 1000)) / 100


def _customer(key: int, pick: random.Random) -> Row:
    nation, segment = pick.randrange(len(NATIONS)), pick.choice(SEGMENTS)
    balance = _money(pick, -99_999, 999_999)
    return (key, f"Customer#{key:09}", _words(pick)[:40], nation, _phone(nation, pick), balance, segment, _words(pick))


def _order(key: int, pick: random.Random) -> tuple[Row, list[Row]]:
    """An order of a customer whose key is no multiple of three (a third never orders), and its lines."""
    customer = pick.choice([number for number in (pick.randint(1, CUSTOMERS) for _ in range(20)) if number % 3])
    day = FIRST_DAY + timedelta(pick.randrange(DAYS - 151))
    lines = [_line(key, number, day, pick) for number in range(1, pick.randint(1, MOST_LINES) + 1)]
    open_lines = sum(line[9] == "O" for line in lines)
    status = "F" if not open_lines else "O" if open_lines == len(lines) else "P"
    prices: list[Decimal] = [line[5] * (1 - line[6]) * (1 + line[7]) for line in lines]  # type: ignore[misc, operator]
    total = sum(prices, Decimal(0)).quantize(Decimal("0.01"))
    clerk = f"Clerk#{pick.randint(1, 30):09}"
    return (key, customer, status, total, day, pick.choice(PRIORITIES), clerk, 0, _words(pick)), lines


def _line(order: int, number: int, ordered: date, pick: random.Random) -> Row:
    part = pick.randint(1, PARTS)
    quantity = pick.randint(1, 50)
    shipped = ordered + timedelta(pick.randint(1, 121))
    received = shipped + timedelta(pick.randint(1, 30))
    flag = pick.choice("RA") if received <= TODAY else "N"
    cells = (order, part, pick.choice(_suppliers_of(part)), number, Decimal(quantity), _retail(part) * quantity)
    rates = (Decimal(pick.randint(0, 10)) / 100, Decimal(pick.randint(0, 8)) / 100)
    days = (shipped, ordered + timedelta(pick.randint(30, 90)), received)
    status, sent = "O" if shipped > TODAY else "F", (pick.choice(INSTRUCTIONS), pick.choice(MODES))
    return (*cells, *rates, flag, status, *days, *sent, _words(pick)[:44])


def _money(pick: random.Random, low: int, high: int) -> Decimal:
    return Decimal(pick.randint(low, high)) / 100


def _phone(nation: int, pick: random.Random) -> str:
    return f"{nation + 10}-{pick.randint(100, 999)}-{pick.randint(100, 999)}-{pick.randint(1000, 9999)}"


def _words(pick: random.Random) -> str:
    return " ".join(pick.choices(WORDS, k=pick.randint(3, 7)))[:79]
