"""Every SQLite database of a folder × every strategy: inspect, design, load, verify; prints a Markdown table.

    .venv/bin/python -m benchmarks.cases [FOLDER] [--strategy NAME …]

FOLDER holds one sub-folder per database with `*.sqlite` or `*.sqlite.xz`, and a `workload.sql` where there is one; by default
the shared cases (`docs/cases.md`). Each load runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from nestling.common.server import open_server
from nestling.ir.text import write_proposal
from nestling.pipeline import design, inspect
from nestling.strategies import strategy_names
from tests import shared_cases
from tests.shared_cases import required

CASES = shared_cases.CASES / "sql"
HEAD = (
    "database",
    "strategy",
    "collections",
    "rows",
    "inspect s",
    "design s",
    "load s",
    "rows/s",
    "peak MB",
    "verify s",
    "equal",
)


def main() -> int:
    """Run and print; 1 when anything is not equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    parser.add_argument("--strategy", action="append", choices=strategy_names())
    options = parser.parse_args()
    required(options.folder)
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    equal = True
    with open_server() as server, tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(path for path in options.folder.iterdir() if path.is_dir()):
            for strategy in options.strategy or strategy_names():
                equal &= _case(folder, strategy, server.uri, Path(scratch))
    return 0 if equal else 1


def _case(folder: Path, strategy: str, uri: str, scratch: Path) -> bool:
    database = unpacked(folder, scratch)
    workload = folder / "workload.sql"
    began = time.perf_counter()
    reading = inspect(f"sqlite:///{database}", workload=workload if workload.exists() else None)
    inspected = time.perf_counter()
    proposal = design(reading, strategy)
    designed = time.perf_counter()
    file = scratch / "design.yaml"
    file.write_text(write_proposal(proposal), encoding="utf-8")
    target = uri.replace("/?", f"/bench_{folder.name}_{strategy}?")
    found = _nestling(
        "load", str(file), "--from", f"sqlite:///{database}", "--to", target, "--replace", "--no-verify", "--json"
    )
    loaded = time.perf_counter()
    checked = _nestling("verify", str(file), "--from", f"sqlite:///{database}", "--to", target, "--json")
    verified = time.perf_counter()
    rows = sum(each["rows"] for each in checked["entities"].values())
    cells = (
        folder.name,
        strategy,
        len(proposal.design.stores),
        f"{rows:,}",
        f"{inspected - began:.2f}",
        f"{designed - inspected:.2f}",
        f"{found['seconds']:.2f}",
        f"{rows / found['seconds']:,.0f}",
        f"{found['peak_bytes'] / 1e6:,.0f}",
        f"{verified - loaded:.2f}",
        "yes" if checked["equal"] else "NO",
    )
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return bool(checked["equal"])


def unpacked(folder: Path, scratch: Path) -> Path:
    """The SQLite database of a case, unpacked into `scratch` where it is packed."""
    packed = next(folder.glob("*.sqlite.xz"), None)
    if packed is None:
        return next(folder.glob("*.sqlite"))
    database = scratch / packed.stem
    if not database.exists():
        with lzma.open(packed) as source, database.open("wb") as plain:
            shutil.copyfileobj(source, plain)
    return database


def _nestling(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-c", "from nestling.cli import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"{' '.join(arguments)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
