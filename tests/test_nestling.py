"""What `import nestling` gives: its names, the lines of its docstring, and paths as texts wherever files are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

import nestling
from nestling.common.server import Server
from nestling.ir.text import write_proposal
from tests.designed_once import designed_once


def test_names_come_when_they_are_asked_for() -> None:
    """All of them are listed before any is imported, and an unknown one is an error as of any module."""
    code = (
        "import nestling, sys; print(set(nestling.__all__) <= set(dir(nestling)), 'nestling.pipeline' in sys.modules)"
    )
    code += "; print(nestling.pipeline.inspect.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True", "False", "inspect"]
    assert all(getattr(nestling, name) for name in nestling.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Shop'"):
        nestling.Shop  # noqa: B018


def test_the_lines_of_the_docstring_run(
    shop_folder: Path, mongod: Server, database: Database[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They design, fill and ask a database."""
    monkeypatch.chdir(shop_folder)
    _, _, lines = (nestling.__doc__ or "").partition("::\n\n")
    address, _, options = mongod.uri.partition("/?")
    code = "\n".join(line[4:] for line in lines.splitlines())
    with designed_once():
        exec(compile(code, "docstring", "exec"), {"uri": f"{address.rstrip('/')}/{database.name}?{options}"})
    assert database.list_collection_names()


@pytest.mark.thorough
def test_files_are_named_by_texts_and_by_paths(shop_folder: Path, tmp_path: Path) -> None:
    """Sources, designs and workloads, with the same answers."""
    pipeline = nestling.pipeline
    source, workload, file = shop_folder / "shop.db", shop_folder / "workload.sql", tmp_path / "design.yaml"
    reading = pipeline.inspect(source, workload=workload)
    assert pipeline.inspect(str(source), workload=str(workload)) == reading
    file.write_text(write_proposal(pipeline.design(reading, "embedded")), encoding="utf-8")
    proposal = pipeline.read_proposal(file)
    assert pipeline.read_proposal(str(file)) == proposal
    for asked in (pipeline.statements_of, pipeline.queries_module):
        assert asked(proposal, str(workload)) == asked(proposal, workload)
    assert [*pipeline.convert_all(proposal, str(workload))] == [*pipeline.convert_all(proposal, workload)]
