"""Expert cases: Markdown people read – a published schema design, and what a test needs to hold nestling's beside it.

A case is a title, what is known and where from, and blocks under these headings: `Schema` and `Workload` (SQL), `Numbers` (YAML:
`counts` by entity, `bytes` by attribute, `children` by relationship – mean, p99, maximum, grows), `Expert` (a structure of
nestling's own naming a line, two spaces, the expert's reason), `Remarks` (why they differ) and `Outcome` (written by the test).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nestling import pipeline
from nestling.ir.reading import Reading
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Origin,
    Quantity,
    RelationshipStatistics,
    Statistics,
)
from nestling.ir.text.yaml_reader import read_yaml

FOLDER = Path(__file__).parent / "experts"
_BLOCK = re.compile(r"^## ([^\n]*)\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class ExpertCase:
    """One case, as its file has it."""

    name: str
    text: str

    @property
    def blocks(self) -> dict[str, str]:
        """Heading to the text of its block."""
        return dict(_BLOCK.findall(self.text))

    @property
    def expert(self) -> dict[str, str]:
        """Structure the expert has, to the reason given."""
        lines = [re.split(r"\s{2,}", line, maxsplit=1) for line in self.blocks["Expert"].splitlines()]
        return {each[0]: each[1] for each in lines}

    def reading(self, folder: Path) -> Reading:
        """Model, workload and declared numbers; the SQL goes through files in `folder`."""
        schema, workload = folder / "schema.sql", folder / "workload.sql"
        schema.write_text(self.blocks["Schema"], encoding="utf-8")
        workload.write_text(self.blocks["Workload"], encoding="utf-8")
        read = pipeline.inspect(str(schema), workload=workload)
        assert not read.gaps, read.gaps
        return replace(read, statistics=_statistics(read, read_yaml(self.blocks["Numbers"], self.name)[0].value))

    def with_outcome(self, outcome: str) -> str:
        """The case's text with this outcome."""
        head = self.text.split("\n## Outcome\n", 1)[0].rstrip("\n")
        return f"{head}\n\n## Outcome\n\n```text\n{outcome}```\n"


def expert_cases() -> list[ExpertCase]:
    """Every case, by name."""
    return [ExpertCase(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md"))]


def _statistics(reading: Reading, numbers: Any) -> Statistics:
    bytes_by_name = numbers["bytes"]
    entities = []
    for entity in reading.model.entities:
        widths = tuple(
            (name, AttributeStatistics(average_bytes=_declared(bytes_by_name[name])))
            for name in entity.attribute_names
            if name in bytes_by_name
        )
        entities.append(
            (entity.name, EntityStatistics(count=_declared(numbers["counts"][entity.name]), attributes=widths))
        )
    known = {link.name for link in reading.model.relationships}
    assert set(numbers["children"]) <= known, (sorted(set(numbers["children"]) - known), sorted(known))
    links = [
        (name, RelationshipStatistics(**{key: _declared(value) for key, value in each.items()}))
        for name, each in numbers["children"].items()
    ]
    return Statistics(tuple(entities), tuple(links))


def _declared(value: float) -> Quantity:
    return Quantity(float(value), Origin.DECLARED)
