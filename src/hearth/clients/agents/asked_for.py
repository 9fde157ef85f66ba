"""What an agent waits for a person's word about, out of the JSON of a view or an event."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable, Mapping
    from typing import Any


class Needed:
    """One thing that must be allowed."""

    __slots__ = ("by", "permission", "target", "why")

    def __init__(self, judged: Mapping[str, Any]) -> None:
        need = judged.get("need") or {}
        self.permission = str(need.get("permission", ""))
        self.target = str(need.get("target", ""))
        resolved = str(need.get("resolved", ""))
        why = str(need.get("why", ""))
        if self.target.startswith("/") and resolved and resolved != self.target:
            why = f"{why}, really {resolved}" if why else f"really {resolved}"
        self.why = why
        by = str(judged.get("by", ""))
        self.by = "" if by == "usual" else by
        """The rule that asks; empty: no rule says anything, and then people are asked."""


class AskedFor:
    """An approval that waits, wherever it was found."""

    __slots__ = ("agent", "approval", "at", "details", "is_cut", "needs", "offers", "tool", "why")

    def __init__(
        self,
        said: Mapping[str, Any],
        agent: str = "",
        at: str = "",
        fetch: Callable[[str], str] | None = None,
    ) -> None:
        """`said` is an approval of a view, or the event that asks for it.

        `fetch` gives the text that is kept under a hash; without it a long one is cut.
        """
        self.approval = str(said.get("approval", ""))
        self.tool = str(said.get("name") or "")
        """Empty: it is about whether the agent may go on at all."""
        self.why = str(said.get("why", ""))
        self.agent = str(said.get("agent") or agent)
        self.at = str(said.get("at") or at)
        details = said.get("details") or ""
        if isinstance(details, dict) and fetch is not None:
            details = fetch(str(details.get("sha256", "")))
        self.is_cut = isinstance(details, dict)
        """Whether only its beginning is here: the rest is kept elsewhere."""
        self.details = str(details.get("head", "")) if isinstance(details, dict) else str(details)
        self.needs = tuple(Needed(one) for one in said.get("judged") or ())
        self.offers = tuple(
            (str(one.get("permission", "")), str(one.get("pattern", "")))
            for one in said.get("offers") or ()
        )
        """What can be allowed for longer than once: permissions and patterns."""

    @property
    def patterns(self) -> list[str]:
        """The patterns alone, as they are said back."""
        return [pattern for _, pattern in self.offers]
