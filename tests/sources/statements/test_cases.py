"""Real workloads over their own schemas: every statement is read, and gaps are listed for true reasons only.

Most of them are not part of the repository (`tests/shared_cases.py`); without them there is the shop's.
"""

from __future__ import annotations

import re

import pytest

from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload
from tests.shared_cases import CASES, OWN_WORKLOAD, case_name

SHARED_WORKLOADS = sorted([*CASES.glob("sql/*/workload.sql"), *CASES.glob("benchmarks/*/workload*.sql")])
FILES = (OWN_WORKLOAD, *SHARED_WORKLOADS)
DDL = ("schema.sql", "ddl-postgres-tpcc.sql", "ddl-sqlite.sql", "ddl-postgres.sql")
# Views are not entities; a statement that makes or drops one is not a statement over the model.
VIEWS = ("`current_dept_emp`", "`Order Subtotals`", "`revenue0`")
NO_STATEMENTS = ("CREATE is not", "DROP is not")


def model_of(folder):
    """The model of all DDL files of a folder that are for one database."""
    found = [folder / name for name in DDL if (folder / name).exists()]
    texts = found if (folder / "ddl-postgres-tpcc.sql").exists() else found[:1]
    return read_ddl(
        "\n".join(path.read_text() for path in texts if path.name != "ddl-sqlite.sql" or len(texts) == 1), "m"
    )


@pytest.mark.parametrize("path", FILES, ids=case_name)
def test_every_statement_is_read(path):
    """As many statements as name lines, less those that are no statements over a model; each access in the model."""
    reading, text = model_of(path.parent), path.read_text()
    workload, gaps = parse_workload(text, reading.model, reading.dialect, path.name)
    left_out = sum(any(said in gap.what for said in NO_STATEMENTS) for gap in gaps)
    assert len(workload.statements) == len(re.findall(r"^-- name:", text, re.MULTILINE)) - left_out
    for gap in gaps:
        assert any(said in gap.what for said in (*VIEWS, *NO_STATEMENTS, "the rate is 0 of")), gap
    for statement in workload.statements:
        assert statement.accesses
        for access in statement.accesses:
            entity = reading.model.entity(access.entity)
            assert {
                *access.attributes,
                *(name for name, _ in access.order),
                *(found.attribute for found in access.filters),
            } <= {*entity.attribute_names}
            assert access.via is None or access.entity in (
                reading.model.relationship(access.via).parent,
                reading.model.relationship(access.via).child,
            )
