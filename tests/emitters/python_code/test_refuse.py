"""What an emitted module says of rows that break a constraint."""

from __future__ import annotations

import pytest

from nestling.emitters.python_code.write_support import refuse


def test_no_value_is_told() -> None:
    """A refused row is told by the columns that lack a value; a log that anybody reads holds no other value of it."""
    rows = [{"new_name": "a", "new_password": "pass-7"}, {"new_password": "pass-7"}]
    with pytest.raises(ValueError, match=r"^`user` does not allow NULL, name is NULL$"):
        refuse(rows, "`user` does not allow NULL", missing=("new_name", "new_password"))
    with pytest.raises(ValueError, match=r"^`user` has a row with the same id already$"):
        refuse(rows, "`user` has a row with the same id already")
