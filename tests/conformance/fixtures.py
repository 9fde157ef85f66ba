"""What the conformance suite wants to find on a server: tools, prompts and resources of its own.

They are put beside what the server has, and go through the same machinery: what a tool of hearth
does with a caller, a fixture does the same way.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp.server.lowlevel.server import Server
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmbeddedResource,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    Resource,
    ResourceTemplate,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
    Tool,
)

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.connections import Asked
from hearth.servers.mcp.protocol.eliciting import Question
from hearth.servers.mcp.protocol.erring import invalid, no_resource
from hearth.servers.mcp.protocol.wiring import Answers, Wire, asking_back

PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmM"
    "IQAAAABJRU5ErkJggg=="
)
WAV: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
NO_ARGUMENTS: Final = {"type": "object", "properties": {}}

Does = Callable[[Wire, Caller, Mapping[str, Any]], Awaitable[Any]]


@dataclass(frozen=True)
class Fixture:
    """A tool of the suite."""

    name: str
    does: Does
    schema: dict[str, Any] = field(default_factory=lambda: dict(NO_ARGUMENTS))


def said(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=is_error)


def embedded(uri: str, kind: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=kind, text=text))


class Fixtures:
    """The fixtures on one server."""

    def __init__(self, server: Server[Any], wire: Wire, tools: tuple[Fixture, ...]) -> None:
        self._wire = wire
        self._tools = {one.name: one for one in tools}
        self._own: dict[str, Any] = {}
        answered: tuple[tuple[str, type[RequestParams], Answers], ...] = (
            ("tools/list", PaginatedRequestParams, self._list_tools),
            ("tools/call", CallToolRequestParams, asking_back(self._call_tool)),
            ("resources/list", PaginatedRequestParams, self._list_resources),
            ("resources/templates/list", PaginatedRequestParams, self._list_templates),
            ("resources/read", ReadResourceRequestParams, self._read),
            ("prompts/list", PaginatedRequestParams, self._list_prompts),
            ("prompts/get", GetPromptRequestParams, asking_back(self._prompt)),
            ("completion/complete", CompleteRequestParams, self._complete),
            ("logging/setLevel", SetLevelRequestParams, self._set_level),
        )
        for method, params, answers in answered:
            entry = server.get_request_handler(method)
            self._own[method] = entry.handler if entry is not None else None
            server.add_request_handler(method, params, answers)
        schema_of = server.get_tool_input_schema

        def schema(name: str) -> Mapping[str, Any] | None:
            if name in self._tools:
                return self._tools[name].schema
            return schema_of(name) if schema_of is not None else None

        server.get_tool_input_schema = schema
        may = wire.subscriptions._may

        async def may_hear(asked: Asked, uri: str) -> bool:
            return uri.startswith("test://") or may is None or await may(asked, uri)

        wire.subscriptions._may = may_hear

    async def _mine(self, method: str, asked: Asked, params: Any, nothing: Any) -> Any:
        """What the server itself answers."""
        own = self._own[method]
        return nothing if own is None else await own(asked, params)

    # -- tools --------------------------------------------------------------------------------

    async def _list_tools(self, asked: Asked, params: Any) -> ListToolsResult:
        own = await self._mine("tools/list", asked, params, ListToolsResult(tools=[]))
        tools = [
            Tool(name=one.name, description="A fixture", input_schema=one.schema)
            for one in self._tools.values()
        ]
        both = sorted([*own.tools, *tools], key=lambda one: one.name)
        return ListToolsResult(tools=both, ttl_ms=1000, cache_scope="private")

    async def _call_tool(self, asked: Asked, params: CallToolRequestParams) -> Any:
        one = self._tools.get(params.name)
        if one is None:
            if self._own["tools/call"] is None:
                raise invalid(f"there is no tool {params.name}")
            return await self._own["tools/call"](asked, params)
        return await one.does(self._wire, self._wire.caller(asked), params.arguments or {})

    # -- resources ----------------------------------------------------------------------------

    async def _list_resources(self, asked: Asked, params: Any) -> Any:
        nothing = ListResourcesResult(resources=[])
        own = await self._mine("resources/list", asked, params, nothing)
        return own.model_copy(
            update={
                "resources": [
                    *own.resources,
                    *(
                        Resource(uri=uri, name=uri, description="A fixture", mime_type=kind)
                        for uri, kind in (
                            ("test://static-text", "text/plain"),
                            ("test://static-binary", "image/png"),
                            ("test://watched-resource", "text/plain"),
                        )
                    ),
                ]
            }
        )

    async def _list_templates(self, asked: Asked, params: Any) -> Any:
        nothing = ListResourceTemplatesResult(resource_templates=[])
        own = await self._mine("resources/templates/list", asked, params, nothing)
        one = ResourceTemplate(
            uri_template="test://template/{id}/data", name="template", description="A fixture"
        )
        return own.model_copy(update={"resource_templates": [*own.resource_templates, one]})

    async def _read(self, asked: Asked, params: ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        content: TextResourceContents | BlobResourceContents
        if uri in {"test://static-text", "test://watched-resource"}:
            text = "This is the content of the static text resource."
            content = TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        elif uri == "test://static-binary":
            content = BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        elif uri.startswith("test://template/") and uri.endswith("/data"):
            one = uri.removeprefix("test://template/").removesuffix("/data")
            data = {"id": one, "templateTest": True, "data": f"Data for ID: {one}"}
            content = TextResourceContents(
                uri=uri, mime_type="application/json", text=json.dumps(data)
            )
        elif self._own["resources/read"] is not None:
            return await self._own["resources/read"](asked, params)
        else:
            raise no_resource(uri, asked.protocol_version)
        return ReadResourceResult(contents=[content])

    # -- prompts and the rest -----------------------------------------------------------------

    async def _list_prompts(self, asked: Asked, params: Any) -> Any:
        own = await self._mine("prompts/list", asked, params, ListPromptsResult(prompts=[]))
        prompts = [
            Prompt(
                name=name,
                description="A fixture",
                arguments=[PromptArgument(name=one, required=True) for one in arguments],
            )
            for name, arguments in (
                ("test_simple_prompt", ()),
                ("test_prompt_with_arguments", ("arg1", "arg2")),
                ("test_prompt_with_embedded_resource", ("resourceUri",)),
                ("test_prompt_with_image", ()),
                ("test_input_required_result_prompt", ()),
            )
        ]
        return own.model_copy(update={"prompts": [*own.prompts, *prompts]})

    async def _prompt(self, asked: Asked, params: GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        contents: list[Any]
        match params.name:
            case "test_simple_prompt":
                contents = [TextContent(text="This is a simple prompt for testing.")]
            case "test_prompt_with_arguments":
                first, second = given.get("arg1"), given.get("arg2")
                text = f"Prompt with arguments: arg1='{first}', arg2='{second}'"
                contents = [TextContent(text=text)]
            case "test_prompt_with_embedded_resource":
                text = "Embedded resource content for testing."
                contents = [
                    embedded(given["resourceUri"], "text/plain", text),
                    TextContent(text="Please process the embedded resource above."),
                ]
            case "test_prompt_with_image":
                contents = [
                    ImageContent(data=PNG, mime_type="image/png"),
                    TextContent(text="Please analyze the image above."),
                ]
            case "test_input_required_result_prompt":
                schema = {"properties": {"context": {"type": "string"}}, "required": ["context"]}
                question = Question("What context should the prompt use?", schema)
                answer = await self._wire.caller(asked).elicit("user_context", question)
                contents = [TextContent(text=f"Prompt of {answer.content.get('context')}")]
            case _ if self._own["prompts/get"] is not None:
                return await self._own["prompts/get"](asked, params)
            case _:
                raise invalid(f"there is no prompt {params.name}")
        messages = [PromptMessage(role="user", content=one) for one in contents]
        return GetPromptResult(messages=messages)

    async def _complete(self, _: Asked, __: CompleteRequestParams) -> CompleteResult:
        return CompleteResult(completion=Completion(values=["paris", "park"], total=2))

    async def _set_level(self, _: Asked, __: SetLevelRequestParams) -> EmptyResult:
        return EmptyResult()


# -- tools that answer at once ----------------------------------------------------------------


async def simple_text(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    return said("This is a simple text response for testing.")


async def image(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    return CallToolResult(content=[ImageContent(data=PNG, mime_type="image/png")])


async def audio(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    return CallToolResult(content=[AudioContent(data=WAV, mime_type="audio/wav")])


async def resource(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    text = "This is an embedded resource content."
    return CallToolResult(content=[embedded("test://embedded-resource", "text/plain", text)])


async def mixed(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    text = json.dumps({"test": "data", "value": 123})
    return CallToolResult(
        content=[
            TextContent(text="Multiple content types test:"),
            ImageContent(data=PNG, mime_type="image/png"),
            embedded("test://mixed-content-resource", "application/json", text),
        ]
    )


async def error(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    return said("This tool intentionally returns an error for testing", is_error=True)


async def anything(_: Wire, __: Caller, ___: Mapping[str, Any]) -> CallToolResult:
    return said("done")


SCHEMA_2020: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

PLAIN: Final = (
    Fixture("test_simple_text", simple_text),
    Fixture("test_image_content", image),
    Fixture("test_audio_content", audio),
    Fixture("test_embedded_resource", resource),
    Fixture("test_multiple_content_types", mixed),
    Fixture("test_error_handling", error),
    Fixture("test_reconnection", anything),
    Fixture("json_schema_2020_12_tool", anything, SCHEMA_2020),
    Fixture(
        "test_custom_headers",
        anything,
        {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    ),
)
