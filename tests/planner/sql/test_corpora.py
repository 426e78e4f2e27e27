"""Real queries over real data, where the collection of cases lies beside the repository: through the algebra and by SQLite.

Run with `-m soak -s` to see the tables: share translated, share equal, by corpus. A wrong answer fails; so does a share
that falls.
"""

from __future__ import annotations

import json
import lzma
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from nestling.common.errors import NestlingError
from nestling.planner.sql import translate
from tests.planner.sql.sqlite_oracle import Oracle
from tests.shared_cases import CASES, shared

pytestmark = [pytest.mark.soak, shared]
_READS = re.compile(r"\s*(select|with|values)\b", re.IGNORECASE)


def statements(workload: Path) -> Iterator[tuple[str, str, dict[str, object]]]:
    """(name, SQL, parameters) of a workload file."""
    for block in re.split(r"^-- name: ", workload.read_text(), flags=re.MULTILINE)[1:]:
        first, *lines = block.splitlines()
        parameters = re.search(r"^-- params: (.*)$", block, re.MULTILINE)
        sql = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
        yield first.split(",")[0].strip(), sql, json.loads(parameters[1]) if parameters else {}


def opened(folder: Path) -> Oracle:
    """The database of a case, copied into memory."""
    memory = sqlite3.connect(":memory:")
    file = folder / f"{folder.name}.sqlite"
    if file.exists():
        source = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        source.backup(memory)
        source.close()
    else:
        memory.deserialize(lzma.decompress(file.with_suffix(".sqlite.xz").read_bytes()))
    return Oracle.of(memory)


def outcome(oracle: Oracle, sql: str, parameters: dict[str, object]) -> str:
    """What became of one statement, in a word."""
    try:
        if not _READS.match(sql):
            translate(sql, oracle.model, "sqlite")
            return "write translated"
        answer = oracle.ask(sql, parameters)
    except NestlingError as error:
        return f"refused ({type(error).__name__}: {str(error)[:70]})"
    if answer.query.names != answer.names:
        return "WRONG names"
    if answer.equal():
        return "equal"
    return f"arbitrary ({', '.join(sorted(answer.arbitrary))})" if answer.arbitrary else "WRONG"


def show(title: str, outcomes: Counter[str]) -> None:
    """Print a corpus's table."""
    total = sum(outcomes.values())
    print(f"\n{title}: {total} statements")  # noqa: T201 - the table is what the run is for
    for word, count in outcomes.most_common():
        print(f"  {count:6} {count / total:7.2%}  {word}")  # noqa: T201


@pytest.mark.parametrize("folder", sorted((CASES / "sql").glob("*")), ids=lambda folder: folder.name)
def test_workload_files_answer_as_sqlite_does(folder: Path) -> None:
    """Every statement of a workload file is translated, and every answer is SQLite's."""
    oracle = opened(folder)
    outcomes = Counter(outcome(oracle, sql, bound) for _, sql, bound in statements(folder / "workload.sql"))
    show(folder.name, outcomes)
    assert not [word for word in outcomes if word.startswith("WRONG")]
    refused = [word for word in outcomes if word.startswith("refused")]
    assert all("no table" in word for word in refused), "only views, which a model leaves out, are refused"


def test_spider_answers_as_sqlite_does() -> None:
    """Every query of the corpus is translated, and every answer is SQLite's or one of those SQL leaves open."""
    outcomes: Counter[str] = Counter()
    for folder in sorted(path for path in (CASES / "queries" / "spider" / "data").iterdir() if path.is_dir()):
        oracle = opened(folder)
        known: dict[str, str] = {}
        for _, sql, bound in statements(folder / "workload.sql"):
            if sql not in known:
                known[sql] = outcome(oracle, sql, bound)
            outcomes[known[sql]] += 1
    show("spider", outcomes)
    assert not [word for word in outcomes if word.startswith(("WRONG", "refused"))]
    assert outcomes["equal"] > 0.98 * sum(outcomes.values())
