"""The cache size that prices assume: replaces the profile's size, and says when the data exceed it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.once import once
from nestling.ir.proposal import CACHE_ASSUMED
from nestling.ir.quantity_words import first_of, size

if TYPE_CHECKING:
    from nestling.cost import Profile
    from nestling.ir.reading import Reading
    from nestling.ir.situation import Situation
    from nestling.planner.work.cold_reads import ColdShares

MOST_NAMED = 3
"""Entities named that are read from disk."""


def with_cache(profile: Profile | None, cache_bytes: float | None) -> Profile | None:
    """Return the profile (by default the one that ships) with this cache size, or unchanged if no size is given."""
    from nestling.cost import default_profile

    if cache_bytes is None:
        return profile
    of = profile or default_profile()
    return replace(of, identity=replace(of.identity, cache_bytes=cache_bytes))


def rows_on_disk(reading: Reading, profile: Profile) -> ColdShares:
    """The rows a profile's cache does not hold under a reading's workload; found once for a reading."""
    return _rows_on_disk(reading, profile.identity.cache_bytes)


@once
def _rows_on_disk(reading: Reading, cache_bytes: float) -> ColdShares:
    from nestling.ir.situation import Thresholds, situation
    from nestling.planner.options.sizes.cold_reads import cold_shares
    from nestling.planner.options.sizes.sizes import Sizes

    known = situation(reading, Thresholds())
    return cold_shares(known, Sizes(known), cache_bytes)


def cache_note(known: Situation, profile: Profile) -> Iterator[str]:
    """Yield a note if the workload's data exceed the cache: what is read from disk, largest part first."""
    from nestling.planner.options.sizes.cold_reads import cold_shares, data_bytes, touched_rows
    from nestling.planner.options.sizes.sizes import Sizes

    sizes, cache = Sizes(known), profile.identity.cache_bytes
    cold = cold_shares(known, sizes, cache).shares
    if not cold:
        return
    touched = touched_rows(known, sizes)
    names = sorted(cold, key=lambda name: (-cold[name] * touched[name], name))
    told = first_of([f"{_share(cold[name])} of `{name}`" for name in names], MOST_NAMED)
    assumed = f"{CACHE_ASSUMED}{size(cache)} for {size(data_bytes(known, sizes))} of data"
    yield f"{assumed}, so {told} is read from disk; if your server's cache has another size, give it: `--cache 16GB`"


def _share(share: float) -> str:
    return "all" if share > 0.995 else f"{share:.0%}"
