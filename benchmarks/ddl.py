"""Every DDL file of a folder read into a model; prints a Markdown table of what the file declares beside what the model has.

    .venv/bin/python -m benchmarks.ddl [FOLDER]

The file's own counts come from plain regular expressions over its text, independent of the reader.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from nestling.sources.ddl import read_ddl
from tests import shared_cases
from tests.shared_cases import required

CASES = shared_cases.CASES / "ddl"
TABLE = re.compile(r"^\s*CREATE\s+(?:UNLOGGED\s+)?TABLE\b", re.IGNORECASE | re.MULTILINE)
PARTITION = re.compile(r"\bPARTITION\s+OF\b", re.IGNORECASE)
REFERENCE = re.compile(r"\bREFERENCES\s+[\w`\"\[]", re.IGNORECASE)
CHECK = re.compile(r"\bCHECK\s*\(", re.IGNORECASE)
PROSE = re.compile(r"--[^\n]*|'(?:[^'\\]|''|\\.)*'")  # comments and strings talk about references, too
HEAD = (
    "file",
    "tables",
    "entities",
    "partitions",
    "references",
    "relationships",
    "N:M",
    "1:1",
    "CHECKs",
    "carried",
    "gaps",
    "seconds",
)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    folder = required(parser.parse_args().folder)
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for path in sorted(folder.glob("*/schema.sql")):
        text = path.read_text(encoding="utf-8", errors="replace")
        began = time.perf_counter()
        reading = read_ddl(text, path.parent.name, origin=path.name)
        seconds = time.perf_counter() - began
        model = reading.model
        cells = (
            path.parent.name,
            len(TABLE.findall(text)),
            len(model.entities),
            len(PARTITION.findall(text)),
            len(REFERENCE.findall(PROSE.sub("", text))),
            len(model.relationships),
            len(model.many_to_many),
            sum(link.cardinality == "1:1" for link in model.relationships),
            len(CHECK.findall(PROSE.sub("", text))),
            sum(each.allowed is not None for entity in model.entities for each in entity.attributes),
            len(reading.gaps),
            f"{seconds:.2f}",
        )
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
