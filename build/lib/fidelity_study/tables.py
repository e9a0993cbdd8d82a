"""The tables between the steps: one schema each, checked on every read and write.

A table is written beside its place and then moved there, so that a killed job never leaves a
file that looks complete.
"""

import csv
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.errors import DataError

HUMAN = "human"
NEW, SAME = "new", "same cluster"
REASONS = ["missing", "refused", "unparsable", "failed"]
LABEL = pa.dictionary(pa.int32(), pa.string())
NUMBERS = pa.list_(pa.float64())
STATED_FORM, DRAWS = "stated", "draws"
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")

OUTCOMES = pa.schema(
    [("scenario", LABEL), ("source", LABEL), ("value", pa.float64()), ("count", pa.float64())]
)
SCENARIOS = pa.schema(
    [
        ("scenario", pa.string()),
        ("cluster", pa.string()),
        ("kind", pa.string()),
        ("n_options", pa.int32()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("description", pa.string()),
        ("question", pa.string()),
        ("value", NUMBERS),
        ("option", pa.list_(pa.string())),
        ("score", NUMBERS),
        ("n_human", pa.float64()),
        ("n_effective", pa.float64()),
        ("weighted", pa.bool_()),
        ("respondents_repeat", pa.bool_()),
        ("people", pa.string()),
    ]
)
STATED = pa.schema(
    [("scenario", LABEL), ("source", LABEL), ("value", pa.float64()), ("probability", pa.float64())]
)
MISSING = pa.schema(
    [("scenario", LABEL), ("source", LABEL), ("reason", LABEL), ("count", pa.float64())]
)
PERSONAS = pa.schema(
    [("scenario", LABEL), ("persona", LABEL), ("value", pa.float64()), ("count", pa.float64())]
)
STATED_BY_PERSONA = pa.schema(
    [
        ("scenario", LABEL),
        ("source", LABEL),
        ("persona", LABEL),
        ("value", pa.float64()),
        ("probability", pa.float64()),
    ]
)
ASKED = pa.schema(
    [
        ("scenario", LABEL),
        ("respondent", pa.int32()),
        ("persona", LABEL),
        ("draw", pa.int32()),
        ("mode", LABEL),
        ("order", NUMBERS),
        ("key", pa.string()),
        ("request", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.list_(pa.string())),
        ("logprobs", NUMBERS),
        ("value", pa.float64()),
        ("share", NUMBERS),
        ("elsewhere", pa.float64()),
        ("reason", LABEL),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("model", LABEL),
    ]
)
HUMAN_SAMPLE = pa.schema(
    [("scenario", LABEL), ("replicate", pa.int16()), ("n_j", pa.float64()), ("count", NUMBERS)]
)
SIMULATED_SAMPLE = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        ("replicate", pa.int16()),
        ("k", LABEL),
        ("k_j", pa.float64()),
        ("share", NUMBERS),
    ]
)
CONFIDENCE_SET = pa.schema(
    [
        ("scenario", LABEL),
        ("replicate", pa.int16()),
        ("n_j", pa.float64()),
        ("confidence_set", LABEL),
        ("gamma", LABEL),
        ("gamma_j", pa.float64()),
        ("functionals", LABEL),
        ("share", NUMBERS),
        ("support", NUMBERS),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("radius", pa.float64()),
    ]
)
TAU = [Fraction(i, 100) for i in range(101)]
CELL = [
    ("replicate", pa.int16()),
    ("k", LABEL),
    ("confidence_set", LABEL),
    ("gamma", LABEL),
    ("discrepancy", LABEL),
]
PSEUDO_DISCREPANCY = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        *CELL,
        ("n_j", pa.float64()),
        ("k_j", pa.float64()),
        ("gamma_j", pa.float64()),
        ("plugin", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("gap", pa.float64()),
        ("oracle", pa.float64()),
    ]
)
QUANTILE = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("tau", pa.float64()),
        ("lower", pa.float64()),
        ("plugin", pa.float64()),
        ("upper", pa.float64()),
        ("certified_upper", pa.float64()),
        ("oracle", pa.float64()),
    ]
)
SUMMARY = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("m", pa.int32()),
        ("n_short", pa.int32()),
        ("k_short", pa.int32()),
        ("k_fewest", pa.int32()),
        ("k_most", pa.int32()),
        ("auc", pa.float64()),
        ("var_90", pa.float64()),
        ("cvar_90", pa.float64()),
        ("guarantee", LABEL),
        ("guarantee_level", pa.float64()),
        ("certified_var_90", pa.float64()),
        ("auc_plugin", pa.float64()),
        ("auc_oracle", pa.float64()),
        ("cvar_90_oracle", pa.float64()),
    ]
)
GUARANTEE = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("guarantee", LABEL),
        ("tau", pa.float64()),
        ("upper", pa.float64()),
    ]
)
LEVEL = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("m", pa.int32()),
        ("shared_people", pa.int32()),
        ("n_clusters", pa.int32()),
        ("icc", pa.float64()),
        ("design_effect", pa.float64()),
        ("guarantee", LABEL),
        ("level", pa.float64()),
        ("standard_error", pa.float64()),
        ("var_90", pa.float64()),
    ]
)
SAMPLE_SIZE = pa.schema(
    [
        ("simulator", LABEL),
        ("interval", LABEL),
        ("m", pa.int32()),
        ("k_max", pa.int32()),
        ("threshold", pa.float64()),
        ("k_hat", pa.int32()),
        ("kappa_hat", pa.float64()),
        ("certified_k", pa.int32()),
    ]
)
MEASURED = [
    ("nominal", pa.float64()),
    ("coverage", pa.float64()),
    ("standard_error", pa.float64()),
    ("worst_nominal", pa.float64()),
    ("worst", pa.float64()),
    ("worst_low", pa.float64()),
    ("worst_high", pa.float64()),
    ("p_value", pa.float64()),
]
AUDIT = pa.schema(
    [
        ("population", LABEL),
        ("simulator", LABEL),
        ("confidence_set", LABEL),
        ("discrepancy", LABEL),
        ("gamma", LABEL),
        ("bound", LABEL),
        *MEASURED,
        ("auc_ratio", pa.float64()),
        ("auc_ratio_error", pa.float64()),
        ("gap", pa.float64()),
    ]
)
AUDIT_CURVES = pa.schema(
    [
        ("guarantee", LABEL),
        ("m", pa.int32()),
        ("gamma", LABEL),
        ("known_wrong", pa.bool_()),
        ("tau", pa.float64()),
        ("claimed", pa.float64()),
        ("covered", pa.float64()),
        *MEASURED,
    ]
)
AUDIT_TESTS = pa.schema(
    [
        ("test", LABEL),
        ("function", LABEL),
        ("title", LABEL),
        ("hypothesis", LABEL),
        ("cases", LABEL),
        ("promise", LABEL),
        ("least", pa.float64()),
        ("most", pa.float64()),
        ("effect", pa.float64()),
        ("alternative", LABEL),
        ("studies", pa.int32()),
        ("rejected", pa.float64()),
        ("standard_error", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("p_value", pa.float64()),
    ]
)
PAIRWISE = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        ("other", LABEL),
        *CELL,
        ("n_j", pa.float64()),
        ("gamma_j", pa.float64()),
        ("lower", pa.float64()),
        ("plugin", pa.float64()),
        ("upper", pa.float64()),
        ("gap", pa.float64()),
    ]
)
SCORE = [
    ("k", LABEL),
    ("confidence_set", LABEL),
    ("gamma", LABEL),
    ("discrepancy", LABEL),
    ("score", LABEL),
    ("target", LABEL),
]
BAR = [
    ("m", pa.int32()),
    ("n_clusters", pa.int32()),
    ("effective_clusters", pa.float64()),
    ("estimate", pa.float64()),
    ("se", pa.float64()),
    ("df", pa.float64()),
    ("lower", pa.float64()),
    ("upper", pa.float64()),
]
MEANS = pa.schema(
    [
        ("simulator", LABEL),
        *SCORE,
        *BAR,
        ("se_clt", pa.float64()),
        ("se_cr1", pa.float64()),
        ("se_cr0", pa.float64()),
        ("se_paper", pa.float64()),
        ("warning", LABEL),
    ]
)
DIFFERENCES = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        *SCORE,
        *BAR,
        ("statistic", pa.float64()),
        ("p_value", pa.float64()),
        ("correlation", pa.float64()),
        ("warning", LABEL),
    ]
)
RANKS = pa.schema(
    [
        ("simulator", LABEL),
        *SCORE,
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("first", pa.int32()),
        ("last", pa.int32()),
        ("better_than", pa.list_(pa.string())),
        ("warning", LABEL),
    ]
)
VARIANCE = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("target", LABEL),
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("estimate", pa.float64()),
        ("se", pa.float64()),
        ("df", pa.float64()),
        ("total", pa.float64()),
        ("between", pa.float64()),
        ("clipped", pa.bool_()),
        ("within", pa.float64()),
        ("within_other", pa.float64()),
        ("reason", LABEL),
        ("cluster_inflation", pa.float64()),
        ("minimum_detectable_effect", pa.float64()),
        ("stated_effect", pa.float64()),
        ("scenarios_needed", pa.float64()),
        ("clusters_needed", pa.float64()),
        ("warning", LABEL),
    ]
)
PROPER_SCORES = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        ("score", LABEL),
        ("form", LABEL),
        ("k_fewest", pa.int64()),
        ("k_most", pa.int64()),
        ("m", pa.int32()),
        ("m_infinite", pa.int32()),
        ("n_clusters", pa.int32()),
        ("estimate", pa.float64()),
        ("se", pa.float64()),
        ("df", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("p_value", pa.float64()),
    ]
)
CALIBRATION = pa.schema(
    [
        ("simulator", LABEL),
        ("stated_for", LABEL),
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("people", pa.float64()),
        *[
            (f"{score}{end}", pa.float64())
            for score in ("brier", "log_score", "accuracy", "overconfidence", "ece")
            for end in ("", "_lower", "_upper")
        ],
        ("stated_zero", pa.float64()),
        ("ece_if_calibrated", pa.float64()),
        ("mce", pa.float64()),
        ("bins", pa.int32()),
        ("empty_bins", pa.int32()),
        ("thin_bins", pa.int32()),
        ("classwise_ece", pa.float64()),
        *[
            (f"brier_{part}", pa.float64())
            for part in (
                "reliability",
                "resolution",
                "uncertainty",
                "within_variance",
                "within_covariance",
            )
        ],
        ("skce", pa.float64()),
        ("skce_p_value", pa.float64()),
        ("skce_people", pa.int64()),
        ("reason", pa.string()),
    ]
)
RELIABILITY = pa.schema(
    [
        ("simulator", LABEL),
        ("value", pa.float64()),
        ("bin", pa.int32()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("people", pa.float64()),
        ("share", pa.float64()),
        ("confidence", pa.float64()),
        ("frequency", pa.float64()),
        ("frequency_lower", pa.float64()),
        ("frequency_upper", pa.float64()),
    ]
)
INTERVALS = pa.schema(
    [
        ("simulator", LABEL),
        ("family", LABEL),
        ("level", pa.float64()),
        ("m", pa.int32()),
        ("m_constant", pa.int32()),
        ("people", pa.float64()),
        ("coverage", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("clustered_lower", pa.float64()),
        ("clustered_upper", pa.float64()),
        ("width", pa.float64()),
        ("score", pa.float64()),
    ]
)
PLANNED_CELL = [
    ("simulator", LABEL),
    ("discrepancy", LABEL),
    ("confidence_set", LABEL),
    ("gamma", LABEL),
    ("width", pa.float64()),
]
PLANS = pa.schema(
    [
        *PLANNED_CELL,
        ("probability", pa.float64()),
        ("tail", pa.float64()),
        ("pilot_scenarios", pa.int32()),
        ("of_scenarios", pa.int32()),
        ("m", pa.int64()),
        ("n", pa.int32()),
        ("k", LABEL),
        ("cost", pa.float64()),
        ("bias", pa.float64()),
        ("calibration", pa.float64()),
        ("confidence", pa.float64()),
        ("noise", pa.float64()),
        ("scenario_sd", pa.float64()),
        ("smallest_width", pa.float64()),
        ("cheapest", pa.bool_()),
    ]
)
ISO_WIDTH = pa.schema([*PLANNED_CELL, ("k", LABEL), ("n", pa.int32()), ("m", pa.int64())])
COMPARISON = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        ("n", LABEL),
        *CELL,
        ("tau", pa.float64()),
        ("upper", pa.float64()),
    ]
)


