"""Loading: the rows of a source become the documents of a design, streaming, restartable, in constant memory.

`level`, `merge`, `parts` and the modules they use merge ordered streams; `document_code` compiles documents; `roots` and
`buckets` yield them; `units` lists the units of work; `writer` and `checkpoint` write them to the server without losing or
duplicating any.
"""

from nestling.executors.load.loading import load
from nestling.executors.load.report import LoadProgress, LoadReport
from nestling.executors.load.units import written_collections

__all__ = ["LoadProgress", "LoadReport", "load", "written_collections"]
