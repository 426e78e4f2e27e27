"""Values that stand in a design file as text, such as the bound of an archive."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

from nestling.ir.types import Type, TypeName


def written_value(kind: Type, text: str) -> date | Decimal | str:
    """The conceptual value of that type; the text itself where it is none. A timestamptz without a zone is in UTC."""
    try:
        match kind.name:
            case TypeName.DATE:
                return date.fromisoformat(text[:10])
            case TypeName.TIMESTAMP:
                return datetime.fromisoformat(text)
            case TypeName.TIMESTAMPTZ:
                instant = datetime.fromisoformat(text)
                return instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)
            case TypeName.INTEGER | TypeName.DECIMAL | TypeName.FLOAT:
                return Decimal(text)
            case _:
                return text
    except (ValueError, InvalidOperation):
        return text
