"""Texts character by character: characters are code points."""

from __future__ import annotations

from nestling.emitters.mql.sql.constants import MqlValue


def characters(text: MqlValue) -> MqlValue:
    """The text's characters as an array."""
    return {
        "$map": {"input": {"$range": [0, {"$strLenCP": text}]}, "as": "at_", "in": {"$substrCP": [text, "$$at_", 1]}}
    }


def exchanged(text: MqlValue, old: MqlValue, new: MqlValue) -> MqlValue:
    """The text with each `old` character replaced by the `new` one at the same place, or removed where there is none."""
    place = {"$indexOfCP": [old, "$$this"]}
    other = {"$cond": [{"$eq": [place, -1]}, "$$this", {"$substrCP": [new, {"$max": [place, 0]}, 1]}]}
    step = {"$concat": ["$$value", other]}
    return {"$reduce": {"input": characters(text), "initialValue": "", "in": step}}
