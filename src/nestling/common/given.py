"""What a caller gives, of the wrong kind: one form of words for it."""

from __future__ import annotations

from types import UnionType

from nestling.common.errors import InputError, Problem


def check_kind(given: object, kind: type | UnionType | tuple[type, ...], wanted: str, move: str) -> None:
    """Raise `InputError` where what is given is of another kind."""
    if not isinstance(given, kind):
        raise wrong_kind(given, wanted, move)


def wrong_kind(given: object, wanted: str, move: str, *, name: str = "") -> InputError:
    """The error of what is of another kind than is wanted; `name`: of the parameter."""
    return InputError(
        Problem(f"{f'`{name}`: ' if name else ''}expected {wanted}, not {type(given).__name__}", next_move=move)
    )
