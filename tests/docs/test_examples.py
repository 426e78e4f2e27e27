"""Every ```console block of the pages is run as it stands, and shows what is printed.

`REWRITE_EXAMPLES=1 pytest tests/docs/test_examples.py` writes what was printed into the pages; review the difference.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.emitters.literals import shell
from nestling.shop import create_shop, workload
from scripts.pages import DOCS, ROOT
from tests.cli.commands import environment

PAGES = (DOCS / "quickstart.md", ROOT / "README.md")
LOCAL = "mongodb://localhost/shop"
_BLOCK = re.compile(r"^```(console|js)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_UPDATE = re.compile(r"db\.(\w+)\.updateOne\((\{.*?\}), (\{.*\})\)")
_FIND = re.compile(r"db\.(\w+)\.findOne\((\{.*?\})\)")
_MASKS = (
    (re.compile(r"MongoDB \S+ at mongodb://\S+ \([^)]*\), database \S+"), "MongoDB … at …, database …"),
    (re.compile(r"\d+\.\d s\b"), "… s"),
    (re.compile(r"[\d,]+ rows/s, [\d,]+ MB"), "… rows/s, … MB"),
    (re.compile(r"mongodb://\S+"), "mongodb://…"),
)
_NESTLING = 'nestling() { "$PYTHON" -m nestling "$@"; }\n'


class Session:
    """A shell in a folder, with a MongoDB behind `mongodb://localhost/shop`."""

    def __init__(self, folder: Path, uri: str, database: Database[dict[str, Any]]) -> None:
        self.folder, self.uri, self.database = folder, uri, database

    def shown(self, block: re.Match[str]) -> str:
        """The block with what its commands print now."""
        language, text = block[1], block[2]
        if language == "js":
            return f"```js\n{self._found(text) if '.findOne(' in text else self._updated(text)}```"
        commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        body = "".join(f"$ {command}\n{self._run(command)}" for command in commands)
        return f"```console\n{body}```"

    def _run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command[3:]
            return ""
        done = subprocess.run(
            ["bash", "-c", _NESTLING + command.replace(LOCAL, self.uri)],
            cwd=self.folder,
            env=environment(PYTHON=sys.executable),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if "|" in command else subprocess.STDOUT,  # else its place would be chance
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return done.stdout.replace(self.uri, LOCAL).replace(self.database.name, "shop")

    def _updated(self, text: str) -> str:
        collection, which, change = _call(_UPDATE, text)
        assert self.database[collection].update_one(which, change).modified_count == 1
        return text

    def _found(self, text: str) -> str:
        collection, which = _call(_FIND, text)
        found = self.database[collection].find_one(which)
        return f"{text.splitlines()[0]}\n{shell(found)}\n"


def _call(pattern: re.Pattern[str], text: str) -> tuple[Any, ...]:
    """The collection and the arguments of a call in the shell's language."""
    found = pattern.match(text)
    assert found is not None, text
    return found[1], *(json.loads(re.sub(r"([{ ])(\$?\w+):", r'\1"\2":', part)) for part in found.groups()[1:])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples_show_what_is_printed(
    path: Path, tmp_path: Path, target: str, database: Database[dict[str, Any]]
) -> None:
    """Run in order, the commands of a page print what the page shows; times, rates and addresses aside."""
    create_shop(tmp_path / "shop.db")
    (tmp_path / "workload.sql").write_text(workload(), encoding="utf-8")
    session, text = Session(tmp_path, target, database), path.read_text(encoding="utf-8")
    found = _BLOCK.sub(session.shown, text)
    if os.environ.get("REWRITE_EXAMPLES"):
        path.write_text(found, encoding="utf-8")
    assert _masked(found) == _masked(text)


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


@pytest.fixture
def target(mongod: Any, database: Database[dict[str, Any]]) -> str:
    """The URI of a fresh database."""
    return mongod.uri.replace("/?", f"/{database.name}?")