def write(path: str | Path, table: pa.Table, schema: pa.Schema, study: dict) -> None:
    """Write ``table`` as Parquet with exactly ``schema``; ``study`` goes into its metadata."""
    table = table.select(schema.names).cast(schema)
    table = table.replace_schema_metadata({"fidelity": json.dumps(study, sort_keys=True)})
    with complete(path) as partial:
        pq.write_table(table, partial, compression="zstd")


def write_rows(path: str | Path, rows: list[dict], schema: pa.Schema, study: dict) -> None:
    """Write ``rows`` as :func:`write` does; columns that a row lacks are null in it."""
    write(path, pa.Table.from_pylist(rows, schema), schema, study)


def curve_rows(cell: dict, curve: np.ndarray, schema: pa.Schema) -> pa.Table:
    """Return a row for each of ``TAU``: the cell's keys, ``tau``, and ``curve`` as ``upper``."""
    columns = {key: [value] * len(TAU) for key, value in cell.items()}
    columns |= {"tau": [float(tau) for tau in TAU], "upper": curve}
    return pa.table(columns).select(schema.names).cast(schema)


def write_csv(path: str | Path, rows: list[dict], columns: list[str]) -> None:
    """Write ``rows`` as CSV for people's own tools; :func:`read_csv` reads it.

    A text that spreadsheets would run as a formula stands behind a single quote, as
    https://owasp.org/www-community/attacks/CSV_Injection advises; numbers are as they are.
    """
    with complete(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows({key: _inert(value) for key, value in row.items()} for row in rows)


def read_csv(path: str | Path) -> list[dict[str, str]]:
    """Return the rows that :func:`write_csv` wrote, all cells as texts."""
    with open(path, encoding="utf-8", newline="") as file:
        return [
            {
                key: value.removeprefix("'") if _is_formula(value) else value
                for key, value in row.items()
            }
            for row in csv.DictReader(file)
        ]


def _inert(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    """Whether a text is run by spreadsheets, or would be without the single quotes before it."""
    return text.lstrip("'").startswith(FORMULAS)


@contextmanager
def complete(path: str | Path) -> Iterator[Path]:
    """Give a place beside ``path`` to write to; move it there once all is written."""
    path = Path(path)
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """Read a table, or some of its ``columns``, and check that it has ``schema``."""
    try:
        with pq.ParquetFile(path) as file:
            found, table = file.schema_arrow, file.read(columns)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path}: cannot be read; delete it and run again ({error})") from error
    if not found.equals(schema, check_metadata=False):
        raise DataError(
            f"{path}: columns are not those of this version "
            f"({', '.join(found.names)}); delete the file and run again"
        )
    return table


def read_all(paths: str | Path | list, schema: pa.Schema) -> pa.Table:
    """Read the tables of one or several steps, one below the other."""
    paths = [paths] if isinstance(paths, (str, Path)) else paths
    return pa.concat_tables([read(path, schema) for path in paths]).unify_dictionaries()


def metadata(path: str | Path) -> dict:
    """Return the study's settings that ``path`` was written with."""
    return json.loads(pq.read_schema(path).metadata[b"fidelity"])
