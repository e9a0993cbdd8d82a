"""A study of a model that is asked in two prompts and for shares, behind a server of its own."""

import random

import numpy as np
import pandas as pd
import pytest
from chat_server import asked_survey, serving
from small_study import copy_project

pytestmark = pytest.mark.minutes

SCENARIOS, PERSONAS, TIMES = 6, 8, 5
PROMPTS = {
    "plain": "{question}\n{options}\nLetter:",
    "eager": "Say A!\n{question}\n{options}\nLetter:",
}
NAMES = [f"asked-{name}" for name in PROMPTS]
FOLDER = "results/default/survey"
RAW = [f"{FOLDER}/simulate/{name}.parquet" for name in [*NAMES, "asked-population"]]
TABLE = f"{FOLDER}/comparison/prompts.csv"


def answer(body):
    """Answer as one who follows the prompt: by chance, or nearly always the first option."""
    text = body["messages"][-1]["content"]
    shown = [line[0] for line in text.split("\n") if line[1:3] == ". " and line[0] in "ABCD"]
    if "Of 100 people" in text:
        shares = {3: (20, 30, 49), 4: (10, 20, 30, 40)}[len(shown)]
        return "\n".join(f"{letter}: {share}" for letter, share in zip(shown, shares, strict=True))
    chance = random.Random(body["seed"])
    return "A" if text.startswith("Say A!") and chance.random() < 0.7 else chance.choice(shown)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def server():
    with serving(answer) as running:
        yield running


@pytest.fixture(scope="module")
def whole(copy, tmp_path_factory, server):
    """The study, asked without an interruption, with what it made and printed."""
    model = {"endpoint": server.url, "model": "served", "concurrency": 2}
    asked = {"prompts": list(PROMPTS), "population": "people who like questions"}
    config = asked_survey(model, personas=PERSONAS, **asked) | {"prompts": PROMPTS}
    project = copy.elsewhere(tmp_path_factory.mktemp("whole"), config, scenarios=SCENARIOS)
    project.run("--until", "ingest_survey")
    dry = project.run("--dry-run")
    before = len(server.requests)
    project.run(*RAW, TABLE, f"{FOLDER}/nonresponse.csv", f"{FOLDER}/findings.md", cores=1)
    return project, dry, len(server.requests) - before


def test_a_dry_run_counts_what_is_then_asked(whole):
    _, dry, asked = whole
    each = dict.fromkeys(NAMES, SCENARIOS * PERSONAS) | {"asked-population": SCENARIOS * TIMES}
    for name, many in each.items():
        assert f"forecast of survey, {name} (model small): {many} prompts; about " in dry
    assert asked == sum(each.values())


def shares_of(project, name):
    """Return the shares of each option in each scenario, by counting the raw answers."""
    raw = pd.read_parquet(project.folder / f"{FOLDER}/simulate/{name}.parquet")
    return {
        scenario: of["value"].value_counts(normalize=True).to_dict()
        for scenario, of in raw.astype({"scenario": str}).groupby("scenario")
    }


def test_the_table_says_what_the_raw_answers_come_to(whole):
    project, _, _ = whole
    (row,) = pd.read_csv(project.folder / TABLE).to_dict("records")
    people = pd.read_parquet(project.folder / f"{FOLDER}/outcomes.parquet")
    people = people[people["source"].astype(str) == "human"].astype({"scenario": str})
    far = {}
    for name in NAMES:
        each = []
        for scenario, said in shares_of(project, name).items():
            own = people[people["scenario"] == scenario].set_index("value")["count"]
            own = own / own.sum()
            options = {*own.index, *said}
            each.append(sum(abs(own.get(o, 0) - said.get(o, 0)) for o in options) / 2)
        far[name] = np.array(each)
    assert row["average_upper"] == pytest.approx(np.mean([each.mean() for each in far.values()]))
    assert (row["simulator"], row["prompts"], row["m"]) == ("asked", 2, SCENARIOS)
    table = project.table("survey/comparison/mean_discrepancy.csv")
    table = table[
        (table["target"] == "asked") & (table["tail"] == 1) & (table["answers"] == "drawn")
    ]
    own = table[table["simulator"].isin(NAMES)].set_index("simulator")
    assert row["worst"] == own[["familywise_lower", "familywise_upper"]].mean(axis=1).idxmax()
    assert row["worst_lower"] == pytest.approx(own["familywise_lower"].max())
    assert row["worst_upper"] == pytest.approx(own["familywise_upper"].max())
    assert row["total"] == pytest.approx(row["between"] + row["chance"])
    observed = np.array(list(far.values())).var(axis=0, ddof=1).mean()
    assert row["between"] < observed < row["total"]


def test_shares_are_stated_and_what_was_divided_is_told(whole):
    project, _, _ = whole
    rows = pd.read_csv(project.folder / f"{FOLDER}/nonresponse.csv").set_index("source")
    assert rows.loc["asked-population", "answered"] == SCENARIOS * TIMES
    assert rows.loc["asked-population", "rescaled"] == pytest.approx(0.5)
    assert np.isnan(rows.loc["asked-plain", "rescaled"])
    stated = pd.read_parquet(project.folder / f"{FOLDER}/simulate/stated.parquet")
    sums = stated.groupby("scenario", observed=True)["probability"].sum()
    assert sums.to_numpy() == pytest.approx(np.ones(SCENARIOS))


def test_the_findings_say_which_prompt_is_farthest(whole):
    said = (whole[0].folder / f"{FOLDER}/findings.md").read_text("utf-8")
    assert "Of the 2 prompts of **asked** the farthest from people is **small, sampled" in said
    assert "The average prompt is 0." in said
    assert f"On these {SCENARIOS} " in said
