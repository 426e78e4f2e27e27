"""The forms one value takes: as text of SQL or JSON, as a BSON value, as bytes to compare. The type map is `ir/values.py`."""
