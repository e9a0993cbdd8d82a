"""The step: effects from tables, by hand and against the library, and what its page says."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from called_step import call_step
from tabular_step import step as ingest_step
from tabular_step import tables_of
from test_structure_step import respondents, runs, scenarios

from fidelity.effects.comparison import SAME
from fidelity_study.app.start.config import config
from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request, normalized
from fidelity_study.config.params import findings_step, report_step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.reading.codebook.tables import Codebook
from fidelity_study.reading.settings import with_levels
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.report.figures import effects as figure_of_effects
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError
from fidelity_study.report.page.effect_verdict import Unit, sentences
from fidelity_study.report.page.effects import effect_section
from fidelity_study.report.sample import Sample
from fidelity_study.steps.arrays import ENDS
from fidelity_study.steps.effects import (
    ALL,
    DIFFERENCES,
    HALF,
    NEW,
    NO_EFFECT,
    NO_EFFECTS,
    NO_SCORES,
    OTHERS,
    THESE,
    effect_tables,
    main,
)
from fidelity_study.steps.experiment import Answered, Experiment
from fidelity_study.tables.ingest import HUMAN, OUTCOMES, RESPONDENTS, RUNS, SCENARIOS, STATED

STEP = {
    "dataset": "town",
    "simulators": ["model", "uniform"],
    "outcome": {"kind": "ordinal"},
    "clustered": False,
    "groups": ["arm"],
    "effects": {
        **{"condition": "arm", "control": "placebo", "moderators": []},
        **{"attributes": [], "bases": {}},
    },
    "test": {"alpha": 0.05},
    "uses": {"declared": [], "limits": {}},
}
ARMS = ["placebo", "a", "b", "c", "d"]
NAMES = [f"{question} | {arm}" for question in ("buy", "tell") for arm in ARMS]
SIDES = ("people", "effect")
EMPTY = {"stated": STATED, "respondents": RESPONDENTS, "runs": RUNS, "outcomes": OUTCOMES}


def answers(effects, n=120, seed=0):
    """Return answers 1 to 5 by person, each in one arm, to two questions; (5n, 10)."""
    rng = np.random.default_rng(seed)
    table = np.full((5 * n, 10), np.nan)
    for place, effect in enumerate(effects):
        for question in range(2):
            rows = slice(place * n, (place + 1) * n)
            table[rows, 5 * question + place] = 1 + rng.binomial(4, 0.4 + effect, n)
    return table


def answered(names=NAMES, step=STEP, kind="ordinal", **tables):
    empty = {name: schema.empty_table() for name, schema in EMPTY.items()}
    asked = scenarios(names, kind=kind)
    return Answered(Experiment.of(asked, step), **(empty | tables))


def rows_of(simulated=None, people=None, step=STEP, **more):
    x = answers([0, 0.3, -0.2, 0.1, 0.0]) if people is None else people
    y = answers([0, 0.42, -0.32, 0.15, 0.0], seed=1) if simulated is None else simulated
    tables = {"respondents": respondents(x, NAMES), "runs": runs(y, NAMES), **more}
    made = effect_tables(answered(step=step, **tables))
    return {name: rows for name, (rows, _) in made.items()}


def test_answers_without_a_range_keep_their_unit():
    asked = scenarios(NAMES, kind="real").to_pylist()
    for row in asked:
        row |= {"lower": None, "upper": None, "score": row["value"]}
    experiment = Experiment.of(pa.Table.from_pylist(asked, SCENARIOS), STEP)
    rows = pa.table({"scenario": NAMES[:2], "value": [2.0, 5.0]})
    assert experiment.placed(rows)[1].tolist() == [2.0, 5.0]


def test_summary_says_direction_size_and_picks():
    made = rows_of()
    (these,) = [
        row
        for row in made["effect_summary"]
        if (row["simulator"], row["group"], row.get("target")) == ("model", ALL, THESE)
    ]
    directions = [row["direction"] for row in made["effects"]]
    assert these["same"] == directions.count(SAME) >= 4
    assert these["same"] + these["opposite"] + these["open"] == these["effects"] == 8
    assert these["spread_ratio_lower"] > 1.15
    assert these["slope_lower"] < 0.7 < these["slope_upper"]
    assert these["picked"] == 1.0 and these["gain_lower"] > 0.0
    assert these["over_no_effect_upper"] < 0.0
    others = {row["simulator"]: row for row in made["effect_summary"]}
    true = np.array([0.3, -0.2, 0.1, 0.0])
    square = others[NO_EFFECT]
    assert square["mean_squared_lower"] < (true**2).mean() < square["mean_squared_upper"]
    assert others[OTHERS]["mean_squared"] > square["mean_squared"]
    arms = [answers([0, 0.3, -0.2, 0.1, 0.0])[:, j] / 4 for j in range(10)]
    noise = [np.nanvar(arm, ddof=1) / 120 for arm in arms]
    of_effects = [noise[5 * q + j] + noise[5 * q] for q in (0, 1) for j in range(1, 5)]
    assert others[HALF]["mean_squared"] == pytest.approx(2 * np.mean(of_effects), abs=1e-12)
    assert [row["times"] for row in made["effect_plan"]] == [1, 2, 4, 8]


def test_stated_probabilities_have_no_noise():
    rows = [
        {"scenario": name, "source": "model", "value": value, "probability": share}
        for name in NAMES
        for value, share in ((1.0, 0.5), (5.0, 0.5))
    ]
    stated = pa.Table.from_pylist(rows, STATED)
    made = rows_of(stated=stated, runs=RUNS.empty_table())
    assert max(abs(row["effect"]) for row in made["effects"]) < 1e-12
    assert made["effects"][0]["effect_lower"] == made["effects"][0]["effect"]
    assert made["effects"][0].get("draws") is None


@pytest.mark.slow
def test_answers_of_nobody_in_particular_are_counted():
    x = answers([0, 0.3, -0.2, 0.1, 0.0])
    counts = [
        {"scenario": NAMES[j], "source": source, "value": value, "count": float(times)}
        for j in range(10)
        for source in (HUMAN, "model")
        for value, times in zip(
            *np.unique(x[~np.isnan(x[:, j]), j], return_counts=True), strict=True
        )
    ]
    outcomes = pa.Table.from_pylist(counts, OUTCOMES)
    by_count = effect_tables(answered(outcomes=outcomes))["effects"][0]
    by_person = rows_of(x, x)["effects"]
    for one, two in zip(by_count, by_person, strict=True):
        assert one["people"] == pytest.approx(two["people"], abs=1e-12)
        assert one["people_upper"] == pytest.approx(two["people_upper"], abs=1e-12)


@pytest.mark.slow
def test_moderators_tell_who_responds():
    names = [f"buy | {age} | {arm}" for age in ("old", "young") for arm in ARMS]
    step = STEP | {
        "groups": ["age", "arm"],
        "effects": STEP["effects"] | {"moderators": ["age"]},
    }
    sides = []
    for seed, times in ((0, 1.0), (1, 2.0)):
        rng, table = np.random.default_rng(seed), np.full((2000, 10), np.nan)
        for j in range(10):
            effect = times * [0, 0.15, -0.15, 0.1, 0.0][j % 5] * (j >= 5)
            table[200 * j : 200 * j + 200, j] = 1 + rng.binomial(4, 0.4 + effect, 200)
        sides.append(table)
    made = effect_tables(
        answered(names, step, respondents=respondents(sides[0], names), runs=runs(sides[1], names))
    )
    (differences,) = [row for row in made["effect_summary"][0] if row["group"] == DIFFERENCES]
    assert differences["slope_lower"] < 0.5 < differences["slope_upper"]
    assert differences["correlation"] > 0.8
    groups = {row["group"] for row in made["effects"][0]}
    assert groups == {ALL, "old", "young"}


def test_what_is_lacking():
    nothing = rows_of(runs=RUNS.empty_table())["effect_summary"]
    assert nothing[0]["lacking"] == NO_EFFECTS
    step = STEP | {"outcome": {"kind": "categorical"}}
    assert rows_of(step=step)["effect_summary"][0]["lacking"] == NO_SCORES
    step = STEP | {"effects": STEP["effects"] | {"control": "nothing"}}
    with pytest.raises(DataError, match="in a condition 'nothing'; there are: placebo, a, b"):
        answered(step=step)


def results_of(made):
    return SimpleNamespace(
        effects=made["effects"],
        effect_summary=made["effect_summary"],
        effect_plan=made["effect_plan"],
        scenarios=scenarios(NAMES),
        step=STEP,
        colour=lambda name: "#123456",
        level="95 %",
        named=str,
    )


def page(people, simulated):
    """Return what the page is made of, from true effects of both sides."""
    made = effect_tables(
        answered(
            respondents=respondents(answers(people), NAMES),
            runs=runs(answers(simulated, seed=1), NAMES),
        )
    )
    return results_of(as_read(made))


def as_read(made):
    """Return the rows of tables as they are read, with all columns."""
    return {
        name: pa.Table.from_pylist(rows, schema).to_pylist()
        for name, (rows, schema) in made.items()
    }


def test_the_page_says_direction_and_size():
    results = page([0, 0.3, -0.2, 0.1, 0.0], [0, 0.42, -0.32, 0.15, 0.0])
    first, second, *more = sentences(results)
    row = results.effect_summary[0]
    assert f"has the direction of {row['agree']} of {row['certain']} effects that are" in first
    assert f"(of all 8, {row['same']} certainly and 0 certainly not)" in first
    assert "times as much as people's" in second and "multiply differences between them" in second
    third = next(text for text in more if not text.startswith("On average"))
    assert third.startswith("It is closer to people's effects than")
    section = effect_section(results)
    assert section.control == "placebo"
    drawing = str(section.panels[0].drawing)
    assert drawing.count("h0") == 8 and "<title>b, tell</title>" in drawing
    assert section.unmeasured == ""
    assert len(section.direction) == len(section.size) == 1
    table = {row.label: row.cells for row in section.effects}
    assert len(table) == 8 and not section.is_long
    far = [abs(people[1] - simulated[1]) for people, simulated in table.values()]
    assert far == sorted(far, reverse=True)
    assert [row.label for row in section.direction] == ["model"]
    one = next(row for row in results.effects if row["condition"] == "b")
    assert table["b, buy"][0][1] == one["people"] and table["b, buy"][1][1] == one["effect"]


@pytest.mark.slow
def test_the_figure_has_the_dots_and_the_line_of_the_page():
    results = page([0, 0.3, -0.2, 0.1, 0.0], [0, 0.42, -0.32, 0.15, 0.0])
    town = SimpleNamespace(name="town")
    asked = SimpleNamespace(results=results, simulator=None, width=style.WIDE, dataset=town)
    figure, notes = figure_of_effects.draw(asked)
    (axis,) = figure.axes
    equal, slope, *bars, dots = axis.lines
    rows = results.effects
    np.testing.assert_allclose(dots.get_xdata(), [100 * row["effect"] for row in rows])
    np.testing.assert_allclose(dots.get_ydata(), [100 * row["people"] for row in rows])
    assert len(bars) == 2 * len(rows)
    for row, upright, flat in zip(rows, bars[::2], bars[1::2], strict=True):
        ends = [[100 * row[f"{side}{end}"] for end in ENDS[1:]] for side in SIDES]
        np.testing.assert_allclose(sorted(flat.get_xdata()), ends[SIDES.index("effect")])
        np.testing.assert_allclose(sorted(upright.get_ydata()), ends[SIDES.index("people")])
    np.testing.assert_allclose(equal.get_xdata(), equal.get_ydata())
    (x0, x1), (y0, y1) = slope.get_xdata(), slope.get_ydata()
    assert (y1 - y0) / (x1 - x0) == pytest.approx(results.effect_summary[0]["slope"])
    farthest = max(abs(row[f"{side}{end}"]) for row in rows for side in SIDES for end in ENDS)
    assert axis.get_xlim() == axis.get_ylim() == pytest.approx((-100 * farthest, 100 * farthest))
    assert notes[0] == f"8 effects, in {Unit.of(results).name}."
    assert f"{rows[0]['simulator']} (directions: " in notes[1]
    results.effect_summary.clear()
    with pytest.raises(NothingToDrawError, match="no effects of conditions"):
        figure_of_effects.draw(asked)


@pytest.mark.slow
def test_a_shift_of_all_effects_is_said():
    people = [0.0, 0.1, -0.1, 0.05, -0.15]
    results = page(people, [-0.2, 0.1, -0.1, 0.05, -0.15])  # the control is off
    row = results.effect_summary[0]
    assert row["shift_lower"] < 0.2 < row["shift_upper"] and row["shift_lower"] > 0.0
    (said,) = (text for text in sentences(results) if text.startswith("On average"))
    assert "of the scale higher than people's [+" in said
    size = effect_section(results).size[0].cells
    assert size[4][1] == row["shift"]
    right = page(people, people)
    assert right.effect_summary[0]["shift_lower"] < 0.0 < right.effect_summary[0]["shift_upper"]
    assert not any(text.startswith("On average") for text in sentences(right))


def test_two_conditions_say_nothing_of_new_ones():
    some = [name for name in NAMES if name[-1] in "oab"]
    x, y = (answers([0, 0.3, -0.2, 0, 0], seed=seed)[:, [0, 1, 2, 5, 6, 7]] for seed in (0, 1))
    asked = answered(some, respondents=respondents(x, some), runs=runs(y, some))
    tables = as_read(effect_tables(asked))
    new = next(row for row in tables["effect_summary"] if row["target"] == NEW)
    assert new["slope"] is not None and new["slope_lower"] is None and new["slope_upper"] is None
    assert new["shift_lower"] < new["shift"] < new["shift_upper"]
    (row,) = effect_section(results_of(tables)).size
    assert ("cannot be told: too few conditions", None) in row.cells


def test_picks_by_chance_are_not_settled():
    results = page([0, 0.3, -0.2, 0.1, 0.0], [0, 0.0, 0.0, 0.0, 0.0])
    row = results.effect_summary[0]
    assert row["gain"] is None and row["picked"] is None and row["picked_by_chance"] == 0.5
    texts = [text for text, _ in effect_section(results).direction[0].cells[-2:]]
    assert texts == ["not settled"] * 2


def test_numbers_of_conditions_are_in_their_order():
    arms = ["9", "10", "100", "high"]
    names = [f"buy | {arm}" for arm in arms]
    table = np.full((200, 4), np.nan)
    for j in range(4):
        table[50 * j : 50 * j + 50, j] = 1 + np.random.default_rng(j).binomial(4, 0.5, 50)
    step = STEP | {"effects": STEP["effects"] | {"control": "10"}}
    tables = {"respondents": respondents(table, names), "runs": runs(table, names)}
    made = effect_tables(answered(names, step, **tables))["effects"][0]
    assert [row["condition"] for row in made] == ["9", "100", "high"]


def test_the_page_names_the_answer_that_counts():
    asked = pa.Table.from_pylist(
        [{"scenario": "a", "kind": "binary", "score": [0.0, 1.0], "option": ["buy", "leave"]}]
    )
    unit = Unit.of(SimpleNamespace(scenarios=asked))
    assert unit.name == "points of the share that answers “leave”"
    assert unit.signed(0.125) == "+12.5" and unit.signed(None) == "–"


def test_a_page_without_an_experiment_says_nothing():
    none = results_of({"effects": [], "effect_summary": [], "effect_plan": []})
    assert list(sentences(none)) == [] and effect_section(none) is None


def test_a_condition_is_a_group_of_the_questions():
    options = normalized(
        {"condition": "arm", "control": "placebo", "moderator": ("age",), "groups": ("city",)},
        lambda option, value: value,
    )
    assert options["groups"] == ("city", "age", "arm")
    assert "groups" not in normalized({"kind": "binary"}, lambda option, value: value)


LEVELS = {"price": ["500", "1200", "800"], "brand": ["ours", "theirs"]}
UTILITY = {"800": -0.4, "1200": -1.0, "theirs": 0.3}
LEVEL_NAMES = [("price", "800"), ("price", "1200"), ("brand", "theirs")]
OF_LEVELS = {"attributes": ["price", "brand"], "bases": {}}
TABLES = ("effects", "effect_summary", "effect_plan", "of_effects")


def profiles(persons, times=1.0, seed=0, **more):
    """Return choices between two profiles, in four tasks of each person."""
    rng, shape = np.random.default_rng(seed), (persons, 4, 2)
    shown = {name: rng.choice(levels, shape) for name, levels in LEVELS.items()}
    utility = rng.gumbel(size=shape) + rng.normal(size=(persons, 1, 1)) * (shown["price"] == "500")
    for levels in shown.values():
        utility += times * np.vectorize(lambda level: UTILITY.get(level, 0.0))(levels)
    person, task, profile = (place.ravel() for place in np.indices(shape))
    rows = {"respondent": person, "task": task, "profile": profile}
    chosen = (utility == utility.max(2, keepdims=True)).astype(int)
    shown = {name: levels.ravel() for name, levels in shown.items()}
    return pd.DataFrame({**rows, **shown, "chosen": chosen.ravel(), **more})


def regression(rows, names=LEVEL_NAMES, weights=None):
    """Return coefficients and errors as of R's lm, clustered by respondent (CR1)."""
    x = [np.ones(len(rows)), *((rows[name] == level).astype(float) for name, level in names)]
    x, y = np.stack(x, 1), rows["chosen"].to_numpy(float)
    w = np.ones(len(rows)) if weights is None else weights
    bread = np.linalg.inv((x.T * w) @ x)
    beta = bread @ (x.T * w) @ y
    scores = pd.DataFrame(x * (w * (y - x @ beta))[:, None])
    sums = scores.groupby(rows["respondent"].to_numpy()).sum().to_numpy()
    g, (n, k) = len(sums), x.shape
    covariance = bread @ sums.T @ sums @ bread * g / (g - 1) * (n - 1) / (n - k)
    return beta[1:], np.sqrt(np.diag(covariance))[1:]


