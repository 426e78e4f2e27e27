"""`docs/strategies.md`: the strategies, and the numbers they ask about."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

from nestling.ir.situation.thresholds import threshold_sources
from nestling.strategies import strategy_names
from scripts.pages._markdown import code, table

HEAD = """# Strategies

A strategy decides where every entity lives. `nestling design SOURCE --strategy NAME` picks one. The default, `optimal`, is not on
this page: it weighs costs ([how](optimizer.md)). Those below follow rules, and say which. They need no workload, and are what the
least-cost design is held against. All keep what [every design must keep](rules.md): each row has one home, what would
pass its bound is refused or warned of, nothing is lost.

"""
THRESHOLDS = """## Thresholds

The numbers the strategies ask about, and whose they are. Change one with `--threshold few=30`.

{table}
*Children* are the rows of one parent. Where the number of children is known as a distribution, its largest value and its
growth are compared, not the mean (A12). That a relationship grows is declared in the model file, or inferred: the child has a
date, and the largest parent has many children, far above the mean. What the workload inserts, less what it deletes, is taken
for growth too, over `growth_days`. A `maximum` that the model file declares holds: nothing that is inserted raises it, unless
the file says `grows: 1`. `grows: 0` says the same of a maximum that was measured. Where nobody counted, children that are
inserted while parents are not have no bound.

## What the workload changes

Without a workload `tree` judges by keys and constraints. With one
([how to write it](quickstart.md#3-tell-it-what-your-application-does)) it counts: which share of a child's reads come through
its parent, which reach it alone, how often it is written, and what must change atomically. `nestling explain design.yaml
RELATIONSHIP` shows each of these numbers beside the rule it was held against.

## Indexes

Each of these strategies adds an index for each unique group, for each reference, and for what statements filter by equality; each
names the statements it serves, and none is a prefix of another. Sorts, ranges and what an index costs on writes are weighed by
`optimal` alone.
"""


def page() -> str:
    """The page's text."""
    parts = [_strategy(name) for name in ("tree", *(name for name in strategy_names() if name != "tree"))]
    rows = [
        (code(name), f"{default:,.6f}".rstrip("0").rstrip("."), source) for name, default, source in threshold_sources()
    ]
    return HEAD + "\n".join(parts) + "\n" + THRESHOLDS.format(table=table(("name", "default", "whose number"), rows))


def _strategy(name: str) -> str:
    """The strategy's own docstring."""
    text = inspect.cleandoc(import_module(f"nestling.strategies.{name}").__doc__ or "")
    _, _, said = text.partition(": ")
    said = re.sub(r" \(`placement\.\w+`\)", "", said)
    return f"## {name}\n\n{said[:1].upper()}{said[1:]}\n"
