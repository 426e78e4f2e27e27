"""Real schemas, workloads and databases that may lie beside the repository, and are never part of it.

What a test holds of them it holds of the repository's own small ones too, wherever there are such.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
CASES = Path(os.environ.get("NESTLING_CASES") or SHARED / "cases")
shared = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not beside the repository")
"""Marks what nothing in the repository can stand in for."""

OWN_SCHEMAS = (
    *(ROOT / "tests/fuzz/texts" / f"{dialect}.sql" for dialect in ("mysql", "postgresql", "sqlite")),
    *(
        ROOT / folder / "schema.sql"
        for folder in ("src/nestling/shop", "src/nestling/cost/experiments", "benchmarks/tpch")
    ),
)
OWN_WORKLOAD = ROOT / "src/nestling/shop/workload.sql"


def required(folder: Path) -> Path:
    """A folder of the cases; where it is not there the program ends, and says what to do."""
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not there: docs/cases.md says where its cases are from and how to lay them out")
    return folder


def case_name(path: Path) -> str:
    """A file with its folder."""
    return "/".join(path.parts[-2:])
