"""How every document of ours is encoded and decoded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument

CODEC: CodecOptions[Any] = CodecOptions(uuid_representation=UuidRepresentation.STANDARD)
"""Dates come back naive, in UTC."""
AS_STORED = CODEC.with_options(datetime_conversion=DatetimeConversion.DATETIME_AUTO)
"""The same, but dates beyond the years 1 to 9999 become `DatetimeMS` instead of an error."""
RAW = AS_STORED.with_options(document_class=RawBSONDocument)
"""The same for documents that are kept undecoded."""
BsonDocument = Mapping[str, Any]
"""A document as the driver gives and takes it."""
