"""Every pattern is a design case that loads, validates, unloads and compares equal on a real server.

`REWRITE_CASES=1 pytest tests/test_pattern_cases.py` writes the documents found into the cases; review the difference.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.proposal import Proposal
from nestling.ir.rows import RowColumn, RowQuery, RowSource
from nestling.ir.storage.layout import every_document
from nestling.ir.text import read_proposal, write_proposal
from nestling.sources.sql import open_database, open_sink
from tests.cases.pattern_case import FOLDER, PatternCase, pattern_cases

NOW = "(now)"
"""Stands for a time of computation, which no file can know."""

cases = pytest.mark.parametrize("case", pattern_cases(), ids=lambda case: case.name)


@cases
def test_case_reads_and_round_trips(case: PatternCase) -> None:
    """A case is a valid design, its text form round-trips, and it shows every physical collection."""
    proposal = case.proposal
    assert read_proposal(write_proposal(proposal), case.name) == proposal
    assert set(case.documents) == {store.name for store in proposal.design.stores}


@cases
def test_case_on_a_server(case: PatternCase, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Loading gives the documents shown, under the design's validators; verify and unload give the rows back."""
    proposal = case.proposal
    source, copy = f"sqlite:///{tmp_path}/source.db", f"sqlite:///{tmp_path}/copy.db"
    _write_rows(case, proposal, source)
    loaded = pipeline.load(proposal, source, database)
    found = documents(proposal.design, database)
    if os.environ.get("REWRITE_CASES"):
        (FOLDER / f"{case.name}.md").write_text(case.rewritten(found), encoding="utf-8")
    else:
        assert found == case.documents
        assert [_id_order(one) for one in _all(found)] == [_id_order(one) for one in _all(case.documents)]
    assert loaded.verified is not None
    assert loaded.verified.equal, loaded.verified.differences
    pipeline.unload(proposal, copy, database)
    assert rows_of(open_database(copy, model=proposal.design.model)) == {
        entity.name: Counter(map(repr, case.rows.get(entity.name, ()))) for entity in proposal.design.model.entities
    }


@cases
def test_validators_accept_what_was_loaded(
    case: PatternCase, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Each collection has a strict validator, except where the server allows none, and every document keeps it."""
    source = f"sqlite:///{tmp_path}/source.db"
    _write_rows(case, case.proposal, source)
    pipeline.load(case.proposal, source, database, check=False)
    for store in case.proposal.design.stores:
        options = next(database.list_collections(filter={"name": store.name}))["options"]
        if "timeseries" in options:
            continue
        assert "$jsonSchema" in options["validator"]
        assert list(database[store.name].find({"$nor": [options["validator"]]})) == []


def documents(design: Design, database: Database[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Every document of every physical collection, in the order of `_id`, times of computation masked."""
    stamps = {computed.stamp for body in every_document(design.collections) for computed in body.computed}
    found: dict[str, list[dict[str, Any]]] = {}
    for store in design.stores:
        collection = database.get_collection(store.name, codec_options=CODEC)
        found[store.name] = list(collection.find().sort("_id"))
        for document in found[store.name]:
            for stamp in stamps - {None}:
                _mask(document, str(stamp).split("."))
    return found


def _mask(document: dict[str, Any], path: list[str]) -> None:
    *above, last = path
    for step in above:
        document = document.get(step, {})
    if last in document:
        assert isinstance(document[last], datetime)
        document[last] = NOW


def rows_of(source: RowSource) -> dict[str, Counter[str]]:
    """Entity to its bag of rows; by `repr`, which tells 1 from True and from 1.0."""
    return {
        entity.name: Counter(
            map(repr, source.rows(RowQuery(entity.name, tuple(RowColumn(name) for name in entity.attribute_names))))
        )
        for entity in source.model.entities
    }


def _write_rows(case: PatternCase, proposal: Proposal, address: str) -> None:
    sink = open_sink(address)
    sink.begin(proposal.design.model)
    for entity in proposal.design.model.entities:
        sink.write(entity, case.rows.get(entity.name, []))
    sink.finish()


def _all(found: dict[str, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for name in sorted(found):
        yield from found[name]


def _id_order(document: dict[str, Any]) -> list[str]:
    """The fields of a compound `_id` in their order, which the server compares."""
    return list(document["_id"]) if isinstance(document["_id"], dict) else []
