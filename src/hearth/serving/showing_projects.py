"""The projects of a folder, as tools of others see them."""

import asyncio
from pathlib import Path

from hearth.servers.mcp.outside import FoundProjects
from hearth.settings.roots import find_projects, find_root_anyway


class ShownProjects:
    """Looks for projects, in a thread."""

    async def found(self, directory: str) -> FoundProjects:
        """Those of the root that this directory belongs to."""
        return await asyncio.to_thread(_found, Path(directory))


def _found(directory: Path) -> FoundProjects:
    root, broken = find_root_anyway(directory)
    projects = find_projects(root)
    return FoundProjects(
        root=str(root.path),
        source=root.source,
        projects=tuple(map(str, projects.paths)),
        notices=(*root.notices, *projects.notices, *map(str, broken)),
    )
