"""Values of a server's dates and moments that are not dates: texts of one form, and no others."""

from __future__ import annotations

from nestling.ir.types import Type, TypeName

FAR_DATE = Type(TypeName.TEXT, carried="far date")
"""PostgreSQL's before year 1 or after 9999, and the infinite ones among them."""
ZERO_DATE = Type(TypeName.TEXT, carried="zero date")
"""MySQL's of the year, month or day zero."""
