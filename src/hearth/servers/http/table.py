"""The whole table of routes: the door's own, those of its streams and those for editors."""

from typing import Final

from hearth.servers.http.editors import operations as editors
from hearth.servers.http.routes import OPERATIONS, Operation
from hearth.servers.http.streams import operations as streams

TABLE: Final[tuple[Operation, ...]] = (*OPERATIONS, *streams.OPERATIONS, *editors.OPERATIONS)
