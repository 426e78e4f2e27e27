"""What the cache holds is what the workload touches most often per byte, and the rest is read from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.pipeline import design, inspect
from nestling.pipeline.cache import with_cache
from nestling.pipeline.designing import posed_problem
from nestling.planner.options.sizes.cold_reads import cold_shares, data_bytes, touched_rows
from nestling.planner.options.sizes.sizes import Sizes
from tests.least_cost import designed
from tests.two_prices import two_prices

MODEL = """nestling: 1
dialect: postgresql
model:
  name: inbox
  entities:
    person: {{key: person_id, attributes: {{person_id: uuid!, name: "text(120)!"}}}}
    message:
      key: message_id
      attributes: {{message_id: uuid!, person_id: uuid!, body: text!, read: boolean!, at: timestamptz!}}
    audit: {{key: audit_id, attributes: {{audit_id: uuid!, detail: text!}}}}
  relationships:
    person_message: {{parent: person, child: message, attributes: person_id, required: true, enforced: true}}
statistics:
  entities: {{person: {{count: 2000}}, message: {{count: 400000, growth_per_day: 200000}}, audit: {{count: {audits}}}}}
  relationships: {{person_message: {{mean: 200, maximum: 20000, grows: 1}}}}
workload:
  inbox: {{sql: "SELECT message_id, body, at FROM message WHERE person_id = :me ORDER BY at DESC LIMIT 20", rate: 150/s}}
  unread: {{sql: "SELECT count(*) AS n FROM message WHERE person_id = :me AND read = false", rate: 200/s}}
  notify: {{sql: "INSERT INTO message (message_id, person_id, body, read, at) VALUES (:i, :p, :b, false, :t)", rate: 10/s}}
  audit_one: {{sql: "SELECT detail FROM audit WHERE audit_id = :id", rate: {rate}}}
"""
CACHE = 512 * 2.0**20


def model(folder: Path, *, audits: int, rate: str = "1/day") -> Path:
    """A small inbox that is read all the time, beside an audit table of so many rows."""
    path = folder / "model.yaml"
    path.write_text(MODEL.format(audits=audits, rate=rate), encoding="utf-8")
    return path


def homes(proposal: Proposal) -> list[tuple[str, bool]]:
    """The collections, and whether they are of buckets."""
    return [(each.name, each.collection.bucket is not None) for each in proposal.design.stores]


@pytest.mark.thorough
def test_a_large_table_that_is_hardly_read_takes_no_room(tmp_path: Path) -> None:
    """A billion rows read once a day change nothing for the rows that are read all the time: same home, same prices."""
    small, large = (design(inspect(model(tmp_path, audits=audits))) for audits in (1_000, 1_000_000_000))
    assert homes(small) == homes(large)
    assert ("message", False) in homes(large)
    assert small.costs is not None
    assert large.costs is not None
    assert dict(small.costs.statements)["inbox"] == pytest.approx(dict(large.costs.statements)["inbox"])


def test_the_cache_is_filled_by_what_is_touched_most_per_byte(tmp_path: Path) -> None:
    """What the hot rows leave of it holds a part of the others; the design has no part in it."""
    known = posed_problem(inspect(model(tmp_path, audits=10_000_000)), None, None).situation
    sizes = Sizes(known)
    hot = sizes.rows("message") * sizes.row_bytes("message")
    held = sizes.rows("person") * sizes.row_bytes("person")
    cold = sizes.rows("audit") * sizes.row_bytes("audit")
    assert hot + held < CACHE < cold
    assert cold_shares(known, sizes, CACHE).shares == {"audit": pytest.approx(1 - (CACHE - hot - held) / cold)}
    half = {"message": pytest.approx(0.5), "person": 1.0, "audit": 1.0}
    assert cold_shares(known, sizes, hot / 2).shares == half
    assert cold_shares(known, sizes, data_bytes(known, sizes)).shares == {}


def test_what_is_read_often_is_held_before_what_is_read_rarely(tmp_path: Path) -> None:
    """At a million reads a second the audit's bytes are the hottest."""
    known = posed_problem(inspect(model(tmp_path, audits=10_000_000, rate="10000000/s")), None, None).situation
    assert "message" in cold_shares(known, Sizes(known), CACHE).shares


