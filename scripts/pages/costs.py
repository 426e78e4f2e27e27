"""`docs/costs.md`: what work costs, coefficient by coefficient."""

from __future__ import annotations

import inspect
import re

from nestling.cost import Profile, default_profile
from nestling.ir.paths.work import Work
from scripts.pages._markdown import code, table

HEAD = """# Costs

What a design costs is counted first and priced second. The planner counts *work*: physical quantities such as index seeks,
documents fetched, array elements unwound, bytes sent. A *profile* prices each quantity in seconds of server and client time; the
sum is what the optimizer minimises, each statement times its rate.

Every coefficient has a unit, a source and a doubt (relative spread; ±100 % means no better than an order of magnitude). The
numbers below ship with nestling. Yours are better: `nestling calibrate URI -o profile.yaml` measures them on your server in two
or three minutes, in scratch databases that it drops. A profile of another server version or engine is used with a note.

How well predictions meet measurements on statements no fit saw is in [the results](results.md).

"""
TAIL = """## The cache

A document that the server's cache does not hold is read from disk (`cold_pages`). The cache that prices assume is the
profile's: 0.5 GiB in those that ship, your server's in a profile that `calibrate` made. `design` and `prove` take another one
with `--cache 16GB`.

What is touched most stays in a cache. So it is filled with the rows of the entity whose bytes the workload touches most often
a second, then of the next one, until it is full. What is left is on disk: of each entity its own share, whatever the design
is. A large table that is read once a day therefore takes no room from a small one that is read all the time. Where the data
exceed the cache, `design` says so in a note and names what is read from disk, and `explain` repeats it. Indexes are taken to
be in memory.

The check of a foreign key touches the parent of each new row. A document that one statement looks up again is read from disk
once. The price of a compiled query counts reads from disk in the same way.

## Busy parents

A relationship that is declared or measured to grow has busy parents, and these are read most: the feed of a busy project, the
inbox of a busy person. A statement that asks for the children of one parent is taken to ask for a parent of an average
*child*, not for an average parent. How many more children that one has is told by the quantiles of fan-out. Of other
relationships every parent is asked for alike.

## What is not in it

- Writes are priced for the work they make, not for how long a commit waits to be safe on disk or on other members.
- Locks: under MMAPv1 a write locks its whole collection; no price per operation can say that.
- Rows are estimated from counts, distinct values, NULL shares, fan-outs, and how values lie: the most common ones with their
  shares, and quantiles of the others. Where a value is not known – a parameter without a sample, a column of long texts – a range
  is taken to keep a third (both ends given: a twentieth) and a pattern a tenth; predicates are taken to be independent.
- Groups are as many as the different values of what groups them. A column that follows from another one makes no more groups:
  one of a row whose key is there, or of its parent. There are no more groups than rows of that table are reached.
"""


def page() -> str:
    """The page's text."""
    quantities = "\n".join(f"- {code(name)}: {said}" for name, said in _quantities().items())
    parts = [HEAD, "## Quantities\n\n", quantities, "\n\n"]
    parts += [_profile(default_profile(engine)) for engine in ("wiredtiger", "mmapv1")]
    return "".join([*parts, TAIL])


def _quantities() -> dict[str, str]:
    """What each field of `Work` counts, as its comment says."""
    found = re.findall(r"^    (\w+): float = 0\.0  # (.+)$", inspect.getsource(Work), re.MULTILINE)
    return dict(found)


def _profile(profile: Profile) -> str:
    identity = profile.identity
    said = f"MongoDB {identity.server}, {identity.engine}, {identity.hardware}."
    note = f" {profile.note[:1].upper()}{profile.note[1:]}." if profile.note else ""
    stored = f" A byte of data takes {profile.compression:g} bytes on disk."
    rows = [
        (code(each.name), f"{each.seconds:.3g}", each.unit, f"±{each.doubt:.0%}", each.source)
        for each in profile.coefficients
    ]
    head = ("quantity", "seconds", "unit", "doubt", "source")
    return f"## {profile.name}\n\n{said}{stored}{note}\n\n{table(head, rows)}\n"
