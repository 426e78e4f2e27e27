"""JSON Schemas of the two files, generated from the forms, for completion and checking in editors.

`python -m nestling.ir.text.schema` writes them into the package. A printed file names its schema in the first line, relative to
itself: a copy of the schema beside the file is all an editor needs, and nothing is fetched from anywhere.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Literal

FileKind = Literal["model", "design"]
KINDS: tuple[FileKind, ...] = ("model", "design")


def schema_name(kind: FileKind) -> str:
    """The file name of a schema."""
    return f"{kind}.schema.json"


def schema_line(kind: FileKind) -> str:
    """The first line of a file, which tells editors its schema."""
    return f"# yaml-language-server: $schema={schema_name(kind)}\n"


def published_schema(kind: FileKind) -> str:
    """The schema that came with the package, for writing beside a file."""
    return files("nestling").joinpath("schemas", schema_name(kind)).read_text(encoding="utf-8")


def generated_schema(kind: FileKind) -> str:
    """The schema as the forms have it now."""
    from nestling.ir.text.file_form import ProposalForm, ReadingForm

    form = ReadingForm if kind == "model" else ProposalForm
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:nestling:{kind}:1"}
    return json.dumps(head | form.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in KINDS:
        target = Path(str(files("nestling").joinpath("schemas", schema_name(each))))
        target.write_text(generated_schema(each), encoding="utf-8")
