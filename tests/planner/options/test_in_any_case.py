"""The search counts on an index whatever the case just where a statement is read by it, and on no other for a text then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.primitives import Index
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, Statistics
from tests.two_prices import two_prices

FACTOR = 2.0
TABLES = """
CREATE TABLE account (id integer PRIMARY KEY, email text NOT NULL, token text NOT NULL, country text NOT NULL,
  n integer NOT NULL);
CREATE UNIQUE INDEX one_email ON account (lower(email));
"""
WORKLOAD = """
-- name: one, rate: 1/s
SELECT id FROM account WHERE lower(email) = :email;
-- name: in_order, rate: 1/s
SELECT id FROM account WHERE lower(email) = :email ORDER BY country;
-- name: change, rate: 1/s
UPDATE account SET n = 1 WHERE lower(email) = :email;
-- name: come, rate: 1/s
INSERT INTO account (id, email, token, country, n) VALUES (:id, :email, :token, :country, 1);
-- name: of_country, rate: 1/s
SELECT id FROM account WHERE lower(country) = :country;
-- name: counted, rate: 1/s
SELECT count(*) FROM account WHERE lower(country) = :country;
-- name: of_both, rate: 1/s
SELECT id FROM account WHERE lower(country) = :country AND n = :n;
-- name: by_token, rate: 1/s
SELECT id FROM account WHERE lower(country) = :country AND token = :token;
-- name: by_id, rate: 1/s
SELECT n FROM account WHERE lower(country) = :country AND id = :id;
"""


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """Accounts of fifty countries."""
    (tmp_path / "schema.sql").write_text(TABLES)
    (tmp_path / "workload.sql").write_text(WORKLOAD)
    found = pipeline.inspect(tmp_path / "schema.sql", workload=tmp_path / "workload.sql", dialect="postgresql")
    values = {"email": 100_000.0, "token": 50_000.0, "country": 50.0, "n": 100.0}
    known = tuple((name, AttributeStatistics(distinct=Quantity(many))) for name, many in values.items())
    return replace(
        found, statistics=Statistics((("account", EntityStatistics(Quantity(100_000.0), attributes=known)),))
    )


def with_indexes(reading: Reading, *indexes: Index) -> Proposal:
    """Accounts in a collection of their own, with no other index but those any design has."""
    plain = pipeline.design(reading, "normalized")
    return replace(plain, design=replace(plain.design, indexes=indexes))


COUNTRY = Index("accounts", (("country", 1),), any_case=True)
BOTH = Index("accounts", (("country", 1), ("n", 1)), any_case=True)
TOKEN = Index("accounts", (("token", 1),))


@pytest.mark.parametrize("indexes", [(), (COUNTRY,), (BOTH,), (TOKEN,), (COUNTRY, TOKEN)])
def test_both_prices_agree(reading: Reading, indexes: tuple[Index, ...]) -> None:
    """Within a factor of two: of what is unique, of a text with few values, narrowed or not, and beside a plain index."""
    name = pipeline.design(reading, "normalized").design.collections[0].name
    found = two_prices(reading, with_indexes(reading, *(replace(each, collection=name) for each in indexes)))
    assert len(found) == 9
    apart = {name: prices for name, prices in found.items() if prices.factor > FACTOR}
    assert not apart
    assert found["in_order"].search > 20 * found["one"].search
    by = {name: found[name].search for name in ("of_country", "of_both", "by_token", "by_id")}
    assert by["by_id"] < 0.002
    assert (by["of_both"] < 0.002) == (BOTH in indexes)
    assert (by["by_token"] < 0.002) == (indexes == (TOKEN,))
