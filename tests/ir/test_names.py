"""One idea, one name: no two classes of `ir` are called the same."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import nestling.ir

ROOT = Path(nestling.ir.__file__).parent


def test_no_two_classes_have_one_name() -> None:
    """A class that other files may import has a name of its own within `ir`."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for each in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                places[each.name].append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
