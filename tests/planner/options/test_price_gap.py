"""The prices the search goes by agree with those of what is compiled, on chosen and plain designs of the benchmark workloads."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.pipeline import inspect
from tests.least_cost import designed
from tests.two_prices import two_prices

WORKLOADS = Path(__file__).parents[3] / "benchmarks" / "workloads"
FACTOR = 2.0
GROUPED = "rows are summed up before their parents are looked up; the search looks them up for every row"
EXCEPTIONS = {
    "optimal": {},
    "normalized": {("tpch", "large_orders"): GROUPED},
    "embedded": {},
}


@pytest.mark.one_in(5)
@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("name", sorted(path.parent.name for path in WORKLOADS.glob("*/model.yaml")))
@pytest.mark.parametrize("strategy", EXCEPTIONS)
def test_both_prices_agree(name: str, strategy: str) -> None:
    """Within a factor of two, but for the statements said above, each of which is not."""
    reading = inspect(str(WORKLOADS / name / "model.yaml"), workload=WORKLOADS / name / "workload.sql")
    found = two_prices(reading, designed(reading, strategy))
    assert found
    apart = {
        statement: f"{prices.search * 1e6:,.0f} µs and {prices.compiled * 1e6:,.0f} µs"
        for statement, prices in found.items()
        if prices.factor > FACTOR
    }
    assert apart.keys() == {statement for workload, statement in EXCEPTIONS[strategy] if workload == name}, apart


FLEET = """
nestling: 1
dialect: postgresql
model:
  name: fleet
  entities:
    vehicle: {key: vehicle_id, attributes: {vehicle_id: integer!, plate: text!, owner: integer!}}
    car: {key: vehicle_id, attributes: {vehicle_id: integer!, doors: integer!}}
    truck: {key: vehicle_id, attributes: {vehicle_id: integer!, axles: integer!}}
  relationships:
    is_car: {parent: vehicle, child: car, attributes: vehicle_id, cardinality: "1:1", required: true}
    is_truck: {parent: vehicle, child: truck, attributes: vehicle_id, cardinality: "1:1", required: true}
  hierarchies:
    vehicles: {supertype: vehicle, subtypes: [is_car, is_truck]}
statistics:
  entities:
    vehicle: {count: 100000, attributes: {owner: {distinct: 5000}}}
    car: {count: 80000}
    truck: {count: 20000}
workload:
  all:
    sql: >-
      SELECT v.plate, c.doors, t.axles FROM vehicle v LEFT JOIN car c ON c.vehicle_id = v.vehicle_id
      LEFT JOIN truck t ON t.vehicle_id = v.vehicle_id WHERE v.owner = :o
    rate: 1000/s
"""


def test_outer_joins_to_subtypes(tmp_path: Path) -> None:
    """Subtypes that are read with their supertype stand in its documents, which the outer joins read once."""
    path = tmp_path / "fleet.yaml"
    path.write_text(FLEET, encoding="utf-8")
    reading = inspect(str(path))
    proposal = designed(reading)
    assert [each.name for each in proposal.design.collections] == ["vehicle"]
    assert two_prices(reading, proposal)["all"].factor < 1.25


MENUS = """
nestling: 1
dialect: postgresql
model:
  name: menus
  entities:
    module: {key: id, attributes: {id: integer!, name: text!}}
    screen: {key: id, attributes: {id: integer!, module_id: integer!}}
    item: {key: id, attributes: {id: integer!, screen_id: integer!}}
    note: {key: id, attributes: {id: integer!, item_id: integer!}}
  relationships:
    of_module: {parent: module, child: screen, attributes: module_id, required: true, on_delete: cascade}
    of_screen: {parent: screen, child: item, attributes: screen_id, required: true, on_delete: cascade}
    of_item: {parent: item, child: note, attributes: item_id, required: true, on_delete: cascade}
statistics:
  entities: {module: {count: 1000}, screen: {count: 10000}, item: {count: 50000}, note: {count: 100000}}
  relationships: {of_module: {mean: 10, maximum: 20}, of_screen: {mean: 5, maximum: 9}, of_item: {mean: 2, maximum: 3}}