def test_a_note_says_what_is_read_from_disk(tmp_path: Path) -> None:
    """It names the cache, the data, the rows and the way out; with a cache that holds all of them there is none."""
    reading = inspect(model(tmp_path, audits=1_000_000_000))
    (note,) = (each for each in design(reading).notes if each.startswith("prices assume"))
    assert note == (
        "prices assume a cache of 537 MB for 76.1 GB of data, so 99% of `audit` is read from disk;"
        " if your server's cache has another size, give it: `--cache 16GB`"
    )
    assert not [each for each in design(reading, profile=with_cache(None, 1e12)).notes if "cache" in each]


@pytest.mark.thorough
def test_reads_from_disk_cost_pages(tmp_path: Path) -> None:
    """A row that the cache does not hold costs a page more than one it holds."""
    reading = inspect(model(tmp_path, audits=1_000_000_000))
    cold, warm = (design(reading, profile=with_cache(None, size)).costs for size in (CACHE, 1e12))
    assert cold is not None
    assert warm is not None
    more = dict(cold.statements)["audit_one"] - dict(warm.statements)["audit_one"]
    assert more == pytest.approx(0.00016, rel=0.05)


PARENTS = """nestling: 1
dialect: postgresql
model:
  name: readings
  entities:
    device: {key: id, attributes: {id: integer!, label: text!}}
    reading: {key: id, attributes: {id: integer!, device_id: integer!, at: timestamp!, v: text!}}
  relationships:
    r: {parent: device, child: reading, attributes: device_id, required: true, enforced: true}
statistics:
  entities: {device: {count: 1000}, reading: {count: 50000000}}
  relationships: {r: {mean: 50000, maximum: 60000}}
workload:
  put: {sql: "INSERT INTO reading (id, device_id, at, v) VALUES (:i, :d, :at, :v)", rate: 100/s}
  page: {sql: "SELECT v FROM reading WHERE id = :i", rate: 1000/s}
  last:
    sql: >-
      SELECT d.label, r.at, r.v FROM reading r JOIN device d ON d.id = r.device_id
      WHERE r.device_id = :d ORDER BY r.at DESC LIMIT 20
    rate: 1/min
"""


@pytest.fixture
def readings(tmp_path: Path) -> Reading:
    """Many readings of few devices, which every new reading holds."""
    path = tmp_path / "model.yaml"
    path.write_text(PARENTS, encoding="utf-8")
    return inspect(path)


@pytest.mark.thorough
def test_a_parent_that_every_new_row_holds_stays_in_the_cache(readings: Reading) -> None:
    """The check of a foreign key reads its parent: a small table that each insertion checks is the hottest there is."""
    known = posed_problem(readings, None, None).situation
    assert touched_rows(known, Sizes(known))["device"] > 100
    assert cold_shares(known, Sizes(known), CACHE).shares.keys() == {"reading"}
    cold, warm = (design(readings, profile=with_cache(None, size)).costs for size in (CACHE, 1e12))
    assert cold is not None
    assert warm is not None
    assert dict(cold.statements)["put"] == pytest.approx(dict(warm.statements)["put"])


def test_one_document_is_read_from_disk_once(readings: Reading) -> None:
    """Twenty rows of one parent look it up twenty times, and read it from disk once."""
    known = posed_problem(readings, None, None).situation
    made = designed(readings, "optimal")
    assert cold_shares(known, Sizes(known), 1000.0).shares["device"] > 0.9
    cold, warm = (two_prices(readings, made, with_cache(None, size))["last"] for size in (1000.0, 1e12))
    for more in (cold.search - warm.search, cold.compiled - warm.compiled):
        assert more < (20 + 2) * 0.00016
    assert cold.factor < 1.25


def test_both_prices_know_the_cache(readings: Reading) -> None:
    """The compiled price reads from disk what the search's price does."""
    for prices in two_prices(readings, designed(readings, "optimal")).values():
        assert prices.factor < 1.1
