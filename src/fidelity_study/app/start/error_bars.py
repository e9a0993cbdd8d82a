"""Error bars and paired tests, written beside the logs of evaluations."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from fidelity_study.app.start.logs import LogContents, LogRequest, logs_of, read
from fidelity_study.config.params import evaluation_page_step, evaluation_step
from fidelity_study.errors import DataError
from fidelity_study.reading.evals.rows import SCORES, rows_of
from fidelity_study.report.page import render
from fidelity_study.report.page.evaluation import SCHEMAS, Evaluation
from fidelity_study.steps import evaluation as steps
from fidelity_study.tables.common import as_read
from fidelity_study.tables.read_write import refuse_others, write_text

SUFFIX, WORDS = ".error_bars.json", "error_bars.md"


def main(files: list[str], options: dict[str, Any]) -> int:
    """Write the error bars of logs beside them, and say what they show; return 0.

    Raises:
        DataError: there are no logs, or they cannot be compared.
    """
    logs = logs_of(files)
    if logs is None:
        raise DataError(f"{', '.join(files)}: no log of inspect_ai or lm-evaluation-harness")
    request = LogRequest.of(files, logs, name="", out=None, options=options)
    contents = read(request)
    shown = evaluation_of(contents, request.dataset)
    words = render.evaluation_findings(shown)
    place = Path(os.path.commonpath([str(Path(log).parent) for log in logs]), WORDS)
    refuse_others(place, "## ")
    for path, text in [(place, words), *beside(contents, shown)]:
        write_text(path, text)
    print(words, f"wrote {place}, and {SUFFIX} beside each of {len(logs)} logs", sep="\n")
    return 0


def evaluation_of(contents: LogContents, name: str) -> Evaluation:
    """Return the evaluation of logs as a study's report has it."""
    step = evaluation_step(contents.study, "evaluation", name)
    rows: dict[str, Iterable[dict]] = {**rows_of(contents.logs)}
    study = steps.evaluation(pa.Table.from_pylist([*rows["scores"]], SCORES), step)
    rows |= {key: made for key, (made, _) in steps.rows_of(study).items()}
    tables = {key: as_read(rows[key], schema) for key, schema in SCHEMAS.items()}
    return Evaluation(name, evaluation_page_step(contents.study, name), tables)


def beside(contents: LogContents, shown: Evaluation) -> Iterable[tuple[Path, str]]:
    """Yield the file beside each log, and its text: the rows on its eval and its models."""
    for name, logs in contents.logs.items():
        for log in logs:
            models = {sample.model for sample in log.samples}
            rows = {
                "eval": name,
                "log": Path(log.path).name,
                "confidence": 1.0 - shown.step["test"]["alpha"],
                "means": [
                    row for row in shown.means if row["eval"] == name and row["model"] in models
                ],
                "differences": [
                    {**row, "settled": shown.is_settled(row)}
                    for row in shown.differences
                    if row["eval"] == name and models & {row["model"], row["baseline"]}
                ],
            }
            yield Path(f"{log.path}{SUFFIX}"), json.dumps(rows, indent=1, allow_nan=False) + "\n"
