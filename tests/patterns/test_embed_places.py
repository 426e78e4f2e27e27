"""Which places in other documents are proposed for an entity's rows: just within each bound, and just beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.candidate import Nested
from nestling.patterns import embed
from nestling.pipeline import inspect
from nestling.pipeline.designing import posed_problem

HEAD = """nestling: 1
dialect: postgresql
model:
  name: places
  entities:
"""


def proposed(folder: Path, text: str) -> list[Nested]:
    """The places proposed for a model file's entities."""
    path = folder / "model.yaml"
    path.write_text(text, encoding="utf-8")
    situation = posed_problem(inspect(path), None, None).situation
    return [each.part for each in embed.candidates(situation) if isinstance(each.part, Nested)]


def test_embeddings_lie_three_deep_and_no_deeper(tmp_path: Path) -> None:
    """Of a chain of five entities, each read with all above it."""
    names = ["a", "b", "c", "d", "e"]
    entities, links, joins = [], [], ["a"]
    for above, name in zip([None, *names], names, strict=False):
        up = f", {above}_id: integer!" if above else ""
        entities.append(f"    {name}: {{key: id, attributes: {{id: integer!{up}}}}}\n")
        if above:
            links.append(f"    of_{name}: {{parent: {above}, child: {name}, attributes: {above}_id, required: true}}\n")
            joins.append(f"JOIN {name} ON {name}.{above}_id = {above}.id")
    statistics = "".join(f"    of_{name}: {{mean: 2, maximum: 3}}\n" for name in names[1:])
    text = (
        f"{HEAD}{''.join(entities)}  relationships:\n{''.join(links)}statistics:\n  relationships:\n{statistics}"
        f"workload:\n  all: {{sql: SELECT e.id FROM {' '.join(joins)} WHERE a.id = :a, rate: 9/s}}\n"
    )
    deep = {
        each.entity: max(len(one.links) for one in places if one.entity == each.entity)
        for places in [proposed(tmp_path, text)]
        for each in places
    }
    assert deep == {"b": 1, "c": 2, "d": 3, "e": 3}


def test_the_eight_places_that_are_walked_most_are_proposed(tmp_path: Path) -> None:
    """Of ten parents, each joined by one statement, the more often the later."""
    parents = range(10)
    text = HEAD
    text += "".join(f"    p{n}: {{key: id, attributes: {{id: integer!}}}}\n" for n in parents)
    text += (
        f"    child: {{key: id, attributes: {{id: integer!, {', '.join(f'p{n}_id: integer!' for n in parents)}}}}}\n"
    )
    text += "  relationships:\n" + "".join(
        f"    by_{n}: {{parent: p{n}, child: child, attributes: p{n}_id, required: true}}\n" for n in parents
    )
    text += "statistics:\n  relationships:\n" + "".join(f"    by_{n}: {{mean: 2, maximum: 3}}\n" for n in parents)
    text += "workload:\n" + "".join(
        f"  s{n}: {{sql: SELECT c.id FROM p{n} JOIN child c ON c.p{n}_id = p{n}.id WHERE p{n}.id = :id, rate: {n + 1}/s}}\n"
        for n in parents
    )
    assert {each.links[0] for each in proposed(tmp_path, text)} == {f"by_{n}" for n in range(2, 10)}


LINES = (
    HEAD
    + """    purchase: {{key: id, attributes: {{id: integer!}}}}
    line: {{key: id, attributes: {{id: integer!, purchase_id: integer{needed}}}}}
  relationships:
    has: {{parent: purchase, child: line, attributes: purchase_id{required}}}
statistics:
  entities: {{purchase: {{count: 1000}}, line: {{count: 10000}}}}
  relationships: {{has: {{{fan_out}}}}}
workload:
  all: {{sql: SELECT l.id FROM purchase p JOIN line l ON l.purchase_id = p.id WHERE p.id = :id, rate: 9/s}}
requirements: {{array_bound: {bound}}}
"""
)


@pytest.mark.parametrize(
    ("fan_out", "bound", "places"),
    [
        ("mean: 10, p99: 40, maximum: 300", 300, [None]),  # all fit
        ("mean: 10, p99: 40, maximum: 301", 300, [80]),  # twice what is usual, and pages beyond
        ("mean: 10, p99: 150, maximum: 301", 300, [300]),
        ("mean: 10, p99: 151, maximum: 301", 300, []),  # the usual parent would need pages
        ("mean: 10, p99: 200, maximum: 5000", 1000, [400]),
        ("mean: 10, p99: 201, maximum: 5000", 1000, []),  # more than a couple of hundred
        ("mean: 10, p99: 4, maximum: 5000", 1000, [10]),
    ],
)
def test_arrays_keep_to_their_bound(fan_out: str, bound: int, places: list[int | None], tmp_path: Path) -> None:
    """The bound of the array, None where all children are in it."""
    text = LINES.format(needed="!", required=", required: true", fan_out=fan_out, bound=bound)
    assert [each.overflow for each in proposed(tmp_path, text)] == places


@pytest.mark.parametrize(("orphans", "is_proposed"), [(0, True), (499, True), (500, False), (None, False)])
def test_few_children_may_lack_a_parent(orphans: int | None, is_proposed: bool, tmp_path: Path) -> None:
    """Less than one in twenty; where nobody knows how many, none."""
    known = f", orphans: {orphans}, dangling: 0" if orphans is not None else ""
    text = LINES.format(needed="", required="", fan_out=f"mean: 10, maximum: 30{known}", bound=300)
    assert bool(proposed(tmp_path, text)) is is_proposed
