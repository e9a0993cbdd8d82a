"""Surveys that are drawn here: strata, PSUs, weights, replicate weights, groups."""

import numpy as np
import pandas as pd

OPTIONS = np.array(["never", "sometimes", "often"])
AGES = np.array(["18-34", "35-54", "55+"])
SEXES = np.array(["female", "male"])
QUESTIONS = ("trust", "news", "vote")
STRATA, PER_STRATUM, IN_PSU = 8, 2, 25


def people(seed: int = 1, strata: int = STRATA, in_psu: int = IN_PSU) -> pd.DataFrame:
    """Return a row a person, whose neighbours in a PSU answer alike."""
    rng = np.random.default_rng(seed)
    parts = []
    for stratum in range(strata):
        for psu in range(PER_STRATUM):
            who = pd.DataFrame(
                {
                    "stratum": f"s{stratum}",
                    "psu": psu + 1,
                    "w": np.round(rng.uniform(0.5, 1.5, in_psu) * (1 + stratum % 3), 3),
                    "sex": rng.choice(SEXES, in_psu),
                    "age": rng.choice(AGES, in_psu),
                }
            )
            for question in QUESTIONS:
                share = rng.dirichlet([4, 3, 2])
                said = rng.choice(OPTIONS, in_psu, p=share)
                who[question] = np.where(rng.random(in_psu) < 0.05, None, said)
            parts.append(who)
    return pd.concat(parts, ignore_index=True)


def with_replicates(table: pd.DataFrame) -> pd.DataFrame:
    """Return the same with weights of balanced half samples, ``rep1, rep2, ...``."""
    signs = np.array([[1.0]])
    while len(signs) < table["stratum"].nunique() + 1:
        signs = np.block([[signs, signs], [signs, -signs]])
    stratum = table["stratum"].str[1:].astype(int).to_numpy()
    half = np.where(table["psu"].to_numpy() == 1, 1, -1)
    kept = 1 + signs[:, stratum + 1] * half
    weights = {f"rep{r + 1}": table["w"] * kept[r] for r in range(len(signs))}
    return table.drop(columns=["stratum", "psu"]).assign(**weights)


def write() -> pd.DataFrame:
    """Write people, the same with replicate weights, and a simulator's answers; return people."""
    table = people()
    table.to_csv("people.csv", index=False)
    with_replicates(table).to_csv("replicates.csv", index=False)
    model().to_csv("model.csv", index=False)
    return table


def model(seed: int = 2, answers: int = 40) -> pd.DataFrame:
    """Return a row an answer of a simulator: groups, question, value."""
    rng = np.random.default_rng(seed)
    rows = [
        (sex, age, question, value)
        for sex in SEXES
        for age in AGES
        for question in QUESTIONS
        for value in rng.choice(OPTIONS, answers)
    ]
    return pd.DataFrame(rows, columns=["sex", "age", "question", "value"]).assign(simulator="model")
