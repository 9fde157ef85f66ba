"""Which inputs were accepted lately, to recognise a repeated one before the log can be asked."""

from collections import OrderedDict
from typing import Final

from hearth.core.vocabulary.ids import InputId

MOST: Final = 1024
MOST_AT_REST: Final = 64
"""When nothing is on its way: an idle session should cost little."""


class RecentIds:
    """Ids with where their consequences begin, newest last."""

    def __init__(self) -> None:
        self._seqs: OrderedDict[InputId, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seqs)

    def seq(self, cause: InputId) -> int | None:
        """Where its consequences begin, if it was accepted lately."""
        return self._seqs.get(cause)

    def add(self, cause: InputId, seq: int, *, keep_all: bool) -> None:
        """Remember one more; while facts wait on disk, only we know their causes: keep them."""
        self._seqs[cause] = seq
        if len(self._seqs) > MOST and not keep_all:
            self._seqs.popitem(last=False)

    def rest(self) -> None:
        """Forget what the log knows."""
        if len(self._seqs) > MOST_AT_REST:
            # Made anew, because a mapping that was large once keeps its room; and by half, so
            # that it is not done for every command.
            self._seqs = OrderedDict(list(self._seqs.items())[-MOST_AT_REST // 2 :])
