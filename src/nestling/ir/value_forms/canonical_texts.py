"""Types of PostgreSQL and MySQL that are kept as texts: the form in which equal values have equal texts."""

from __future__ import annotations

import re

_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
CANONICAL = {
    "inet": re.compile(rf"(?:{_BYTE}\.){{3}}{_BYTE}(?:/(?:3[01]|[12]?\d))?", re.ASCII),
    "bits": re.compile(r"[01]*", re.ASCII),
    "timetz": re.compile(r"\d\d:\d\d:\d\d(?:\.\d{0,5}[1-9])?[+-]\d\d(?::\d\d){0,2}", re.ASCII),
    "duration": re.compile(r"-?\d{2,3}:\d\d:\d\d(?:\.\d{6})?", re.ASCII),
    "macaddr": re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}", re.ASCII),
}
"""By type, a pattern for values as the databases write them; for addresses, IPv4 without a mask that covers everything.

Emitted modules have a copy of this.
"""
