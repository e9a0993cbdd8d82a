"""Tables of classifiers: true classes beside probabilities, as scikit-learn has them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from cells import start_with
from tabular_step import what_is_read

from fidelity_study.__main__ import main
from fidelity_study.reading.tabular.opening import opened

GENERATOR = np.random.default_rng(3)
CLASSES = ["bird", "cat", "dog"]
STATED = pd.DataFrame(GENERATOR.dirichlet([1, 1, 1], 30), columns=CLASSES)
TRUE = pd.Series([*CLASSES, *GENERATOR.choice(CLASSES, 27)])
NUMBERED = dict(zip(CLASSES, range(3), strict=True))
EVENT = pd.Series(GENERATOR.random(30).round(3))
HAPPENED = pd.Series([0, 1, *GENERATOR.integers(0, 2, 28)])
OF_EVENT = pd.DataFrame({"0": 1 - EVENT, "1": EVENT})


def two_models() -> pd.DataFrame:
    """Return rows of two models, the second less sure."""
    less = 0.5 * STATED + 0.5 / 3
    rows = [STATED.assign(model="a"), less.assign(model="b")]
    ids = [f"x{i}" for i in range(30)]
    return pd.concat([pd.DataFrame({"id": ids, "target": TRUE}).join(part) for part in rows])


CASES = {
    "a prefix": (STATED.add_prefix("p_").assign(y_true=TRUE), TRUE, STATED),
    "classes": (STATED.assign(label=TRUE, text="some"), TRUE, STATED),
    "scikit-learn's word": (OF_EVENT.add_prefix("proba_").assign(y=HAPPENED), HAPPENED, OF_EVENT),
    "percentages": ((100 * STATED).add_prefix("prob_").assign(label=TRUE), TRUE, STATED),
    "numbers of classes": (
        STATED.rename(columns=NUMBERED).assign(y=TRUE.map(NUMBERED)),
        "class " + TRUE.map(NUMBERED).astype(str),
        STATED.rename(columns={name: f"class {at}" for name, at in NUMBERED.items()}),
    ),
    "an event": (pd.DataFrame({"y_true": HAPPENED, "y_prob": EVENT}), HAPPENED, OF_EVENT),
    "percentages of an event": (
        pd.DataFrame({"y_true": HAPPENED, "y_prob": 100 * EVENT}),
        HAPPENED,
        OF_EVENT,
    ),
    "two models": (two_models(), TRUE, STATED),
    "a first column of any name": (two_models().rename(columns={"id": "image"}), TRUE, STATED),
}


def brier(true: pd.Series, stated: pd.DataFrame) -> float:
    """Return the mean of the sum of squares over classes."""
    one = np.array([[str(label) == name for name in stated] for label in true])
    return float(((stated.to_numpy() - one) ** 2).sum(axis=1).mean())


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES)
def test_classes_and_their_probabilities_are_outcomes_and_forecasts(case):
    table, true, stated = CASES[case]
    table.to_csv("model.csv", index=False)
    assert main(["start", "model.csv"]) == 0
    config = yaml.safe_load(Path("model.yaml").read_text("utf-8"))
    settings = config["datasets"]["model"]
    assert settings["curves"] is False and settings["calibration"] == {}
    assert settings["outcome"]["kind"] == ("binary" if true is HAPPENED else "categorical")
    read = what_is_read("model.yaml")
    option = read.scenarios.set_index("scenario")
    source = "a" if "model" in table else "model"
    rows = read.stated[read.stated["source"] == source]
    labels = [
        option.loc[name, "option"][list(option.loc[name, "value"]).index(value)]
        for name, value in zip(rows["scenario"], rows["value"], strict=True)
    ]
    wide = rows.assign(label=labels).pivot_table(
        index="scenario", columns="label", values="probability", sort=False, observed=True
    )
    assert wide[list(stated)].to_numpy() == pytest.approx(stated.to_numpy(), abs=1e-9)
    people = read.outcomes[read.outcomes["source"] == "human"]
    came = [
        option.loc[name, "option"][list(option.loc[name, "value"]).index(value)]
        for name, value in zip(people["scenario"], people["value"], strict=True)
    ]
    assert people["count"].tolist() == [1] * 30
    assert brier(pd.Series(came), wide[list(stated)]) == pytest.approx(brier(true, stated))


def test_a_table_keeps_its_other_columns_and_one_of_them_groups_its_rows():
    beside = {"household": [*range(10)] * 6, "weight": 2.5, "y_pred": [*CLASSES, *CLASSES[:2]] * 12}
    two_models().assign(**beside).to_csv("model.csv", index=False)
    named = ["columns.csv: id: question", "columns.csv: weight: ignore", "--simulator", "model"]
    assert start_with(["model.csv", "--cluster", "household", *named]) == 0
    table = pd.read_csv("model_codebook/columns.csv").set_index("column")["use"]
    uses = {"id": "question", "model": "simulator", "target": "answer", "household": "topic"}
    ignored = dict.fromkeys(["weight", "y_pred"], "ignore")
    assert table.to_dict() == uses | ignored | {"probability": "probability"}
    scenarios = what_is_read("model.yaml").scenarios
    assert [int(name[1:]) % 10 for name in scenarios["scenario"]] == [
        *map(int, scenarios["cluster"])
    ]


IDS = [f"q{i}" for i in range(30)]
BY = pd.DataFrame({"GPT-4o": EVENT, "Claude Sonnet": EVENT**2})
PERCENT = BY.map("{:.2%}".format)
RESOLVED = HAPPENED.map({1: "Yes", 0: "No"})
BY_MODELS = {
    "percentages": PERCENT.assign(Question=IDS, Resolution=RESOLVED, Topic="Sports"),
    "the crowd's, too": BY.assign(
        **{"Crowd median": EVENT / 2}, id=IDS, Resolution=RESOLVED, flag=HAPPENED
    ),
    "shares": BY.assign(question_id=IDS, resolved_to=HAPPENED),
    "metrics, costs and times beside": BY.assign(
        id=IDS, Resolution=RESOLVED, **{"GPT-4o brier": EVENT, "claude_cost": 0.1, "latency": 0.5}
    ),
    "some are annulled, some not stated": pd.concat(
        [
            PERCENT.assign(Question=IDS, Resolution=RESOLVED),
            pd.DataFrame({"GPT-4o": ["5%"], "Question": ["x"], "Resolution": ["Annulled"]}),
            pd.DataFrame({"Claude Sonnet": ["5%"], "Question": ["y"]}),
        ]
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", BY_MODELS)
def test_probabilities_in_a_column_for_each_model_are_forecasts(capsys, case):
    BY_MODELS[case].to_csv("results.csv", index=False)
    assert main(["start", "results.csv"]) == 0
    columns = pd.read_csv("results_codebook/columns.csv").set_index("column")
    read = what_is_read("results.yaml")
    stated = read.stated[read.stated["value"] == 1]
    wide = stated.pivot_table("probability", "scenario", "source", observed=True, sort=False)
    assert wide[[*BY]].to_numpy() == pytest.approx(BY.to_numpy(), abs=6e-5)
    by = {*BY, "Crowd median"} & {*BY_MODELS[case].columns}
    assert {*wide.columns} == by
    unread = {*BY_MODELS[case].columns} - by - {"Question", "question_id", "id"}
    assert repr([*BY]).strip("[]") in capsys.readouterr().out
    assert columns.loc["Resolution" if "Resolution" in unread else "resolved_to", "use"] == "answer"
    assert {*columns.index[columns["use"] == "ignore"]} == unread - {"Resolution", "resolved_to"}
    people = read.outcomes[read.outcomes["source"] == "human"]
    assert people["value"].tolist() == HAPPENED.tolist() and list(people["scenario"]) == IDS


def test_one_probability_beside_what_came_true_is_a_forecaster():
    came = RESOLVED.where(HAPPENED.index % 7 > 0, "CANCEL").where(HAPPENED.index % 11 > 0, "MKT")
    market = pd.DataFrame({"id": IDS, "probability": EVENT, "volume": 5, "resolution": came})
    market.to_csv("market.csv", index=False)
    assert main(["start", "market.csv"]) == 0
    read = what_is_read("market.yaml")
    people = read.outcomes[read.outcomes["source"] == "human"]
    is_in = came.isin(["Yes", "No"])
    assert people["value"].tolist() == HAPPENED[is_in].tolist()
    stated = read.stated[(read.stated["source"] == "probability") & (read.stated["value"] == 1)]
    assert stated["probability"].to_numpy() == pytest.approx(EVENT[is_in].to_numpy())


@pytest.mark.parametrize("metric", ["brier", "accuracy", "confidence", "tokens", "log-loss"])
def test_metrics_of_models_are_no_forecasts(tmp_path, metric):
    path = tmp_path / "table.csv"
    named = BY.add_suffix(f" {metric}").assign(id=IDS, Resolution=RESOLVED)
    named.to_csv(path, index=False)
    assert opened(str(path)).columns == [*named.columns]


def test_true_classes_and_probabilities_in_two_files():
    ids = [f"x{i}" for i in range(30)]
    pd.DataFrame({"id": ids, "y_true": TRUE}).to_csv("truth.csv", index=False)
    rows = STATED.assign(id=ids).melt("id", var_name="class", value_name="prob")
    pd.concat([rows.assign(model=m) for m in ("a", "b")]).to_csv("stated.csv", index=False)
    assert main(["start", "truth.csv", "stated.csv"]) == 3
    assert main(["start", "truth.csv", "stated.csv", "--accept"]) == 0
    config = yaml.safe_load(Path("truth.yaml").read_text("utf-8"))
    assert config["datasets"]["truth"]["calibration"] == {}
    read = what_is_read("truth.yaml")
    assert sorted(read.stated["source"].unique()) == ["a", "b"]
    mine = read.stated[read.stated["source"] == "b"]
    assert mine.groupby("value")["probability"].mean().to_numpy() == pytest.approx(STATED.mean())


@pytest.mark.sampled
@pytest.mark.parametrize("named", [(), ("--simulator", "simulator", "--people", "ground truth")])
@pytest.mark.parametrize("is_other", [False, True])
def test_files_of_two_classifiers_pair_by_the_index_of_pandas(capsys, named, is_other):
    index = GENERATOR.permutation(90)[:30]
    stated = {"forest": OF_EVENT, "logreg": OF_EVENT.iloc[:, ::-1].set_axis(["0", "1"], axis=1)}
    for name, shares in stated.items():
        rows = shares.add_prefix("proba_").assign(y_true=HAPPENED).set_axis(index)
        rows.loc[index[3], "y_true"] ^= is_other and name == "logreg"
        rows.loc[sorted(index) if name == "forest" else index].to_csv(f"{name}.csv")
    assert main(["start", "forest.csv", "logreg.csv", *named]) == is_other
    if is_other:
        assert f"of '{index[3]}', and forest.csv says" in capsys.readouterr().err
        return
    read = what_is_read("forest.yaml").stated.query("value == 1")
    for name, shares in stated.items():
        rows = read[read["source"] == name].set_index("scenario")["probability"]
        assert rows.loc[map(str, index)].tolist() == pytest.approx(shares["1"].tolist())


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"id": [1, 1, 2, 2], "label": [0, 1, 0, 1], "prob": [0.2, 0.8, 0.5, 0.5]}),
        (2 * STATED).assign(label=TRUE),
        STATED.assign(label=TRUE).drop(columns="cat"),
        pd.DataFrame({"y_true": HAPPENED, "y_score": 3 * EVENT}),
        pd.DataFrame({"y_true": HAPPENED, "y_prob": 1.1 * EVENT}),
        pd.DataFrame({"y_true": TRUE, "y_prob": EVENT}),
        *(BY.assign(**{name: HAPPENED, "id": IDS}) for name in ("answer", "model")),
        BY.round().assign(id=IDS, outcome=HAPPENED),
        (3 * BY).assign(id=IDS, outcome=HAPPENED),
        BY.assign(id=IDS, outcome=1),
        BY.set_axis(["ai_use", "ai_trust"], axis=1).assign(id=IDS, outcome=HAPPENED),
        two_models().drop(columns="id"),
        two_models().assign(target=[*TRUE, *TRUE[::-1]]),
    ],
)
def test_what_is_no_table_of_a_classifier_stays_as_it_is(tmp_path, table):
    table.to_csv(tmp_path / "table.csv", index=False)
    assert not any("true" in line for line in opened(str(tmp_path / "table.csv")).recognised)
