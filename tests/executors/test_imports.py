"""Each package of the executors can be imported first: no circle of imports that another order hides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nestling.executors

PACKAGES = sorted(each.parent.name for each in Path(nestling.executors.__file__).parent.glob("*/__init__.py"))


def test_each_is_imported_first() -> None:
    """In a process of its own."""
    running = {
        name: subprocess.Popen(
            [sys.executable, "-c", f"import nestling.executors.{name}"], stderr=subprocess.PIPE, text=True
        )
        for name in PACKAGES
    }
    said = {name: process.communicate()[1] for name, process in running.items()}
    assert {name: text for name, text in said.items() if running[name].returncode} == {}
