"""What a key of a config may hold, as JSON schema; and what is allowed, in words.

The words follow from the schema; ``allowed`` is written where they don't, or say more.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from math import inf
from typing import Any, ClassVar

from fidelity_study.reading.tabular.reading_options import either

BILLION = 1_000_000_000
BOOLEAN = {"type": "boolean"}
FEW = 5  # names that are told as alternatives; more are a list
LINE = r"^[^\n]*[^\s][^\n]*$(?!\n)"
SCRIPT = {"pattern": r"<(/[sS][cC][rR][iI][pP][tT]|!--)"}
WITHOUT_SCRIPT = ", without </script or <!--, which would break the report"


class Keys:
    """A mapping of a config. Attributes of a subclass are its keys; texts below say what they mean.

    Attributes:
        schema: its JSON schema.
    """

    schema: ClassVar[dict] = {"properties": {}}

    def __init_subclass__(cls, required: Iterable[str] = (), **more: Any) -> None:
        """Make the schema."""
        properties = {key: rule for key, rule in vars(cls).items() if isinstance(rule, dict)}
        cls.schema = {
            "title": cls.__name__,
            "type": "object",
            "additionalProperties": False,
            "required": list(required),
            "properties": {**cls.schema["properties"], **properties},
        } | more

    @classmethod
    def defaults(cls) -> dict:
        """Return the defaults of the keys that have one."""
        usual = {
            key: subschema["default"]
            for key, subschema in cls.schema["properties"].items()
            if "default" in subschema
        }
        return {
            key: value() if callable(value) else deepcopy(value) for key, value in usual.items()
        }


def part(keys: type[Keys], **more: Any) -> dict:
    """Return the schema of a mapping."""
    return keys.schema | more


def whole(least: int, most: int | None = None, **more: Any) -> dict:
    """Return the schema of a whole number."""
    return {"type": "integer"} | _stated(minimum=least, maximum=most) | more


def number(
    least: float | None = None,
    most: float | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    **more: Any,
) -> dict:
    """Return the schema of a number between bounds, which it may equal, but for above and below."""
    bounds = _stated(minimum=least, maximum=most, exclusiveMinimum=above, exclusiveMaximum=below)
    return {"type": "number"} | bounds | more


def end() -> dict:
    """Return the schema of an end of a range, infinite where there is none."""
    return any_of(number(), {"enum": (inf, -inf)}, allowed="a number, .inf or -.inf")


def string(allowed: str = "a text", **more: Any) -> dict:
    """Return the schema of a text."""
    return {"type": "string", "allowed": allowed} | more


def text(allowed: str = "a text", **more: Any) -> dict:
    """Return the schema of a text that is not empty."""
    return string(allowed, minLength=1, **more)


def line(most: int, **more: Any) -> dict:
    """Return the schema of a text of one line."""
    allowed = f"a text of one line, at most {most:,} characters"
    return string(allowed, pattern=LINE, maxLength=most) | more


def on_page(schema: dict) -> dict:
    """Return the schema of a text that a page may hold."""
    return schema | {"not": SCRIPT, "allowed": f"{schema['allowed']}{WITHOUT_SCRIPT}"}


def name(pattern: str, most: int, allowed: str) -> dict:
    """Return the schema of a name of at most so many signs."""
    return string(allowed, pattern=rf"^{pattern}$(?!\n)", maxLength=most)


def one_of(*names: str, **more: Any) -> dict:
    """Return the schema of one of some names."""
    return {"enum": names} | more


def among(names: Callable[[], Iterable[str]]) -> dict:
    """Return the schema of one of the names that there are by then."""
    return {"among": names}


def any_of(*schemas: dict, **more: Any) -> dict:
    """Return the schema of what any of several allows."""
    return {"anyOf": schemas} | more


def where(condition: dict, then: dict, other: dict, **more: Any) -> dict:
    """Return the schema of what is ``then`` if it meets a condition, and else another."""
    return {"if": condition, "then": then, "else": other} | more


def listed(
    items: dict, allowed: str, *, least: int = 1, most: int | None = None, **more: Any
) -> dict:
    """Return the schema of a list."""
    size = _stated(minItems=least or None, maxItems=most)
    return {"type": "array", "items": items, "allowed": allowed} | size | more


def several(
    items: dict, what: str, *, least: int = 1, most: int | None = None, **more: Any
) -> dict:
    """Return the schema of a list of different values; ``what`` calls them."""
    allowed = f"a list of {what}" + (f", at most {most}" if most else "")
    return listed(items, allowed, least=least, most=most, uniqueItems=True) | more


def mapping(values: dict, names: dict, allowed: str = "", **more: Any) -> dict:
    """Return the schema of a mapping from names that the user gives."""
    schema = {"propertyNames": names, "additionalProperties": values}
    return {"type": "object", "allowed": allowed} | schema | more


def allowed(schema: dict) -> str:
    """Say what is allowed.

    Examples:
        >>> allowed(whole(1, 30000)), allowed(number(above=0, most=1)), allowed(one_of("a", "b"))
        ('a whole number from 1 to 30000', 'a number above 0, up to 1', 'a or b')
    """
    match schema:
        case {"allowed": str(text)}:
            return text
        case {"among": names}:
            return f"one of {', '.join(names())}"
        case {"enum": names} if len(names) <= FEW:
            return either(names)
        case {"enum": names}:
            return f"one of {', '.join(names)}"
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "integer"}:
            return f"a whole number{_bounds(schema)}"
        case {"type": "number"}:
            return f"a number{_bounds(schema)}"
        case {"properties": _, "required": [_, *_] as required}:
            return f"a mapping with at least {_and(required)}"
        case {"properties": inner}:
            return f"a mapping with any of {_and([*inner])}{schema.get('also', '')}"
    return ""


def _bounds(schema: dict) -> str:
    match schema:
        case {"minimum": least, "maximum": most}:
            return f" from {_digits(least)} to {_digits(most)}"
        case {"minimum": least, "exclusiveMaximum": below}:
            return f" from {_digits(least)}, below {_digits(below)}"
        case {"minimum": least}:
            return f", {_digits(least)} or more"
        case {"exclusiveMinimum": above, "maximum": most}:
            return f" above {_digits(above)}, up to {_digits(most)}"
        case {"exclusiveMinimum": above, "exclusiveMaximum": below}:
            return f" between {_digits(above)} and {_digits(below)}"
        case {"exclusiveMinimum": above}:
            return f" above {_digits(above)}"
    return ""


def _digits(value: float) -> str:
    return "a billion" if value == BILLION else f"{value:.9f}".rstrip("0").rstrip(".")


def _and(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _stated(**bounds: float | None) -> dict:
    return {key: value for key, value in bounds.items() if value is not None}
