"""`docs/files.md`: what may stand in a model file and in a design file, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nestling.ir.text import read_proposal, read_reading
from nestling.ir.text.file_form import ProposalForm, ReadingForm
from nestling.ir.text.form import FileMap
from scripts.pages._markdown import code, table

MODEL = """\
nestling: 1
dialect: postgresql
model:
  name: library
  entities:
    branch:
      key: branch_id
      attributes: {branch_id: integer!, city: text!}
    book:
      key: isbn
      attributes: {isbn: text!, title: text!, price: "decimal(8,2)", state: "enum('new', 'worn')", branch_id: integer!}
  relationships:
    shelves: {parent: branch, child: book, attributes: branch_id, required: true}
statistics:
  entities:
    branch: {count: 40}
    book: {count: 200000, attributes: {title: {average_bytes: 24}}}
  relationships:
    shelves: {mean: 5000, maximum: 9000}
workload:
  branch_page:
    sql: SELECT b.city, k.title FROM branch b JOIN book k ON k.branch_id = b.branch_id WHERE b.branch_id = :id
    rate: 50/s
  price_change: {sql: "UPDATE book SET price = :price WHERE isbn = :isbn", rate: 2/min}
"""
DESIGN = """\
nestling: 1
strategy: by hand
model:
  name: library
  entities:
    branch: {key: branch_id, attributes: {branch_id: integer!, city: text!}}
    book: {key: isbn, attributes: {isbn: text!, title: text!, branch_id: integer!}}
  relationships:
    shelves: {parent: branch, child: book, attributes: branch_id, required: true}
design:
  collections:
    branches:
      root: branch
      id: branch_id
      embeddings:
        books: {of: shelves}
  indexes:
    - {collection: branches, keys: [city]}
"""
HEAD = """# Model and design files

nestling writes and reads two kinds of files: `model.yaml` (`nestling inspect … -o model.yaml`) and `design.yaml` (`nestling
design … -o design.yaml`). You may write or change both by hand. All mistakes are reported together, with their lines, and
editors with the [YAML language server](https://github.com/redhat-developer/yaml-language-server) check as you type: the first
line of each file names its schema, which `nestling completion model > model.schema.json` and `nestling completion design >
design.schema.json` write next to the files. No command overwrites a file that it reads: name another one after `-o`.
`nestling design … -o design.yaml` keeps the design that was there as `design.yaml.bak` if its collections are others.

Both files have one map for each section; below are all maps with their keys. A key with `?` may be omitted. *Texts* are a list,
or one text without brackets. Types are the conceptual ones of the [type map](type-map.md); `integer!` is NOT NULL. A type has
the numbers that a column of some database can have, and a key or group names each attribute once.

## A model by hand

{model}
`nestling design model.yaml` needs no more. A statement needs only its SQL, from which the rows it touches are derived.

## A design by hand

{design}
`nestling load`, `verify`, `convert`, `check` and all other commands accept it like a design by `nestling design`. Each of the
[patterns](patterns.md) shows how to write it.
"""
_PLAIN = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "map"}


def page() -> str:
    """The page's text."""
    read_reading(MODEL, "model.yaml"), read_proposal(DESIGN, "design.yaml")  # both are what nestling reads
    shown = {"model": f"```yaml\n{MODEL}```\n", "design": f"```yaml\n{DESIGN}```\n"}
    schemas = [_schema(form) for form in (ReadingForm, ProposalForm)]
    parts = {"Model file": schemas[0], "Design file": schemas[1]}
    for schema in schemas:
        parts |= {_title(name): part for name, part in schema.get("$defs", {}).items()}
    return HEAD.format(**shown) + "".join(_section(title, part) for title, part in parts.items())


def _schema(form: type[FileMap]) -> dict[str, Any]:
    return form.model_json_schema()


def _section(title: str, schema: Mapping[str, Any]) -> str:
    shape: Mapping[str, Any] = next((each for each in schema.get("anyOf", [schema]) if "properties" in each), {})
    needed = shape.get("required", ())
    rows = [
        (code(name) + ("" if name in needed else " ?"), _held(item), item.get("description", ""))
        for name, item in shape.get("properties", {}).items()
    ]
    said = shape.get("description", schema.get("description", ""))
    return f"\n## {title}\n\n{said}\n\n{table(('key', 'holds', 'meaning'), rows)}" if rows else ""


def _title(name: str) -> str:
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name.removesuffix("Form"))
    return words.strip().capitalize()


def _held(item: Mapping[str, Any]) -> str:
    """What a key holds, in words."""
    if "$ref" in item:
        title = _title(item["$ref"].rsplit("/", 1)[1])
        return f"[{title.lower()}](#{title.lower().replace(' ', '-')})"
    if "enum" in item:
        return ", ".join(map(code, item["enum"]))
    if "const" in item:
        return code(item["const"])
    if "anyOf" in item:
        return " or ".join(dict.fromkeys(_several(item["anyOf"])))
    if item.get("type") == "array":
        return f"list of {_held(item.get('items', {}))}"
    if item.get("type") == "object" and isinstance(item.get("additionalProperties"), dict):
        return f"map of name to {_held(item['additionalProperties'])}"
    return _PLAIN.get(str(item.get("type")), "value")


def _several(items: list[Mapping[str, Any]]) -> Iterator[str]:
    held = [_held(each) for each in items if each.get("type") != "null"]
    if len(held) > 2 and held[-1] == f"list of {' or '.join(held[:-1])}":
        held[-1] = "list of these"
    yield from ["texts", *(each for each in held if "text" not in each)] if "list of text" in held else held
