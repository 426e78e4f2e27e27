"""How many documents one transaction may change is a bound: what would make one larger is no part of a design."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.emitters.explanation.text import explanation_text
from nestling.ir.reading import Reading
from nestling.pipeline.designing import posed_problem

MODEL = """
nestling: 1
dialect: postgresql
model:
  name: people
  entities:
    region: {{key: region, attributes: {{region: text!}}}}
    country: {{key: code, attributes: {{code: text!, name: text!, region: text!}}}}
    bank: {{key: bank, attributes: {{bank: integer!, title: text!}}}}
    citizen:
      key: citizen_id
      attributes: {{citizen_id: integer!, code: text!, bank: integer!, name: text!}}
  relationships:
    within: {{parent: region, child: country, attributes: region, required: true, on_delete: cascade}}
    lives: {{parent: country, child: citizen, attributes: code, required: true, on_delete: cascade}}
    saves: {{parent: bank, child: citizen, attributes: bank, required: true}}
statistics:
  entities: {{region: {{count: 5}}, country: {{count: {countries}}}, bank: {{count: 500000}}, citizen: {{count: 20000000}}}}
  relationships:
    within: {{maximum: 50000}}
    lives: {lives}
    saves: {{mean: 40, maximum: 300}}
workload:
  one:
    sql: "SELECT z.name, c.name AS country FROM citizen z JOIN country c ON c.code = z.code WHERE z.citizen_id = :id"
    rate: 1000/s
  counted: {{sql: "SELECT COUNT(*) AS n FROM citizen WHERE bank = :b", rate: 500/s}}
  write: {{sql: "{write}", rate: 1/day}}
{requirements}
"""
NAME, COUNT = "country.name in citizen", "count of citizen in bank by saves"
RENAME, LARGE = "UPDATE country SET name = :n WHERE code = :c", "{mean: 1000000, maximum: 5000000}"


def _reading(folder: Path, write: str, lives: str = LARGE, requirements: str = "") -> Reading:
    said = f"requirements: {requirements}" if requirements else ""
    path = folder / "people.yaml"
    path.write_text(
        MODEL.format(write=write, lives=lives, requirements=said, countries=40_000 if "mean: 500," in lives else 20),
        encoding="utf-8",
    )
    return pipeline.inspect(path)


@pytest.mark.parametrize(
    ("write", "lives", "requirements", "refused"),
    [
        (RENAME, LARGE, "", {NAME: "5,000,001"}),
        (RENAME, "{mean: 500, maximum: 90000}", "", {}),
        (RENAME, "{mean: 500, maximum: 200000}", "", {NAME: "200,001"}),
        (RENAME, "{mean: 1000000}", "", {NAME: "1,000,001"}),
        (RENAME, "{mean: 500, maximum: 2000}", "{transaction_bound: 1000}", {NAME: "2,001"}),
        (RENAME, LARGE, "{transaction_bound: 10000000}", {}),
        (RENAME, LARGE, '{freshness: {country.name: "async(5s)"}}', {}),
        (RENAME, LARGE, "{freshness: {country.name: snapshot}}", {}),
        ("UPDATE country SET region = :r WHERE code = :c", LARGE, "", {}),
        ("INSERT INTO country VALUES (:c, :n, :r)", LARGE, "", {}),
        ("DELETE FROM citizen WHERE citizen_id = :id", LARGE, "", {}),
        ("DELETE FROM citizen WHERE bank = :b", LARGE, "", {}),
        ("DELETE FROM citizen WHERE code = :c", LARGE, "", {COUNT: "5,500,000"}),
        ("UPDATE citizen SET bank = :b WHERE code = :c", LARGE, "", {COUNT: "5,500,000"}),
        ("DELETE FROM region WHERE region = :r", LARGE, "", {COUNT: "500,001"}),
    ],
)
def test_what_would_make_a_transaction_too_large(
    write: str, lives: str, requirements: str, refused: dict[str, str], tmp_path: Path
) -> None:
    """Counted by the largest fan-out: rows that are written, and what holds copies and computed values of them."""
    found = posed_problem(_reading(tmp_path, write, lives, requirements), None, None)
    why = {each.candidate.id: each.why for each in found.refused}
    assert why.keys() == refused.keys()
    for name, documents in refused.items():
        assert f"`write` would change up to {documents} documents in one transaction" in why[name]
    assert {NAME, COUNT} - refused.keys() <= {each.id for each in found.candidates}
    assert not refused.keys() & {each.id for each in found.candidates}


@pytest.mark.thorough
def test_it_is_said_of_the_design(tmp_path: Path) -> None:
    """The copy is not there, and the explanation says which bound it passes; the sync may keep it."""
    proposal = pipeline.design(_reading(tmp_path, RENAME))
    assert not any(each.copies for collection in proposal.design.collections for each in (collection.body,))
    said = [each for each in proposal.weighed if each.structure == NAME]
    assert [(each.chosen, each.gain) for each in said] == [(False, None)]
    told = " ".join(explanation_text(pipeline.explain(proposal)).split())
    assert f"{NAME} (extended-reference): rejected, as `write` would change up to 5,000,001 documents" in told
    allowed = pipeline.design(_reading(tmp_path, RENAME, requirements='{freshness: {country.name: "async(5s)"}}'))
    assert [each.chosen for each in allowed.weighed if each.structure == NAME] == [True]
