"""A digest of nouns, stored with work in progress, which may be resumed only for equal nouns."""

from __future__ import annotations

import hashlib

from nestling.ir.design import Design
from nestling.ir.values import Policy


def digest(*nouns: object) -> str:
    """64 hexadecimal digits; the same for equal nouns, in every process."""
    return hashlib.sha256(repr(nouns).encode()).hexdigest()


def stored_digest(design: Design, policy: Policy) -> str:
    """The digest of everything that decides how data is stored: model, collections, value forms. Indexes do not count."""
    return digest(design.model, design.collections, policy)