@pytest.fixture
def files(here):
    """People's choices, and those of a simulator whose effects are too large, as CSV."""
    people, model = profiles(150, seed=1), profiles(90, 2.0, seed=2, model="sharp")
    people["w"] = np.random.default_rng(3).uniform(0.5, 2.0, 150)[people["respondent"]].round(3)
    people.drop(columns="w").to_csv("people.csv", index=False)
    people.to_csv("weighted.csv", index=False)
    model.to_csv("models.csv", index=False)
    return people, model


def read(**settings):
    """Return what the files hold, and the dataset's settings."""
    wanted = {"human": "people.csv", "simulated": "models.csv", "effects": OF_LEVELS, **settings}
    wanted["columns"] = {"simulator": "model", **settings.get("columns", {})}
    complete = with_levels({"outcome": {"kind": "binary"}, "simulators": ["sharp"], **wanted})
    step = ingest_step(**{key: value for key, value in complete.items() if key != "effects"})
    return responses(step), complete


def effects_of(folder, **settings):
    """Return the tables of effects of the files, and the params of the step."""
    found, complete = read(**settings)
    tables = tables_of(found, "binary")
    names = {"simulators": ["sharp"], "groups": complete["groups"], "outcome": {"kind": "binary"}}
    step = STEP | names | {"effects": complete["effects"]}
    made = call_step(main, folder, step, tables, *TABLES)
    return {name: pq.read_table(made[name]).to_pylist() for name in TABLES}, step, tables


