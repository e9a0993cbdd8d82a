"""WorldValuesBench: 235 questions of the World Values Survey, wave 7, and four language models.

The people's answers are those that the paper's authors released, or in the survey's official file.
Questions have 2 to 10 options with scores in [-1, 1].
"""

import zipfile
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pandas as pd
import paper_release as release
import pyarrow as pa
from pyarrow import csv

from fidelity_study.errors import DataError
from fidelity_study.tables.ingest import HUMAN, UNDECIDED

INTERVIEW = "D_INTERVIEW"
LEFT_OUT = 858069901  # the interview that the authors leave out
NOT_ASKED = (-3.0, -4.0)
REASONS = {-1.0: UNDECIDED, -2.0: "refused", -5.0: "missing"}


def question_table(questions, scores, wording, step):
    """Return one row per question, its options by rising score; errors name the question."""
    rows = []
    for name in questions:
        if name not in scores or name not in wording:
            raise DataError(f"question {name} is not in scores.json and wording.json")
        options = sorted(scores[name].items(), key=lambda option: (option[1], int(option[0])))
        text, category = wording[name]["question"], wording[name]["category"]
        rows.append(
            {
                "scenario": name,
                "cluster": {"question": name, "category": category}[step["cluster"]],
                "description": text,
                "question": text,
                "value": [int(code) for code, _ in options],
                "option": [code for code, _ in options],
                "score": [float(score) for _, score in options],
            }
        )
    return pd.DataFrame(rows)


@contextmanager
def opened(path):
    """Open a CSV file, or the only one in a zip file."""
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        tables = [name for name in archive.namelist() if name.lower().endswith(".csv")]
        if len(tables) != 1:
            raise DataError(f"{path}: holds {len(tables)} CSV files, expected one")
        with archive.open(tables[0]) as file:
            yield file


def official_counts(path, questions, adjustment):
    """Count people's answer codes in the official file: question -> {code: n}."""
    with opened(path) as file:
        header = file.readline()
    delimiter = ";" if header.count(b";") > header.count(b",") else ","
    names = [name.strip().strip('"') for name in header.decode("utf-8-sig").split(delimiter)]
    used = [INTERVIEW, *questions]
    absent = [name for name in used if name not in names]
    if absent:
        raise DataError(f"{path}: has no column {absent[0]}; is it the file of wave 7?")
    with opened(path) as file:
        try:
            table = csv.read_csv(
                file,
                parse_options=csv.ParseOptions(delimiter=delimiter),
                convert_options=csv.ConvertOptions(
                    include_columns=used,
                    column_types=dict.fromkeys(used, pa.float64()),
                    null_values=["", " ", "NA", "NaN"],
                ),
            )
        except pa.ArrowInvalid as error:
            raise DataError(f"{path}: cannot be read as CSV ({error}); download it anew") from None
    kept = table.filter(pa.array(table[INTERVIEW].to_numpy() != LEFT_OUT))
    counts = {name: Counter() for name in questions}
    for name in questions:
        for cell in kept[name].value_counts().to_pylist():
            counts[name][adjusted(cell["values"], adjustment.get(name, {}))] += cell["counts"]
    return counts


def adjusted(code, changes):
    """Return a code as the authors recode it before anything else; None if it has no answer."""
    changed = "" if code is None else changes.get(str(int(code)), code)
    return None if changed == "" else float(changed)


def official_tallies(table, counts, path):
    """Return each question's tally as ``counted`` of the release's reader takes them."""
    for row in table.itertuples():
        given = dict(counts[row.scenario])
        answers = np.array([given.pop(float(code), 0) for code in row.value])
        missing = {"missing": given.pop(None, 0), "refused": 0, UNDECIDED: 0}
        for code in NOT_ASKED:
            given.pop(code, None)
        for code, reason in REASONS.items():
            missing[reason] += given.pop(code, 0)
        if given:
            raise DataError(
                f"{path}, column {row.scenario}: holds {next(iter(given)):g}, which is neither an "
                f"option ({', '.join(row.option)}) nor a code for a missing answer; "
                "is it the file of wave 7, version 6?"
            )
        yield row.scenario, HUMAN, answers, missing


def responses(step, files):
    questions = release.read_json(files.questions)
    table = question_table(
        questions, release.read_json(files.scores), release.read_json(files.wording), step
    )
    if "people" not in step["options"]:
        people = release.read_answers(files.people, files.sources)
        return release.verified_survey(table, people, files)
    counts = official_counts(files.people, questions, release.read_json(files.adjustment))
    people = official_tallies(table, counts, files.people)
    simulators = release.named_by_file(files.simulators)
    simulated = release.simulator_tallies(table, simulators, files.sources)
    return release.counted(table, [*people, *simulated], origin=files.people)
