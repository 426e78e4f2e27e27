"""How strictly a validator is applied: `validationLevel` and `validationAction`, as options of `create` and `collMod`."""

from __future__ import annotations

STRICT = {"validationLevel": "strict", "validationAction": "error"}
"""For a collection that is new, or whose documents all pass: the server refuses every wrong write."""
MODERATE = {"validationLevel": "moderate", "validationAction": "error"}
"""For a collection with documents that fail: these can still be updated, and the server checks all other writes."""
