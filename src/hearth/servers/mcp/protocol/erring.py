"""Errors of the protocol itself, each with the code and the data that clients look for.

What a tool could not do is no such error: that is a result, which the model reads.
"""

from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

NOT_FOUND_EARLIER = -32002
"""Of a resource that is not there, up to 2025-11-25."""


def lacks(capabilities: dict[str, Any], why: str) -> MCPError:
    """The client did not declare what this request cannot do without."""
    data = {"requiredCapabilities": capabilities}
    return MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, why, data)


def misnamed(why: str) -> MCPError:
    """A header says otherwise than the body."""
    return MCPError(HEADER_MISMATCH, why)


def invalid(why: str, data: Any = None) -> MCPError:
    """Parameters that cannot be meant."""
    return MCPError(INVALID_PARAMS, why, data)


def no_resource(uri: str, version: str) -> MCPError:
    """A resource that is not there, in the words of that revision of the protocol."""
    modern = version in MODERN_PROTOCOL_VERSIONS
    code = INVALID_PARAMS if modern else NOT_FOUND_EARLIER
    return MCPError(code, f"there is no resource {uri[:200]}", {"uri": uri[:2048]})
