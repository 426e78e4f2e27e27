"""How every document of ours is encoded and decoded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument

CODEC: CodecOptions[Any] = CodecOptions(uuid_representation=UuidRepresentation.STANDARD)
"""Decodes dates as naive datetimes in UTC."""
AS_STORED = CODEC.with_options(datetime_conversion=DatetimeConversion.DATETIME_AUTO)
"""Like `CODEC`, but decodes dates beyond the years 1 to 9999 as `DatetimeMS` instead of raising an error."""
RAW = AS_STORED.with_options(document_class=RawBSONDocument)
"""Like `AS_STORED`, but leaves documents undecoded."""
BsonDocument = Mapping[str, Any]
"""A document as the driver gives and takes it."""
