"""Descriptions and diagrams: complete, and readable whatever things are called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nestling import emitters
from nestling.common.errors import InputError
from nestling.emitters import emit, formats
from nestling.emitters.content import lines
from nestling.emitters.documents import documents
from nestling.emitters.file_names import file_names
from nestling.emitters.mermaid import diagram
from nestling.emitters.samples import sample_documents
from nestling.ir.design import Design
from nestling.ir.primitives import Collection, Document, Holder, Reference
from nestling.ir.proposal import Alternative, Choice, Decision, Proposal, Reason
from nestling.ir.types import INTEGER
from tests.emitters.designs import DESIGNS, attribute, entity, link, model

BOX = re.compile(r'^  d\d+\["[^"\n]+"\]( \{)?$')
FIELD = re.compile(r'^    [A-Za-z_]\w*(\[\])* [A-Za-z_]\w*( PK| FK)?( "[^"\n]+")?$', re.ASCII)
LINK = re.compile(r'^  d\d+ (\|\||\}o|\|o)(--|\.\.)(\|\||o\{|o\|) d\d+ : "[^"\n]+"$')


@pytest.mark.parametrize("name", DESIGNS)
def test_diagrams_hold_to_mermaids_grammar(name):
    """Every line is a box, a field, a link or a closing brace as the ER grammar has them."""
    first, *rest = diagram(DESIGNS[name]()).splitlines()
    assert first == "erDiagram"
    wrong = [line for line in rest if not (BOX.match(line) or FIELD.match(line) or LINK.match(line) or line == "  }")]
    assert wrong == []


def test_diagrams_show_what_is_embedded_referenced_copied_and_computed():
    """Boxes for embedded documents, lines with their cardinality, and marks on copies and computed values."""
    text = diagram(DESIGNS["orders"]())
    numbers = {label: number for number, label in re.findall(r'^  (d\d+)\["(.+)"\]', text, re.MULTILINE)}
    assert f'{numbers["orders"]} ||--o{{ {numbers["orders.lines"]} : "lines"' in text
    assert f'{numbers["orders"]} ||--o| {numbers["orders.invoice"]} : "invoice"' in text
    assert f'{numbers["orders"]} }}o..|| {numbers["customers"]} : "customer_order"' in text
    assert f'{numbers["orders.lines"]} }}o..|| {numbers["products"]} : "product_line"' in text
    assert 'text product_name "product.name; copy along product_line, snapshot"' in text
    assert "count of `line` along order_line, same-document" in text


@pytest.mark.parametrize("name", DESIGNS)
def test_descriptions_have_a_row_for_every_field(name):
    """Every field of every store is in a table of five columns, in order, and every collection has a heading."""
    design = DESIGNS[name]()
    text = emit(Proposal("by hand", design), "markdown")["schema.md"]
    rows = [row for row in text.splitlines() if row.startswith("| `")]
    tables = [re.split(r"(?<!\\)\|", row)[1:-1] for row in rows]
    described = [cells for cells in tables if len(cells) == 5]
    expected = sum(len(list(lines(document))) for store in design.stores for document in documents(design, store))
    assert len(described) == expected
    assert {len(cells) for cells in tables} <= {3, 5}
    assert len(re.findall(r"^## (?!Gaps)", text, re.MULTILINE)) == len(design.stores)


def test_descriptions_tell_decisions_with_their_reasons():
    """What was chosen, why by which rule, and what else was possible."""
    made = Decision(
        "order_line",
        Choice.EMBED,
        ("few",),
        (Reason("A2", "at most 12 `line` per `order`", 12),),
        (Alternative(Choice.PARENT_REFERENCE, "two reads instead of one"),),
    )
    text = emit(Proposal("tree", DESIGNS["orders"](), (made,)), "markdown")["schema.md"]
    assert "### order\\_line: embed (few)" in text
    assert "- at most 12 `line` per `order` (A2)" in text
    assert "- rejected: parent-reference: two reads instead of one" in text


def test_samples_are_the_same_on_every_run():
    """Two sample documents of a store are equal, and their fields come in the order of the design."""
    made = [sample_documents(design, design.store("orders")) for design in (DESIGNS["orders"](), DESIGNS["orders"]())]
    first, second = (documents[0] for documents in made)
    assert first == second
    assert list(first)[:4] == ["_id", "schema_version", "customer_id", "placed"]


def test_formats_are_the_modules_that_make_files():
    """The formats are found by walking the folder: modules with a function `files`, and no others."""
    folder = Path(emitters.__file__).parent
    made = {each.stem for each in folder.glob("*.py") if "\ndef files(" in each.read_text(encoding="utf-8")}
    assert formats() == tuple(sorted(made))
    assert {"jsonschema", "mongosh", "python"} < made


def test_an_unknown_format_lists_those_there_are():
    """A misspelt format is an error that names the right one."""
    with pytest.raises(InputError, match="no format `mongoshell`; there is `mongosh`"):
        emit(Proposal("by hand", DESIGNS["orders"]()), "mongoshell")
    with pytest.raises(InputError, match="no format `commands`"):
        emit(Proposal("by hand", DESIGNS["orders"]()), "commands")


def test_schemas_are_one_file_per_collection():
    """Each collection that can have a validator has a file, under a name every file system takes."""
    found = emit(Proposal("by hand", DESIGNS["odd_names"]()), "jsonschema")
    assert list(found) == ["odd table__.json", "a _pair_.json", "ta.b_le.json"]
    assert "ticks.json" not in emit(Proposal("by hand", DESIGNS["buckets"]()), "jsonschema")


def test_file_names_differ_also_without_case():
    """Names a file system could take for one get numbers; empty and dotted ones become visible."""
    assert list(file_names(["A", "a", "..", "a/b", "a?b"]).values()) == ["A", "a-2", "_", "a_b", "a_b-2"]


@pytest.mark.thorough
@pytest.mark.timeout(60)
def test_a_large_design_is_emitted():
    """400 entities with 1,000 relationships are emitted in every format; one that takes quadratic time would not end."""
    names = [f"entity_{number}" for number in range(400)]
    pairs = [(names[(7 * number) % 400], names[(11 * number + 1) % 400], f"r{number}_id") for number in range(1000)]
    held = {name: [column for _, child, column in pairs if child == name] for name in names}
    things = model(
        *(
            entity(name, *(attribute(f"a{n}") for n in range(10)), *(attribute(c, INTEGER) for c in held[name]))
            for name in names
        ),
        links=[link(parent, child, (column,), name=column) for parent, child, column in pairs],
    )
    bodies = [Document(name, references=tuple(Reference(c, Holder.CHILD) for c in held[name])) for name in names]
    design = Design(things, tuple(Collection(body.entity, body, ("id",)) for body in bodies))
    proposal = Proposal("normalized", design)
    for as_name in formats():
        assert emit(proposal, as_name)
