"""Every example of the pages is run as it stands, and shows what is printed.

`REWRITE_EXAMPLES=1 pytest tests/docs/test_examples.py` writes what was printed into the pages; review the difference.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from sqlalchemy.engine import make_url

from nestling.common.server import Server
from scripts.pages import DOCS, ROOT
from tests.bundled_shop import write_shop
from tests.designed_once import designed_once
from tests.docs.session import Session, masked
from tests.servers import missing

NAME = "shop"
"""The database of all examples, as tables are as wide as names are long."""
NOTEBOOK = DOCS / "tutorials" / "notebook.md"
MEASURING = "\n## Measure\n"
"""Where the page's cells begin that take their time."""
POSTGRESQL = DOCS / "tutorials" / "postgresql.md"
PAGES = (
    DOCS / "quickstart.md",
    ROOT / "README.md",
    *(page for page in sorted((DOCS / "tutorials").glob("*.md")) if page not in (NOTEBOOK, POSTGRESQL)),
)


@pytest.fixture
def session(tmp_path: Path, mongod: Server, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Session]:
    """A shell in a folder that holds the shop and its workload, and a MongoDB whose database `shop` is empty."""
    write_shop(tmp_path)
    mongo_client.drop_database(NAME)
    with designed_once():
        yield Session(tmp_path, mongod.uri.replace("/?", f"/{NAME}?"), mongo_client[NAME])
    mongo_client.drop_database(NAME)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples_show_what_is_printed(path: Path, session: Session) -> None:
    """Run in order, the commands of a page print what the page shows; times, rates and addresses aside."""
    page = path.read_text(encoding="utf-8")
    _need_jq(page)
    assert_shown(path, session.run(page))


def test_examples_with_postgresql_show_what_is_printed(session: Session, sql: str) -> None:
    """The page that starts at a PostgreSQL database does so too."""
    session.sql = sql
    page = POSTGRESQL.read_text(encoding="utf-8")
    _need_jq(page)
    assert_shown(POSTGRESQL, session.run(page))


def _need_jq(page: str) -> None:
    """Skip where a page's commands use jq and there is none; fail where that may not be."""
    if "jq " in page and shutil.which("jq") is None:
        missing("jq is not installed")


def test_cells_show_what_a_notebook_shows(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells of the notebook's page show what the page has, as far as nothing is measured."""
    monkeypatch.chdir(session.folder)
    page = NOTEBOOK.read_text(encoding="utf-8")
    at = page.index(MEASURING)
    assert_shown(NOTEBOOK, session.run_cells(page[:at]) + page[at:])


@pytest.mark.soak
def test_cells_that_measure_show_which_designs(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells do; of measured designs, which they are."""
    monkeypatch.chdir(session.folder)
    assert_shown(NOTEBOOK, session.run_cells(NOTEBOOK.read_text(encoding="utf-8")))


def assert_shown(path: Path, found: str) -> None:
    """The page is as found, or becomes so when it is to be rewritten."""
    text = path.read_text(encoding="utf-8")
    if os.environ.get("REWRITE_EXAMPLES"):
        path.write_text(found, encoding="utf-8")
    assert masked(found) == masked(text)


@pytest.fixture
def sql(postgresql: str) -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    psycopg = pytest.importorskip("psycopg")
    server = make_url(postgresql).set(drivername="postgresql")
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {NAME} ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' TEMPLATE template0")
        yield server.set(database=NAME).render_as_string(hide_password=False)
        connection.execute(f"DROP DATABASE {NAME} WITH (FORCE)")
