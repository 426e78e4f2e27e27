"""A thousand people with a few pets each, as a model file: the statements are the test's."""

from __future__ import annotations

from pathlib import Path

from nestling.ir.reading import Reading
from nestling.pipeline import inspect

_FILE = """nestling: 1
dialect: postgresql
model:
  name: small
  entities:
    person: {{key: id, attributes: {{id: integer!, name: text!}}}}
    pet: {{key: [{key}], attributes: {{id: integer!, person_id: integer!, name: text!}}}}
  relationships:
    pets: {{parent: person, child: pet, attributes: person_id, required: true}}
statistics:
  entities: {{person: {{count: 1000}}, pet: {{count: {pets}}}}}
  relationships: {{pets: {{mean: {mean}, maximum: {most}}}}}
workload:
{statements}"""


def people(folder: Path, *statements: str, mean: int = 2, most: int = 5, key: str = "id") -> Reading:
    """The model read from a file; a statement is a line such as `name: {sql: "SELECT …", rate: 5/s}`; `key` is of pets."""
    lines = "".join(f"  {each}\n" for each in statements)
    path = folder / "model.yaml"
    path.write_text(_FILE.format(pets=1000 * mean, mean=mean, most=most, statements=lines, key=key), encoding="utf-8")
    return inspect(path)
