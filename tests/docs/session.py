"""A page's examples, run: commands in a shell, calls in MongoDB's shell, files that a page shows, and the cells of a notebook."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pymongo.database import Database

from nestling.ir.literals import shell
from tests.cli.commands import environment, nestling, told

LOCAL = "mongodb://localhost/shop"
LOCAL_SQL = "postgresql://localhost/shop"
_BLOCK = re.compile(r"^```(console|js|\w+ title=\"[^\"\n]+\")\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r"^```python\n(.*?)^```\n(?:\n(?:```text\n.*?^```|<div>\n.*?^</div>)\n)?", re.MULTILINE | re.DOTALL)
_UPDATE = re.compile(r"db\.(\w+)\.updateOne\((\{.*?\}), (\{.*\})\)")
_FIND = re.compile(r"db\.(\w+)\.findOne\((\{.*?\})\)")
_MASKS = (
    (re.compile(r"MongoDB \d+\.\d+\.\d+"), "MongoDB …"),
    (re.compile(r"\d+\.\d s\b"), "… s"),
    (re.compile(r"about \d+ s\b"), "about … s"),
    (
        re.compile(r"(?:…|[\d.,]+) m?s of server time in the capture, (?:…|[\d.,]+) m?s each time"),
        "… of server time in the capture, … each time",
    ),
    (re.compile(r"[\d,]+ rows/s, [\d,]+ MB"), "… rows/s, … MB"),
    (re.compile(r"'?mongodb://\S+"), "mongodb://…"),
    (
        re.compile(r"^note: (?:\d+ of \d+ decisions have no price|time ran out while alternatives).*\n", re.MULTILINE),
        "",
    ),
)
_HOW_FAR = re.compile(r"^\d+ s: .*\n", re.MULTILINE)
"""What a command says every half minute, as on a busy machine."""
_MEASURED = re.compile(r"<table>\n<caption>Rival designs, measured.*?^</div>", re.MULTILINE | re.DOTALL)
_NESTLING = re.compile(r"(nestling [^|&;<>()$`\\*?\[#~%!{}\n]+?)( ?[|;>](?:(?!nestling ).)*)?")
"""A command of ours that is its words, and what a shell does after it. It needs no process, of which each takes half a second."""
_OF_A_PROCESS = """nestling() { "$PYTHON" -m nestling "$@"; }
"""
_DONE_ALREADY = """nestling() { cat "$SAID/out"; cat "$SAID/err" >&2; return "$CODE"; }
"""
_PROGRAMS = """python() { "$PYTHON" "$@"; }
sqlite3() { "$PYTHON" -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.stdin.read())' "$@"; }
"""


@dataclass(slots=True)
class Session:
    """A shell in a folder, with a MongoDB behind `mongodb://localhost/shop`, a PostgreSQL database behind
    `postgresql://localhost/shop` where there is one, and the names of a notebook's cells.
    """

    folder: Path
    uri: str
    database: Database[dict[str, Any]]
    sql: str = LOCAL_SQL
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, page: str) -> str:
        """The page with what its commands print now."""
        return _BLOCK.sub(self._shown, page)

    def run_cells(self, page: str) -> str:
        """The page with what its cells show now."""
        return _CELL.sub(self._cell, page)

    def _shown(self, block: re.Match[str]) -> str:
        language, text = block[1], block[2]
        if " title=" in language:
            (self.folder / language.split('"')[1]).write_text(text, encoding="utf-8")
            return block[0]
        if language == "js":
            return f"```js\n{self._found(text) if '.findOne(' in text else self._updated(text)}```"
        commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        body = "".join(f"$ {command}\n{self._run(command)}" for command in commands)
        return f"```console\n{body}```"

    def _run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command[3:]
            return ""
        ours = _NESTLING.fullmatch(command)
        out = self._by_a_shell(command, _OF_A_PROCESS) if ours is None else self._here(ours[1], ours[2] or "")
        out = _HOW_FAR.sub("", out)
        shown = re.sub(
            r"'postgresql://[^\s']+/shop'", LOCAL_SQL, out.replace(self.uri, LOCAL).replace(f"'{LOCAL}'", LOCAL)
        )
        shown = re.sub(
            r"\n +with the password in place of `\*\*\*`, .*", "", shown
        )  # the page's address has no password
        return re.sub(r"postgresql://\S+/shop\b", LOCAL_SQL, shown)

    def _here(self, command: str, after: str) -> str:
        """What a command of ours writes that is run in this process, and then a shell that is handed that."""
        words = shlex.split(self._meant(command))[1:]
        apart = "|" in after or ">" in after
        ran = (nestling if apart else told)(*words, cwd=self.folder)
        if not after:
            return ran.out
        with TemporaryDirectory() as folder:
            for name, text in (("out", ran.out), ("err", ran.err)):
                (Path(folder) / name).write_text(text, encoding="utf-8")
            return self._by_a_shell(command + after, _DONE_ALREADY, SAID=folder, CODE=str(ran.code))

    def _meant(self, command: str) -> str:
        return command.replace(LOCAL, self.uri).replace(LOCAL_SQL, self.sql)

    def _by_a_shell(self, command: str, nestling: str, **changed: str) -> str:
        done = subprocess.run(
            ["bash", "-c", nestling + _PROGRAMS + self._meant(command)],
            cwd=self.folder,
            env=environment(PYTHON=sys.executable, **changed),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if "|" in command else subprocess.STDOUT,  # else its place would be chance
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return done.stdout

    def _updated(self, text: str) -> str:
        collection, which, change = _call(_UPDATE, text)
        assert self.database[collection].update_one(which, change).modified_count == 1
        return text

    def _found(self, text: str) -> str:
        collection, which = _call(_FIND, text)
        found = self.database[collection].find_one(which)
        return f"{text.splitlines()[0]}\n{shell(found)}\n"

    def _cell(self, block: re.Match[str]) -> str:
        """A cell with what a notebook shows of its last expression."""
        text = block[1].replace(f'"{LOCAL}"', f'"{self.uri}"')
        text = text.replace('"mongodb://localhost"', f'"{self.uri.replace("/shop?", "/?")}"')
        *before, last = ast.parse(text).body
        value = None
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(before, []), "cell", "exec"), self.names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), self.names)
        else:
            exec(compile(ast.Module([*before, last], []), "cell", "exec"), self.names)
        cell = f"```python\n{block[1]}```\n"
        if value is None:
            return cell
        shown = value._repr_html_() if hasattr(value, "_repr_html_") else f"```text\n{value!r}\n```"
        return f"{cell}\n{shown}\n"


def _call(pattern: re.Pattern[str], text: str) -> tuple[Any, ...]:
    """The collection and the arguments of a call in the shell's language."""
    found = pattern.match(text)
    assert found is not None, text
    return found[1], *(json.loads(re.sub(r"([{ ])(\$?\w+):", r'\1"\2":', part)) for part in found.groups()[1:])


def masked(page: str) -> str:
    """The page without what is another thing each time: times, rates, addresses, and the figures of a measured table."""
    for pattern, mask in _MASKS:
        page = pattern.sub(mask, page)
    return _MEASURED.sub(lambda table: " ".join(sorted(re.findall(r"<tr><td>(.*?)</td>", table[0]))), page)
