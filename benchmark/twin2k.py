"""Write the experiments of Twin-2K as files of a study: people, twins, and the questions.

    python benchmark/twin2k.py MIRROR FOLDER
    cd FOLDER && fidelity-curves start people.csv twins.csv --scenarios questions.csv \
        --respondent TWIN_ID --groups condition --cluster study --kind bounded --bounds 0 1 \
        --discrepancy absolute --name twin2k --yes
    fidelity-curves start voters.csv twins_of_voters.csv --respondent TWIN_ID --groups vote2020 \
        --kind real --discrepancy absolute --name voters --yes
    fidelity-curves start with_facts.csv twins_of_them.csv --respondent TWIN_ID --accept --yes \
        --name facts --regression "Trust ~ vote2020 + home + area" # and so of the other four

MIRROR has the folders twin2k_experiments, twin2k_megastudy and twin2k_groups. Each outcome is put
on the range from 0 to 1.
"""

import sys
from pathlib import Path

import pandas as pd

PERSON, VOTE = "TWIN_ID", "vote2020"
KEYS = ["study", PERSON]
LARGE = ["Joe Biden", "Donald Trump", "Didn't vote for president"]
PART = "mega_study_evaluation/*/test/*individual level.csv.gz"


def by_person(folder: Path) -> pd.DataFrame:
    """Return the answers of people and their twins, one a row."""
    paths = sorted(folder.glob(PART))
    rows = pd.concat([pd.read_csv(path).assign(study=path.parts[-3]) for path in paths])
    return rows.rename(columns={"variable_name": "scenario"}).dropna(subset="value")


def conditions(mirror: Path) -> pd.DataFrame:
    """Return the condition of each person in each study: that of all factors."""
    arms = pd.read_csv(mirror / "twin2k_experiments/derived/conditions.csv.gz", dtype={"arm": str})
    arms["condition"] = arms["factor"] + "=" + arms["arm"]
    by = arms.sort_values("factor").groupby(KEYS)["condition"]
    return by.agg(", ".join).reset_index()


def experiments(mirror: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return people's answers, and those of both specifications of twins."""
    rows = by_person(mirror / "twin2k_experiments")
    study = rows.drop_duplicates("scenario").set_index("scenario")["study"].to_dict()
    wide = {
        who: pd.read_csv(mirror / f"twin2k_megastudy/combined_dv_{who}.csv")
        for who in ("human", "llm")
    }
    jobs = [name for name in wide["human"] if name.startswith("job")]
    study |= dict.fromkeys(jobs, "hiring_algorithms")
    long = {
        who: table.melt(PERSON, list(study), "scenario").dropna() for who, table in wide.items()
    }
    hired = long["human"][long["human"]["scenario"].isin(jobs)]
    default = rows[rows["respondent_type"] == "twin"].assign(simulator="default persona")
    tables = [
        pd.concat([rows[rows["respondent_type"] == "human"], hired]),
        pd.concat([default, long["llm"].assign(simulator="with reasoning")]),
    ]
    values = pd.concat(tables).groupby("scenario")["value"].agg(["min", "max"])
    for table in tables:
        least, largest = (table["scenario"].map(values[end]) for end in ("min", "max"))
        table["value"] = ((table["value"] - least) / (largest - least)).round(9)
        table["study"] = table["scenario"].map(study)
    people, twins = (table.merge(conditions(mirror), on=KEYS) for table in tables)
    return people, twins.merge(people[[PERSON, "scenario"]])


def voters(mirror: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return wide tables of people and twins on redistribution, with people's vote in 2020."""
    folder = mirror / "twin2k_groups"
    rows, votes = by_person(folder), pd.read_csv(folder / "derived/groups.csv.gz")[[PERSON, VOTE]]
    votes = votes[votes[VOTE].isin(LARGE)]
    people, twins = (
        rows[rows["respondent_type"] == who]
        .pivot(index=PERSON, columns="scenario", values="value")
        .reset_index()
        .merge(votes)
        for who in ("human", "twin")
    )
    return people, twins.assign(simulator="default persona")


def with_facts(mirror: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return wide tables of people, with facts about them, and of twins on five questions."""
    folder = mirror / "twin2k_groups"
    rows, facts = by_person(folder), pd.read_csv(folder / "derived/groups.csv.gz")
    rows["scenario"] = rows["scenario"].str.replace(" ", "_")
    rows = rows[rows["scenario"] != "Father_education"]
    people, twins = (
        rows[rows["respondent_type"] == who]
        .pivot(index=PERSON, columns="scenario", values="value")
        .reset_index()
        for who in ("human", "twin")
    )
    return people.merge(facts), twins[twins[PERSON].isin(facts[PERSON])]


def main(mirror: Path, folder: Path) -> None:
    """Write the files."""
    people, twins = experiments(mirror)
    kept = [PERSON, "condition", "scenario", "value"]
    people[kept].to_csv(folder / "people.csv", index=False)
    twins[[*kept, "simulator"]].to_csv(folder / "twins.csv", index=False)
    questions = people[["scenario", "study"]].drop_duplicates()
    questions.to_csv(folder / "questions.csv", index=False)
    for name, table in zip(("voters", "twins_of_voters"), voters(mirror), strict=True):
        table.to_csv(folder / f"{name}.csv", index=False)
    for name, table in zip(("with_facts", "twins_of_them"), with_facts(mirror), strict=True):
        table.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
