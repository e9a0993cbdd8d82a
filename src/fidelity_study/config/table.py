"""Pages that the code gives: ``python -m fidelity_study.config.table``.

Tables of keys, made from their list and the options, are ``config/README.md`` and one in the README
of the dataset folder ``tabular``. The page of the codebook is made of its tables, and the table of
a dataset's files in ``results/README.md`` of what modules say of the schemas in them.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.uses.base import of_answers
from fidelity_study.config import keys
from fidelity_study.config.schema import allowed
from fidelity_study.reading.codebook import tables
from fidelity_study.reading.tabular import reading_options
from fidelity_study.report.figures import BY_DEFAULT, ON_REQUEST
from fidelity_study.root import ROOT
from fidelity_study.steps.registry import STEPS, TABLES, TABLES_OF_EVALUATIONS, Table, file_of

TABULAR = ROOT / "workflow" / "datasets" / "tabular" / "README.md"
CODEBOOK = ROOT / "docs" / "reference" / "codebook.md"
KEYS = "## Keys of a dataset\n\n"
README = ROOT / "config" / "README.md"
RESULTS = ROOT / "results" / "README.md"
FILES = "| file | rows and columns |\n|---|---|\n"
OVERRIDES = ("datasets.<name>.grid", "datasets.<name>.comparison")
HEAD = """# Config

One YAML file here is one study, but `audit.yaml` is for `make audit`. `config.yaml` is the default
study, and is what plain `snakemake` runs; for another one:

    snakemake --cores all --configfile config/my_study.yaml

A study's file replaces the default one as a whole; what it leaves out gets the defaults below.
Faults are reported all at once, before anything runs. Every value of `n`, `k`, `gamma`,
`discrepancy` and `confidence_set` is computed with every other, as far as they fit.

This page is made from `src/fidelity_study/config/keys.py` (`make docs`).

| key | meaning | allowed | default |
|---|---|---|---|
"""

CODEBOOK_HEAD = """# The codebook

`fidelity-curves start` writes three tables into the folder `NAME_codebook`; `codebook` in a config
names it, and `compare` takes and returns them. [Use your own data](../howto/own_data.md) shows how
they are used.

A cell with `?` is not decided, and no study runs before it is. A cell that you change precedes the
keys of a config, and the option that it was drafted from. If another option contradicts it, `start`
refuses both; a proposal that was accepted gives way to the option. This page is made from
`src/fidelity_study/reading/codebook/tables.py` (`make docs`).
"""


def table() -> str:
    """Return the whole page."""
    rows = [
        " | ".join([f"| `{key}`", meaning, allowed(schema), _default(schema), ""]).rstrip()
        for key, schema, meaning in _rows(keys.Study.schema, "")
    ]
    return HEAD + "\n".join(rows) + "\n"


def tabular_page() -> str:
    """Return the page of users' own files, with the table of the options that there are."""
    before, title, after = TABULAR.read_text(encoding="utf-8").partition(KEYS)
    intro, _, rest = after.partition("| key |")
    _, _, rest = rest.partition("\n\n")
    return f"{before}{title}{intro}{reading_options.table()}\n{rest}"


def codebook_page() -> str:
    """Return the page of the three tables of a codebook."""
    lines = [CODEBOOK_HEAD]
    for name, fields in tables.FIELDS.items():
        every = {**fields, **tables.OF_SCORES.get(name, {})}
        cells = [f"| `{field}` | {meaning} |" for field, meaning in every.items()]
        lines += [f"## {name}.csv\n", "| column | what it is |", "|---|---|", *cells, ""]
    uses = [f"| {use} | {meaning} | `{key}` |" for use, (key, meaning) in tables.USES.items()]
    lines += ["## Uses of a column\n", "| use | the column has | key |", "|---|---|---|", *uses, ""]
    reasons = [f"| {word} | {meaning} |" for word, meaning in tables.NO_OPTION.items()]
    lines += ["## What a text may mean besides an option\n", "| word | meaning |", "|---|---|"]
    return "\n".join([*lines, *reasons, ""])


def results_page() -> str:
    """Return the page of a study's files: its tables, step after step, and what else it lists."""
    before, *lists = RESULTS.read_text(encoding="utf-8").split(FILES)
    in_order = sorted(TABLES, key=lambda table: [*STEPS].index(table.step))
    both = zip((in_order, TABLES_OF_EVALUATIONS), lists, strict=True)
    others = r"(?m)^\| `[^|]+\.(parquet|csv)` \|.*\n"
    return FILES.join(
        [before, *(_tables(tables) + re.sub(others, "", text) for tables, text in both)]
    )


def _tables(tables: list[Table]) -> str:
    """Return a row for the tables of each schema."""
    files: dict[str, list[str]] = {}
    for table in tables:
        paths = [path.format(n="<n>", asked="<simulator>") for path in table.files.values()]
        files.setdefault(table.place, []).extend(f"`{path}`" for path in paths)
    return "".join(f"| {', '.join(paths)} | {_said(place)} |\n" for place, paths in files.items())


def _said(place: str) -> str:
    """Return what a module's docstring says of a schema in it, ``module:NAME``."""
    docstring = ast.get_docstring(ast.parse(file_of(place).read_text(encoding="utf-8"))) or ""
    tables = docstring.partition("\n\nTables:\n")[2].partition("\n\n")[0]
    said = dict(re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", tables, re.MULTILINE))
    return " ".join(said[place.partition(":")[2]].split()).replace("|", r"\|")


def _rows(schema: dict, prefix: str) -> Iterator[tuple[str, dict, str]]:
    """Yield keys with their schemas and what they mean: all that have a text below them."""
    meanings = _meanings()
    for key, inner in schema.get("properties", {}).items():
        if meaning := meanings.get((schema.get("title", ""), key)):
            place = f"{prefix}{key}"
            yield place, inner, meaning
            if place not in OVERRIDES:
                yield from _rows(inner, f"{place}.")
                yield from _rows(inner.get("additionalProperties") or {}, f"{place}.<name>.")


@cache
def _meanings() -> dict[tuple[str, str], str]:
    """Return the text below each key, by the names of its mapping and of itself."""
    code = ast.parse(Path(str(keys.__file__)).read_text(encoding="utf-8"))
    fill = {
        "{uses}": ", ".join(of_answers()),
        "{by default}": ", ".join(BY_DEFAULT),
        "{on request}": ", ".join(ON_REQUEST),
        "{default discrepancies}": "; ".join(
            f"{name} for {', '.join(discrepancy.default_for)}"
            for name, discrepancy in DISCREPANCIES.items()
            if discrepancy.default_for
        ),
    }
    texts: dict[tuple[str, str], str] = {}
    for mapping in (node for node in code.body if isinstance(node, ast.ClassDef)):
        bases = [base.id for base in mapping.bases if isinstance(base, ast.Name)]
        texts |= {(mapping.name, key): text for (base, key), text in texts.items() if base in bases}
        for node, below in zip(mapping.body, mapping.body[1:], strict=False):
            match node, below:
                case ast.Assign(targets=[ast.Name(id=key)]), ast.Expr(ast.Constant(str(text))):
                    for mark, names in fill.items():
                        text = text.replace(mark, names)
                    texts[mapping.name, key] = " ".join(text.split())
    return texts


def _default(schema: dict) -> str:
    value = schema.get("default")
    value = value() if callable(value) else value
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
    CODEBOOK.write_text(codebook_page(), encoding="utf-8")
    RESULTS.write_text(results_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
