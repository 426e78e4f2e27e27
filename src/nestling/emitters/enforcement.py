"""How strictly a validator is applied, and why."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.quantity_words import agreeing, counted


@dataclass(frozen=True, slots=True)
class Enforcement:
    """`validationLevel` and `validationAction` as the server takes them, and the reason in words."""

    level: str
    action: str
    reason: str

    def options(self) -> dict[str, object]:
        """As options of `create` and `collMod`."""
        return {"validationLevel": self.level, "validationAction": self.action}


NEW = Enforcement("strict", "error", "the collection is new: nothing in it can be wrong yet, and nothing wrong gets in")
UNCOUNTED = Enforcement(
    "moderate",
    "warn",
    "the collection holds documents nobody has checked: wrong writes are logged, none is refused, until they are counted",
)
CLEAN = Enforcement(
    "strict", "error", "every document in the collection passes, so no write is refused for an old fault"
)


def enforcement(*, exists: bool = False, failing: int | None = None) -> Enforcement:
    """Choose for a collection that is new, or exists with `failing` documents that break the validator (None: not counted)."""
    if not exists:
        return NEW
    if failing is None:
        return UNCOUNTED
    if failing == 0:
        return CLEAN
    they = agreeing(failing, "it", "they")
    reason = (
        f"{counted(failing, 'document')} {agreeing(failing, 'fails', 'fail')}: {they} can still be updated as"
        f" {agreeing(failing, 'it is', 'they are')}, while all others are checked on every write"
    )
    return Enforcement("moderate", "error", reason)