workload:
  gone: {sql: "DELETE FROM module WHERE id = :id", rate: 1/s}
  one: {sql: "SELECT module_id FROM screen WHERE id = :id", rate: 1000/s}
"""


@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_cascades_over_several_levels(strategy: str, tmp_path: Path) -> None:
    """All rows that go are counted, not the first level's alone."""
    path = tmp_path / "menus.yaml"
    path.write_text(MENUS, encoding="utf-8")
    reading = inspect(str(path))
    assert two_prices(reading, designed(reading, strategy))["gone"].factor < 1.3


STAFF = """
nestling: 1
dialect: postgresql
model:
  name: staff
  entities:
    employee: {key: id, attributes: {id: integer!, name: text!, boss_id: integer}}
  relationships:
    manages: {parent: employee, child: employee, attributes: boss_id}
statistics:
  entities: {employee: {count: 100000}}
  relationships: {manages: {mean: 0.99, maximum: 50}}
workload:
  boss: {sql: "SELECT e.name, b.name FROM employee e JOIN employee b ON e.boss_id = b.id WHERE e.id = :id", rate: 100/s}
  boss_last: {sql: "SELECT e.name, b.name FROM employee b JOIN employee e ON e.boss_id = b.id WHERE e.id = :id", rate: 9/s}
  grandboss:
    sql: >-
      SELECT g.name FROM employee e LEFT JOIN employee b ON b.id = e.boss_id LEFT JOIN employee g ON g.id = b.boss_id
      WHERE e.id = :id
    rate: 9/s
"""
TEAM = """
  team: {sql: "SELECT e.name, b.name FROM employee e JOIN employee b ON e.boss_id = b.id WHERE b.id = :id", rate: 100/s}
"""


@pytest.mark.parametrize("more", ["", TEAM.strip("\n")], ids=["up", "both"])
def test_joins_of_an_entity_with_itself(more: str, tmp_path: Path) -> None:
    """The parent is looked up by its key, whichever side the statement names first; the children want an index."""
    path = tmp_path / "staff.yaml"
    path.write_text(STAFF + more, encoding="utf-8")
    reading = inspect(str(path))
    proposal = designed(reading)
    assert [each.keys for each in proposal.design.indexes if each.serves] == ([(("boss_id", 1),)] if more else [])
    assert all(prices.factor < 1.3 for prices in two_prices(reading, proposal).values())


KEPT = """
nestling: 1
dialect: postgresql
model:
  name: kept
  entities:
    firm: {key: id, attributes: {id: integer!, name: text!}}
    entry: {key: id, attributes: {id: integer!, firm_id: integer!, at: integer!, note: text!, read_at: integer}}
  relationships:
    of_firm: {parent: firm, child: entry, attributes: firm_id, required: true, on_delete: cascade}
statistics:
  entities:
    firm: {count: 100}
    entry:
      count: 40000
      attributes:
        at: {distinct: 40000, quantiles: [0, 10000, 20000, 30000, 40000]}
        firm_id: {distinct: 100}
        note: {average_bytes: 100}
  relationships: {of_firm: {mean: 400, maximum: 500}}
workload:
  kept: {sql: "SELECT at, note FROM entry WHERE firm_id = :firm", rate: 100/s}
  old: {sql: "DELETE FROM entry WHERE at < 10000", rate: 1/h}
  read: {sql: "UPDATE entry SET read_at = NULL WHERE at < 10000", rate: 1/h}
  later: {sql: "UPDATE entry SET at = at + 1 WHERE at < 10000", rate: 1/h}
  of_one: {sql: "DELETE FROM entry WHERE firm_id = :firm AND at < 10000", rate: 1/h}
"""


def test_rows_of_one_document_are_one_command(tmp_path: Path) -> None:
    """A hundred commands for ten thousand rows that go or have new values, be these of their own or not."""
    path = tmp_path / "kept.yaml"
    path.write_text(KEPT, encoding="utf-8")
    reading = inspect(str(path))
    proposal = designed(reading, "embedded")
    assert [each.name for each in proposal.design.collections] == ["firm"]
    prices = two_prices(reading, proposal)
    assert {name: each for name, each in prices.items() if each.factor > 1.8} == {}
    assert prices["later"].search < 1.5 * prices["old"].search
