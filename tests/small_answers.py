"""Files of the two published sets of answers, in their layouts: items, gaps and traps, few rows.

Models' files name a questionnaire's items in their own way, and those of the Big Five wrongly;
people's blanks are 0 or -1; of the twins' ranges one belongs to no outcome, two are documented
wrongly, and people leave gaps.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

PEOPLE, RUNS, PAIRS = 400, 320, 150
BIG_FIVE = {
    "E": "extraversion",
    "N": "neuroticism",
    "A": "agreeableness",
    "C": "conscientiousness",
    "O": "openness",
}
CYCLED = "03--with-history-questions-cycled"
# The headers of the models' files: E1 to E10, N1 to N10, C1, ..., and E1, N1, A1, C1, O1, E2, ...
HEADERS = {True: [f"{k}{i}" for i in range(1, 11) for k in "ENACO"]}
HEADERS[False] = [f"{k}{i}" for k in "ENCAO" for i in range(1, 11)]
# The item that each of their columns holds, as the repository's raw runs have it. True: of CYCLED.
ASKED = {False: [f"{k}{i}" for k in BIG_FIVE for i in range(1, 11)]}
REST = {k: [f"{k}{i}" for i in range(3, 11)] for k in BIG_FIVE}
ASKED[True] = ["E1", "E2", *REST["E"], "N1", *REST["N"], "A1", "N2", *REST["A"], "C1", "A2"]
ASKED[True] += [*REST["C"], "O1", "C2", *REST["O"], "O2"]
HUMOR = {"AFL": "affiliative", "SEE": "selfenhancing", "AGE": "aggressive", "SED": "selfdefeating"}
STUDIES = 6
OUTCOMES = 4


def drawn(generator: np.random.Generator, rows: int, items: list[str]) -> pd.DataFrame:
    """Return answers from 1 to 5, each item with shares of its own."""
    shares = generator.dirichlet(np.full(5, 2.0), len(items))
    columns = {
        item: generator.choice(5, rows, p=share) + 1.0
        for item, share in zip(items, shares, strict=True)
    }
    return pd.DataFrame(columns)


def items(questionnaire: str) -> pd.DataFrame:
    """Return people's and the models' name of an item, in people's order, and its trait."""
    if questionnaire == "big_5":
        rows = [
            (f"{k}{i}", f"{k}{i}", trait) for k, trait in BIG_FIVE.items() for i in range(1, 11)
        ]
    else:
        keys = list(HUMOR) * 8
        rows = [(f"Q{i}", f"{key}{i}", HUMOR[key]) for i, key in enumerate(keys, 1)]
    return pd.DataFrame(rows, columns=["people", "models", "trait"])


def write_questionnaire(mirror: Path, name: str, blank: float, files: list[str]) -> None:
    """Write items, people's answers and those of the models."""
    generator, found = np.random.default_rng(len(name)), items(name)
    questions = [
        {"id": i + 1, "content": f"Statement {item}.", "dimension": trait}
        for i, (item, trait) in enumerate(zip(found["people"], found["trait"], strict=True))
    ]
    folder = mirror / "llm_questionnaires" / name
    folder.mkdir(parents=True)
    (folder / "questionnaire.json").write_text(json.dumps([{"questions": questions}]))
    people = drawn(generator, PEOPLE, found["people"].tolist()).astype(int)
    people.iloc[generator.permutation(PEOPLE)[:7], 3] = blank
    people.insert(0, "age", 30)
    people.to_csv(folder / "survey.csv", index=False)
    for file in files:
        header = HEADERS[CYCLED in file] if name == "big_5" else found["models"].tolist()
        answers = drawn(generator, RUNS, header)
        if "mistral" in file:
            answers = answers.mask(generator.random(answers.shape) < 0.02)
        (folder / file).parent.mkdir(exist_ok=True)
        answers.to_csv(folder / file, index=False)


def write_twins(folder: Path) -> None:
    """Write outcomes of people and their twins, and the documented ranges."""
    generator = np.random.default_rng(1)
    names = [f"o{j}_{i}" for j in range(STUDIES) for i in range(OUTCOMES)]
    ranges = pd.DataFrame({"DV_variable": names, "DV_min": 1.0, "DV_max": 7.0})
    ranges["study_name"] = [f"study {name[1]}" for name in names]
    rated = {f"rating_{i}_1": ("ratings", 1.0, 5.0) for i in range(1, 11)}
    odd = rated | {
        "DV1": ("means", 3.0, 21.0),
        "creativity_rating_byhuman": ("ratings", 1.0, 5.0),
        "undocumented": ("means", None, None),
    }
    rows = [
        {"study_name": study, "DV_variable": name, "DV_min": low, "DV_max": high}
        for name, (study, low, high) in odd.items()
    ]
    ranges = pd.concat([ranges, pd.DataFrame(rows)], ignore_index=True)
    tables = []
    for _ in range(2):
        table = drawn(generator, PAIRS, names)
        table[[*rated]] = generator.integers(1, 10, (PAIRS, 10))
        table["DV1"] = generator.integers(3, 22, PAIRS) / 3
        table.insert(0, "TWIN_ID", np.arange(PAIRS) + 1)
        tables.append(table)
    tables[0].iloc[:40, 1:6] = np.nan
    folder.mkdir(parents=True)
    ranges.to_csv(folder / "dv_variables_summary.csv", index=False)
    for table, who in zip(tables, ("human", "llm"), strict=True):
        table.to_csv(folder / f"combined_dv_{who}.csv", index=False)


def write_answers(mirror: Path, rooms: Path) -> None:
    """Write all files that the rooms' sources name."""
    sources = yaml.safe_load((rooms / "llm_questionnaires" / "sources.yaml").read_text())
    for name, blank in (("big_5", 0), ("humor_styles", -1)):
        own = [file for file in sources["files"] if file.startswith(f"{name}/") and "/raw." in file]
        files = [file.removeprefix(f"{name}/") for file in own]
        write_questionnaire(mirror, name, blank, files)
    write_twins(mirror / "twin2k_megastudy")