def of_side(rows, name):
    """Return estimates and half the intervals' lengths, in the order of NAMES."""
    by = {row["condition"]: row for row in rows}
    ordered = [by[f"{attribute}: {level}"] for attribute, level in LEVEL_NAMES]
    return np.array([[row[name], row[f"{name}_upper"] - row[name]] for row in ordered]).T


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [{}, {"human": "weighted.csv", "weight": "w"}])
def test_effects_are_those_of_the_regression_clustered_by_respondent(files, tmp_path, weighted):
    made, *_ = effects_of(tmp_path, **weighted)
    weights = files[0]["w"].to_numpy() if weighted else None, None
    both = zip(("people", "effect"), files, weights, (1.976013, 1.986979), strict=True)
    for name, rows, weight, t in both:
        beta, se = regression(rows, weights=weight)
        estimate, reach = of_side(made["effects"], name)
        np.testing.assert_allclose(estimate, beta, atol=1e-9)
        np.testing.assert_allclose(reach, t * se, rtol=1e-6)
    controls = {row["condition"]: row["control"] for row in made["effects"]}
    assert controls["price: 1200"] == "price: 500"  # the lowest number
    row = next(row for row in made["effects"] if row["condition"] == "brand: theirs")
    assert row["n"] == (files[0]["brand"] == "theirs").sum()
    assert row["draws_control"] == (files[1]["brand"] == "ours").sum()


