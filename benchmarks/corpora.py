"""The shared cases that bring a schema and statements but no data (or data for one engine only), each in a database to run on.

`corpora()` names them; `opened` creates the schema on the engine whose dialect the statements are in, fills it with rows made
for the statements (`corpora_rows`) unless the case brings its own, and gives every parameter a value that finds something.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from benchmarks.answers import Statement
from benchmarks.corpora_rows import fill
from benchmarks.corpora_samples import with_samples
from nestling.sources.ddl.statements import statements as ddl_statements
from nestling.sources.statements.blocks import blocks
from tests.servers import mariadb_server, postgresql_server
from tests.shared_cases import CASES

SEED = 7


@dataclass(frozen=True)
class Corpus:
    """A case: its dialect, its DDL or dump files, its statement files, and how many rows a table gets (None: it has data)."""

    name: str
    dialect: str
    schema: tuple[Path, ...]
    statements: tuple[Path, ...]
    rows: int | None


def corpora(shared: Path = CASES) -> tuple[Corpus, ...]:
    """All of them, in name order of their folders; nothing where the shared cases are not there."""
    queries, benchmarks = shared / "queries", shared / "benchmarks"
    found = [_job(queries / "join_order_benchmark"), *_exercises(queries / "pgexercises")]
    found += [_benchmark(folder) for folder in sorted(benchmarks.glob("*")) if folder.is_dir()]
    return tuple(each for each in found if all(file.exists() for file in (*each.schema, *each.statements)))


def _job(folder: Path) -> Corpus:
    return Corpus(folder.name, "sqlite", (folder / "schema.sql",), (folder / "queries.sql",), 150)


def _exercises(folder: Path) -> list[Corpus]:
    statements = (folder / "exercises.sql",)
    return [
        Corpus(f"{folder.name} (PostgreSQL)", "postgresql", (folder / "clubdata.sql",), statements, None),
        Corpus(f"{folder.name} (SQLite)", "sqlite", (folder / "clubdata.sqlite",), statements, None),
    ]


def _benchmark(folder: Path) -> Corpus:
    """PostgreSQL's DDL (several files: the longer name first, since the other builds on it), else MySQL's."""
    ddl = sorted(folder.glob("ddl-postgres*.sql"), key=lambda file: -len(file.name))
    dialect = "postgresql" if ddl else "mysql"
    workloads = sorted(folder.glob("workload*.sql"))
    return Corpus(folder.name, dialect, tuple(ddl or folder.glob("schema.sql")), tuple(workloads), 120)


class Engines:
    """The SQL servers, each started when it is first needed; every corpus gets a database of its own."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._urls: dict[str, str] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Engines:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def fresh(self, name: str, dialect: str) -> str:
        """The URL of an empty database."""
        plain = "".join(c if c.isalnum() else "_" for c in name.casefold())
        if dialect == "sqlite":
            return f"sqlite:///{self._scratch / plain}.sqlite"
        if dialect not in self._urls:
            server = postgresql_server() if dialect == "postgresql" else mariadb_server()
            self._urls[dialect] = self._stack.enter_context(server)
        url = sa.make_url(self._urls[dialect])
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {plain}"))
        return url.set(database=plain).render_as_string(hide_password=False)


@dataclass(frozen=True)
class Opened:
    """A corpus in a database: the URL, and its statements with values for their parameters."""

    corpus: Corpus
    url: str
    statements: tuple[Statement, ...]


def opened(corpus: Corpus, engines: Engines) -> Opened:
    """Create, fill, and choose parameters."""
    url = engines.fresh(corpus.name, corpus.dialect)
    found = tuple(_read_statements(corpus))
    if corpus.rows is None:
        _bring(corpus, url)
    else:
        _create(corpus, url)
        fill(url, [each.sql for each in found], corpus.dialect, rows=corpus.rows, seed=SEED)
    return Opened(corpus, url, with_samples(url, found, corpus.dialect))


def _read_statements(corpus: Corpus) -> Iterator[Statement]:
    several = len(corpus.statements) > 1
    for file in corpus.statements:
        text = file.read_text(encoding="utf-8")
        for block in blocks(text, corpus.dialect):
            if block.sql:
                yield Statement(f"{file.stem}: {block.name}" if several else block.name, block.sql, block.samples)


def _create(corpus: Corpus, url: str) -> None:
    """Run the DDL; what is no table, index or constraint of one (a view over data, a comment) may fail and is told."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        for file in corpus.schema:
            text = file.read_text(encoding="utf-8")
            for statement in ddl_statements(text, corpus.dialect):
                sql = text[statement.tokens[0].start : statement.tokens[-1].end]
                connection.exec_driver_sql(sql.replace("%", "%%") if corpus.dialect == "mysql" else sql)


def _bring(corpus: Corpus, url: str) -> None:
    """The case's own data: a SQLite file copied, a dump played in by `psql` without the database it would create."""
    (file,) = corpus.schema
    if corpus.dialect == "sqlite":
        shutil.copyfile(file, str(sa.make_url(url).database))
        return
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("CREATE DATABASE", "\\c"))]
    plain = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    command = ["psql", "--quiet", "--no-psqlrc", plain]
    subprocess.run(command, input="".join(kept), text=True, check=True, capture_output=True)
