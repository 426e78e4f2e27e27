"""What no load of a design could do is refused where the design is written, with its line."""

from __future__ import annotations

import pytest

from nestling.common.errors import InputError
from nestling.ir.text import read_proposal

DESIGN = """\
nestling: 1
strategy: by hand
model:
  name: garage
  entities:
    vehicle: {key: [id], attributes: {id: integer!, name: text, tags: array(text), notes: json, more: json}}
    car: {key: [id], attributes: {id: integer!, doors: integer}}
    truck: {key: [id], attributes: {id: integer!, load: integer}}
    video: {key: [id], attributes: {id: integer!, title: text}}
    service: {key: [id], attributes: {id: integer!, vehicle: integer!, day: date, parts: array(text)}}
    trip: {key: [id], attributes: {id: integer!, vehicle: integer!, day: date}}
    person: {key: [id], attributes: {id: integer!, born: date, wed: date, papers: text}}
    sale: {key: [id], attributes: {id: integer!, owner: integer!, day: date}}
    machine: {key: [id], attributes: {id: integer!, owner: integer, name: text}}
  relationships:
    owned: {parent: person, child: machine, attributes: owner}
    sold: {parent: person, child: sale, attributes: owner, required: true}
    cars: {parent: vehicle, child: car, attributes: id, cardinality: "1:1", required: true}
    trucks: {parent: vehicle, child: truck, attributes: id, cardinality: "1:1", required: true}
    services: {parent: vehicle, child: service, attributes: vehicle, required: true}
    trips: {parent: vehicle, child: trip, attributes: vehicle, required: true}
design:
  collections:
    vehicles:
      root: vehicle
      id: [id]
      variant: {discriminator: kind, value: any, members: {video: {value: film}}, subtypes: {cars: auto, trucks: lorry}}
      embeddings:
        car: {of: cars, as: inline}
        truck: {of: trucks, as: inline}
        services: {of: services}
      references: {trips: {child-reference: trip_ids}}
    trips: {root: trip, id: [id], options: {kind: capped, size_bytes: 8000}}
    people:
      root: person
      id: [id]
      pairs: {days: {attributes: [born, wed], key: what}}
      splits: {papers: {attributes: [papers]}}
      references: {owned: {child-reference: cars, copies: {name: called}}}
      copies: {latest: {of: sold, attributes: {day: bought, id: number}, as: array, freshness: transaction}}
    sales: {root: sale, bucket: {by: [owner], field: sold, limit: 9}, references: {sold: parent-reference}}
    machines: {root: machine, id: [id]}
  indexes:
    - {collection: vehicles, keys: [name, services.day]}
"""


def refused(old: str, new: str, at: str = "") -> str:
    """The one problem after a change, which is told at the place of the new text, or of what it ends with."""
    assert read_proposal(DESIGN, "f.yaml").design.collections
    assert DESIGN.count(old) == 1
    with pytest.raises(InputError) as caught:
        read_proposal(DESIGN.replace(old, new), "f.yaml")
    [problem] = caught.value.problems
    before = DESIGN[: DESIGN.index(old)] + new.removesuffix(at if at else new)
    assert problem.where == f"f.yaml:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    return problem.what


@pytest.mark.parametrize(("old", "new"), [("lorry", "auto"), ("lorry", "film"), ("lorry", "any"), ("film", "any")])
def test_each_kind_of_document_has_a_value_of_its_own(old: str, new: str) -> None:
    """What two kinds carried would tell neither."""
    assert refused(old, new).startswith(f"`{new}` is the value of two kinds of documents in `vehicles`")


def test_the_root_has_a_value_beside_members() -> None:
    """An empty one would be none."""
    said = refused("value: any", 'value: ""', '""')
    assert said == "the root needs a discriminator value when there are members"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("services", "trip_ids"),
        ("services.day", "tags"),
        ("tags", "services.parts"),
        ("trip_ids", "tags"),
    ],
)
def test_no_index_is_on_two_arrays(one: str, other: str) -> None:
    """The server takes no document that holds both."""
    said = refused("name, services.day", f"{one}, name, {other}", other)
    assert said.startswith(f"`{other}` is in an index of `vehicles` on two arrays, ")


@pytest.mark.parametrize(
    "keys", ["services.day, services._id", "services, services.parts", "notes, more", "kind, tags"]
)
def test_an_index_may_be_on_one_array(keys: str) -> None:
    """Also on several fields of its elements, one of them an array; and on JSON, which is one or not."""
    text = DESIGN.replace("services.day", keys).replace(
        "services: {of: services}", "services: {of: services, fields: {id: _id}}"
    )
    assert read_proposal(text, "f.yaml").design.indexes


@pytest.mark.parametrize("size", ["5", "0", "-1", "4095", "9999999999999999"])
def test_a_capped_collection_has_room(size: str) -> None:
    """As much as the server takes, and not next to none."""
    assert refused("8000", size).startswith(
        "the size of a capped collection must be 4,096 to 1,125,899,906,842,624 bytes, not "
    )


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        ("person\n      id: [id]", "person\n      id: [id, id]", "id: [id, id]", "`id` is named 2 times"),
        ("[born, wed]", "[wed, wed]", "wed, wed]", "`wed` is named 2 times"),
        ("attributes: [papers]", "attributes: [papers, papers]", "papers, papers]", "`papers` is named 2 times"),
        ("[owner]", "[owner, owner]", "owner, owner]", "`owner` is named 2 times"),
        ("{day: bought, id: number}", "[day, day]", "day, day]", "two things are stored under `day`"),
        ("id: number", "id: bought.at", "bought.at", "two things are stored under `bought.at`"),
        ("called", "id", "", "two things are stored under `id`"),
        ("key: what", "key: v", "v", "`v` is both the key and the value field of a list of pairs"),
    ],
)
def test_a_name_is_said_once(old: str, new: str, at: str, said: str) -> None:
    """An attribute in a list of them, and a name in a copy or a list of pairs."""
    assert refused(old, new, at) == said