@pytest.mark.slow
def test_the_summary_and_the_page_speak_of_levels(files, tmp_path):
    made, step, tables = effects_of(tmp_path)
    (row,) = [row for row in made["effect_summary"] if row["simulator"] == "sharp"]
    assert row["target"] == "these" and row["same"] >= 1 and row["opposite"] == 0
    assert row["spread_ratio"] > 1.0 > row["slope"]
    assert 0.0 < row["mean_lower"] <= row["mean_upper"]
    assert made["effect_plan"][0]["people"] == 150.0
    results = results_of(made)
    results.scenarios = tables["scenarios"]
    results.step = step
    section = effect_section(results)
    assert (section.noun, section.control) == ("level", "price: 500, brand: ours")
    assert len(section.size[0].cells) == 5  # without that of new conditions


@pytest.mark.slow
def test_another_base_turns_effects_around(files, tmp_path):
    of_levels = OF_LEVELS | {"bases": {"price": 1200, "brand": "theirs"}}
    made, *_ = effects_of(tmp_path, effects=of_levels)
    by = {row["condition"]: row["people"] for row in made["effects"]}
    names = [("price", "500"), ("price", "800"), ("brand", "ours")]
    beta, _ = regression(files[0], names)
    np.testing.assert_allclose([by[f"{a}: {b}"] for a, b in names], beta, atol=1e-9)
    with pytest.raises(DataError, match="no level '700'; there are: 500, 800, 1200"):
        effects_of(tmp_path, effects=OF_LEVELS | {"bases": {"price": "700"}})


