"""The text form of what people edit: a reading is `model.yaml`, a proposal is `design.yaml`.

Each file stands alone and round-trips: reading what was written gives an equal value. A reader finds every mistake of a file
before it raises one `InputError`; each problem says file, line and column. The JSON Schemas in `nestling/schemas` describe
both files to editors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # pydantic and the YAML parser are slow to import; who only prints help must not wait for them
    from pathlib import Path

    from nestling.ir.proposal import Proposal
    from nestling.ir.reading import Reading

__all__ = ["read_file", "read_proposal", "read_reading", "write_proposal", "write_reading"]


def read_file(path: Path | str) -> Reading | Proposal:
    """The reading or proposal in a file: a proposal has a `design`. Raises `InputError`."""
    from nestling.ir.text import reader

    return reader.read_file(path)


def read_reading(text: str, name: str) -> Reading:
    """The reading in `text`; `name` is what problems call the file. Raises `InputError` with all problems."""
    from nestling.ir.text import reader

    return reader.read_reading(text, name)


def read_proposal(text: str, name: str) -> Proposal:
    """The proposal in `text`; `name` is what problems call the file. Raises `InputError` with all problems."""
    from nestling.ir.text import reader

    return reader.read_proposal(text, name)


def write_reading(reading: Reading) -> str:
    """The text of a reading, the same for equal readings."""
    from nestling.ir.text.file_form import ReadingForm
    from nestling.ir.text.schema import schema_line
    from nestling.ir.text.yaml_writer import yaml_text

    return schema_line("model") + yaml_text(ReadingForm.from_ir(reading))


def write_proposal(proposal: Proposal) -> str:
    """The text of a proposal, the same for equal proposals."""
    from nestling.ir.text.file_form import ProposalForm
    from nestling.ir.text.schema import schema_line
    from nestling.ir.text.yaml_writer import yaml_text

    return schema_line("design") + yaml_text(ProposalForm.from_ir(proposal))
