"""Tables of keys, made from the schema and the options: ``python -m fidelity_study.config.table``.

They are ``config/README.md`` and one in the README of the dataset folder ``tabular``.
"""

import json
from collections.abc import Iterator

import yaml

from fidelity_study.config.project import config_schema
from fidelity_study.reading.tabular import reading_options
from fidelity_study.root import ROOT

TABULAR = ROOT / "workflow" / "datasets" / "tabular" / "README.md"
KEYS = "## Keys of a dataset\n\n"
README = ROOT / "config" / "README.md"
HEAD = """# Config

One YAML file here is one study, but `audit.yaml` is for `make audit`. `config.yaml` is the default
study, and is what plain `snakemake` runs; for another one:

    snakemake --cores all --configfile config/my_study.yaml

A study's file replaces the default one as a whole; what it leaves out gets the defaults below.
Faults are reported all at once, before anything runs. Every value of `n`, `k`, `gamma`,
`discrepancy` and `confidence_set` is computed with every other, as far as they fit.

This page is made from `workflow/schemas/config.schema.yaml` (`make docs`).

| key | meaning | allowed | default |
|---|---|---|---|
"""


def table() -> str:
    """Return the whole page."""
    schema = config_schema()
    rows = [
        " | ".join(
            [f"| `{key}`", each.get("description", ""), each.get("allowed", ""), _default(each), ""]
        ).rstrip()
        for key, each in _keys(schema, schema["$defs"], "")
    ]
    return HEAD + "\n".join(rows) + "\n"


def tabular_page() -> str:
    """Return the page of users' own files, with the table of the options that there are."""
    before, title, after = TABULAR.read_text(encoding="utf-8").partition(KEYS)
    intro, _, rest = after.partition("| key |")
    _, _, rest = rest.partition("\n\n")
    return f"{before}{title}{intro}{reading_options.table()}\n{rest}"


def _keys(schema: dict, definitions: dict, prefix: str) -> Iterator[tuple[str, dict]]:
    for key, each in schema["properties"].items():
        meant = definitions[each["$ref"].rpartition("/")[2]] if "$ref" in each else {}
        yield f"{prefix}{key}", {**meant, **each}
        if "properties" in meant and not prefix:
            yield from _keys(meant, definitions, f"{key}.")
        if each.get("itemised"):
            yield from _keys(each, definitions, f"{prefix}{key}.")
        inner = each.get("additionalProperties")
        if isinstance(inner, dict) and "$ref" in inner:
            dataset = definitions[inner["$ref"].rpartition("/")[2]]
            yield from _keys(dataset, definitions, f"{prefix}{key}.<name>.")


def _default(each: dict) -> str:
    value = each.get("default")
    return "" if value in (None, {}) else f"`{_inline(value)}`"


def _inline(value) -> str:
    """Write a value on one line of YAML."""
    if isinstance(value, str) and "\n" in value:
        return json.dumps(value, ensure_ascii=False)
    return yaml.safe_dump(value, default_flow_style=True, width=200).removesuffix("\n...\n").strip()


def main() -> None:
    """Write the pages."""
    TABULAR.write_text(tabular_page(), encoding="utf-8")
    README.write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()