def test_levels_are_groups_and_profiles_are_of_persons(files):
    found, _ = read()
    assert set(found.scenarios["scenario"]) >= {"chosen | price | 500", "chosen | brand | ours"}
    assert len(found.scenarios) == 5
    assert found.by_respondent["respondent"].nunique() == 1200
    assert found.by_respondent["psu"].nunique() == 150
    assert found.runs["run"].nunique() == 720 and found.runs["psu"].nunique() == 90
    assert found.runs["respondent"].isna().all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"effects": {"attributes": ["prise"]}}, "no column 'prise'.*did you mean 'price'"),
        ({"human": "nobody.csv"}, "who saw a profile"),
        ({"form": "long"}, "a row for each profile"),
    ],
)
def test_what_is_no_conjoint_is_refused(files, settings, message):
    files[0].drop(columns=["w", "respondent"]).to_csv("nobody.csv", index=False)
    files[0].drop(columns="w").to_csv("people.csv", index=False)
    with pytest.raises(DataError, match=message):
        read(**settings)


@pytest.mark.slow
def test_start_writes_the_attributes(files):
    options = {"attribute": ("price", "brand"), "base_level": (("price", "1200"),)}
    options |= {"simulator": ("model",), "name": "phones"}
    request = Request.of("people.csv", ("models.csv",), options=options, name="phones")
    said = []
    settings = config(understood(request, said.extend), Codebook())["datasets"]["phones"]
    assert settings["effects"] == {"attributes": ["price", "brand"], "bases": {"price": "1200"}}
    assert settings["cluster"] == "attribute" and "groups" not in settings


@pytest.mark.slow
def test_page_and_findings_count_persons(files, tmp_path):
    settings = {"ingest": "tabular", "human": "people.csv", "simulated": "models.csv"}
    settings |= {"outcome": {"kind": "binary"}, "columns": {"simulator": "model"}}
    settings |= {"effects": OF_LEVELS, "simulators": ["sharp"]}
    wanted = {"datasets": {"phones": settings}}
    study = Study(wanted)
    _, _, tables = effects_of(tmp_path)
    paths = {name: [tmp_path / f"{name}.parquet"] for name in ("scenarios", "respondents")}
    for name, (path,) in paths.items():
        pq.write_table(tables[name], path)
    for step in (findings_step(study, "phones"), report_step(study, wanted)["datasets"]["phones"]):
        assert Sample(step, paths).persons == 150
