"""Pattern cases: Markdown people read, one file a pattern, and what a test needs of it.

A case is a title, a reason, and blocks under these headings: `Model` and `Design` (YAML, as in a design file), `Rows` (YAML:
entity, then a list of values in attribute order a row), and ``Documents in `name` `` for every physical collection (Extended
JSON, one document a line, in the order of `_id`).
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from bson import json_util

from nestling.ir.codec import CODEC
from nestling.ir.model import Attribute
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from nestling.ir.text.yaml_reader import read_yaml
from nestling.ir.types import TypeName

FOUND = "found: "
FOLDER = Path(__file__).parent / "patterns"

_BLOCK = re.compile(r"^## ([^\n]*)\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DOCUMENTS = re.compile(r"Documents in `(.*)`")
_OPTIONS = json_util.JSONOptions(
    json_mode=json_util.JSONMode.RELAXED,
    uuid_representation=CODEC.uuid_representation,
    tz_aware=False,
    datetime_representation=json_util.DatetimeRepresentation.ISO8601,
)


@dataclass(frozen=True)
class PatternCase:
    """One case, as its file has it."""

    name: str
    text: str

    @property
    def blocks(self) -> dict[str, str]:
        """Heading to the text of its block."""
        return dict(_BLOCK.findall(self.text))

    @property
    def proposal_text(self) -> str:
        """The case as a design file."""
        head = f"nestling: 1\nstrategy: by hand\nmodel:\n  name: {self.name}\n"
        model, design = (textwrap.indent(self.blocks[part], "  ") for part in ("Model", "Design"))
        return f"{head}{model}design:\n{design}"

    @property
    def proposal(self) -> Proposal:
        """The design of the case over its model."""
        return read_proposal(self.proposal_text, f"{self.name}.md")

    @property
    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Entity to its rows, as conceptual values in attribute order."""
        document, problems = read_yaml(self.blocks["Rows"], f"{self.name}.md")
        assert not problems, problems
        assert isinstance(document.value, dict)
        model = self.proposal.design.model
        return {
            name: [
                tuple(conceptual(*pair) for pair in zip(model.entity(name).attributes, row, strict=True))
                for row in rows
            ]
            for name, rows in document.value.items()
        }

    @property
    def documents(self) -> dict[str, list[dict[str, Any]]]:
        """Collection to the documents it must hold."""
        return {
            found[1]: [json_util.loads(line, json_options=_OPTIONS) for line in block.splitlines()]
            for heading, block in self.blocks.items()
            if (found := _DOCUMENTS.fullmatch(heading))
        }

    def rewritten(self, documents: dict[str, list[dict[str, Any]]]) -> str:
        """The file's text with these documents instead."""
        before = self.text.split("\n## Documents in", 1)[0].rstrip() + "\n"
        return before + "".join(
            f"\n## Documents in `{name}`\n\n```json\n{''.join(map(_line, found))}```\n"
            for name, found in documents.items()
        )


def _line(document: dict[str, Any]) -> str:
    # `json_util` would escape what is not ASCII
    return json.dumps(json.loads(json_util.dumps(document, json_options=_OPTIONS)), ensure_ascii=False) + "\n"


def conceptual(attribute: Attribute, value: object) -> object:
    """What a YAML value stands for in an attribute of that type; a number among dates is one, as SQLite keeps it.

    Text after `found: ` is kept as it was found, whatever the type.
    """
    reader = _READERS.get(attribute.type.name)
    if isinstance(value, str) and value.startswith(FOUND):
        return value.removeprefix(FOUND)
    is_spelt = isinstance(value, str) or attribute.type.name is TypeName.FLOAT
    return reader(value) if reader is not None and value is not None and is_spelt else value


_READERS: dict[TypeName, Callable[[Any], object]] = {
    TypeName.DATE: date.fromisoformat,
    TypeName.TIMESTAMP: datetime.fromisoformat,
    TypeName.TIMESTAMPTZ: lambda text: datetime.fromisoformat(text).astimezone(UTC),
    TypeName.DECIMAL: Decimal,
    TypeName.BYTES: bytes.fromhex,
    TypeName.FLOAT: float,
}


def pattern_cases() -> list[PatternCase]:
    """All cases, by name."""
    return [PatternCase(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md"))]
