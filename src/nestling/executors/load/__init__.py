"""Loading: the rows of a source become the documents of a design, streaming, restartable, in constant memory.

`level`, `merge`, `parts` and what they name merge ordered streams; `document_code` compiles documents; `roots` and `buckets`
yield them; `units` says which there are; `writer` and `checkpoint` bring them to the server so that nothing is lost or doubled.
"""

from nestling.executors.load.loading import load
from nestling.executors.load.report import LoadProgress, LoadReport
from nestling.executors.load.units import written_collections

__all__ = ["LoadProgress", "LoadReport", "load", "written_collections"]
