"""A daemon as it comes, with one tool more, that does nothing: `python -m bench.nothing`."""

import sys
from collections.abc import Mapping
from functools import partial
from typing import Any
from unittest.mock import patch

from hearth.app import living
from hearth.performers.tools.tool import Outcome, Scene, Wanted
from hearth.serving import main, running


class Nothing:
    """Answers at once."""

    name = "nothing"
    description = "Does nothing."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"number": {"type": "integer"}},
        "required": ["number"],
        "additionalProperties": False,
    }
    read_only = False

    def is_offered(self, scene: Scene) -> bool:
        """Everywhere."""
        del scene
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """Nothing: what is measured is what happens around it."""
        del arguments, scene
        return Wanted()

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Do nothing."""
        del scene
        return Outcome(f"ok {arguments['number']}")


if __name__ == "__main__":
    with patch.object(running, "living", partial(living, tools=(Nothing(),))):
        sys.exit(main.main([]))
