"""Moving between designs: what moves, under which names, how rows are found in the old design, what documents depend on."""

from nestling.planner.migration.assembly import assembly
from nestling.planner.migration.differences import differences, snapshots
from nestling.planner.migration.kept_forms import kept_forms
from nestling.planner.migration.places import held_ids, planned_places
from nestling.planner.migration.reach import reaches
from nestling.planner.migration.same_paths import same_paths
from nestling.planner.migration.staging import kept_collections, renamed, staged_names

__all__ = [
    "assembly",
    "differences",
    "held_ids",
    "kept_collections",
    "kept_forms",
    "planned_places",
    "reaches",
    "renamed",
    "same_paths",
    "snapshots",
    "staged_names",
]
