"""The JSON Schema of `hearth.jsonc`, for editors: made from the settings themselves."""

import json
from typing import Any, Final

import msgspec

from hearth.settings.checking import MAY_BE_NULL
from hearth.settings.families import FAMILIES, FREE, Family
from hearth.settings.schema import Settings

REFERENCE: Final = r"\{env:[A-Za-z_][A-Za-z0-9_]*\}"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The schema as an object."""
    made = msgspec.json.schema(Settings)
    groups = {name: _group(name, group) for name, group in made["$defs"].items()}
    whole = groups.pop("Settings")
    values, forms = msgspec.json.schema_components(
        [family.type for family in FAMILIES], ref_template="#/$defs/{name}"
    )
    for family, value in zip(FAMILIES, values, strict=True):
        said = {"description": family.description, **value}
        _put(whole["properties"], groups, family, said)
    return {"$schema": DIALECT, **whole, "$defs": groups | forms}


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _group(name: str, group: dict[str, Any]) -> dict[str, Any]:
    prefix = "session." if name == "Session" else ""
    keys = {key: _key(f"{prefix}{key}", one) for key, one in group["properties"].items()}
    return {
        "title": "hearth.jsonc" if name == "Settings" else name,
        "description": group["description"],
        "type": "object",
        "properties": keys,
        "additionalProperties": False,
    }


def _put(
    keys: dict[str, Any], groups: dict[str, Any], family: Family, said: dict[str, Any]
) -> None:
    """Put keys that people name themselves where they stand among the others."""
    first, *parts = family.parts
    for part in reversed(parts[1:]):
        said = _named(family, said) if part == FREE else _only(part, said)
    named = _named(family, said)
    if "$ref" not in keys.get(first, {"$ref": ""}):
        # Another family has its names there.
        inside = keys[first]["additionalProperties"]["properties"]
        inside |= named["additionalProperties"]["properties"]
    elif first in keys:
        # Some of the keys in it have names of their own.
        of_group = groups[keys[first]["$ref"].rpartition("/")[2]]
        of_group |= {key: one for key, one in named.items() if key != "type"}
    else:
        keys[first] = named


def _named(family: Family, said: dict[str, Any]) -> dict[str, Any]:
    """An object whose keys people name."""
    names = {"pattern": f"^{family.name}$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": said}


def _only(key: str, said: dict[str, Any]) -> dict[str, Any]:
    """An object with one key."""
    return {"type": "object", "properties": {key: said}, "additionalProperties": False}


def _key(name: str, key: dict[str, Any]) -> dict[str, Any]:
    """One key: on disk it is never null, as a rule, but left out."""
    if "$ref" in key or "allOf" in key:
        return {"$ref": key["$ref"] if "$ref" in key else key["allOf"][0]["$ref"]}
    forms = [form for one in key.pop("anyOf", []) for form in _forms(one)]
    if name not in MAY_BE_NULL:
        forms = [one for one in forms if one != {"type": "null"}]
    if key.get("default", "") is None:
        del key["default"]
    return key | (forms[0] if len(forms) == 1 else {"anyOf": forms} if forms else {})


def _forms(form: dict[str, Any]) -> list[dict[str, Any]]:
    if "enum" in form:
        return [form, {"type": "string", "pattern": REFERENCE}]
    return [_form(form)]


def _form(form: dict[str, Any]) -> dict[str, Any]:
    if form.get("type") == "integer" and "pattern" in form:
        # A size: a number of bytes, or a text of this form. A pattern is for texts alone.
        return form | {"type": ["integer", "string"]}
    if "pattern" in form:
        # What a reference to the environment stands for is not known before hearth starts.
        return form | {"pattern": f"{form['pattern']}|{REFERENCE}"}
    return form
