"""Simulators that copy people's answers, or look like failed calls, are told."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.errors import DataError, in_yaml
from fidelity_study.reading.tabular.doubtful import _spellings, codes_of_nothing, strays
from fidelity_study.reading.tabular.suspect import Shares, copied

QUESTIONS = [f"q{j}" for j in range(6)]
OPTIONS = ["agree", "disagree", "don't know"]


@pytest.fixture
def people():
    """Return people's counts, 60 to 100 for each question, and work in a folder of their own."""
    generator = np.random.default_rng(4)
    sizes = generator.integers(60, 100, len(QUESTIONS))
    share = generator.dirichlet([5, 3, 1], len(QUESTIONS))
    counts = [generator.multinomial(n, p) for n, p in zip(sizes, share, strict=True)]
    return pd.DataFrame(
        {
            "scenario": np.repeat(QUESTIONS, len(OPTIONS)),
            "value": OPTIONS * len(QUESTIONS),
            "count": np.concatenate(counts),
        }
    )


def shares(people):
    return people["count"] / people.groupby("scenario")["count"].transform("sum")


def told(people, simulated, said="shares", **columns):
    """Return the notes that say something, of files of both."""
    people.to_csv("human.csv", index=False)
    simulated.assign(simulator="model").to_csv("simulated.csv", index=False)
    settings = {"human": "human.csv", "simulated": "simulated.csv", **columns}
    found = read(**settings, outcome={"kind": "categorical"}, cluster="none", simulators=["model"])
    return [each for each in map(str, found.notes) if said in each]


SAID = "'model' has people's very shares in all 6 questions that it answers; is it a copy"


@pytest.mark.sampled
@pytest.mark.parametrize(
    "copied",
    [
        lambda people: people,
        lambda people: people.iloc[::-1],
        lambda people: people.assign(count=3 * people["count"]),
        lambda people: people[people["count"] > 0],
        lambda people: people.drop(columns="count").assign(probability=shares(people)),
    ],
    ids=["the file", "in another order", "thrice", "without zeros", "as probabilities"],
)
def test_a_copy_of_people_as_a_simulator_is_told(people, copied):
    (note,) = told(people, copied(people))
    assert SAID in note


def test_a_copy_of_weighted_shares_is_told(people):
    weighted = people.assign(weight=1.0 + people["value"].eq("agree"))
    total = weighted["count"] * weighted["weight"]
    share = total / total.groupby(weighted["scenario"]).transform("sum")
    copied = people.drop(columns="count").assign(probability=share)
    (note,) = told(weighted, copied, columns={"weight": "weight"})
    assert SAID in note


def test_other_people_of_the_same_shares_are_no_copy(people):
    """In 200 studies whose simulator is perfect none is called a copy; here one of these."""
    generator = np.random.default_rng(8)
    drawn = [
        generator.multinomial(each.sum(), each / each.sum())
        for each in people["count"].to_numpy().reshape(len(QUESTIONS), -1)
    ]
    assert not told(people, people.assign(count=np.concatenate(drawn)))


def survey(questions=30, options=4, n=400, seed=3):
    """Return people's counts of many questions, (m, K)."""
    generator = np.random.default_rng(seed)
    share = generator.dirichlet([3.0] * options, questions)
    return np.array([generator.multinomial(n, each) for each in share]), share


def long(numbers, column):
    """Return a long file of numbers, (m, K)."""
    m, d = numbers.shape
    names = {
        "scenario": np.repeat([f"q{j:02}" for j in range(m)], d),
        "value": [*"abcdefgh"[:d]] * m,
    }
    return pd.DataFrame({**names, column: numbers.ravel()})


NEAR = "questions than a second sample of the same people would be"


@pytest.mark.sampled
@pytest.mark.parametrize("changed", [0.01, 0.05])
def test_people_of_whom_a_few_answer_otherwise_are_a_near_copy(changed):
    counts, _ = survey()
    moved = np.round(changed * counts[:, 0]).astype(int)
    near = counts.copy()
    near[:, 0], near[:, 1] = near[:, 0] - moved, near[:, 1] + moved
    (note,) = told(long(counts, "count"), long(near, "count"))
    assert NEAR in note or SAID in note


def test_a_copy_with_one_question_of_its_own_is_told(people):
    other = people.copy()
    other.loc[0, "count"] += 15
    other = pd.concat([other, other.assign(scenario="again " + other["scenario"])])
    twice = pd.concat([people, people.assign(scenario="again " + people["scenario"])])
    (note,) = told(twice, other)
    assert "is nearer to people's shares in 10 of 12" in note


def test_no_perfect_simulator_is_a_near_copy():
    """Of 400 studies with perfect simulators none is told."""
    for seed in range(200):
        counts, share = survey(questions=10, options=2 + seed % 3, n=50, seed=seed)
        people = Shares(dict(enumerate(counts / 50)), dict.fromkeys(range(10), 50.0))
        again = np.random.default_rng(seed).multinomial(500, share) / 500
        for simulator in (share, again):
            sizes = dict.fromkeys(range(10), 500.0)
            assert not copied(people, Shares(dict(enumerate(simulator)), sizes))


def of_numbers(make, questions=6):
    """Return people's shares and a simulator's of numbers, and people's sizes."""
    people, simulator, sizes = {}, {}, {}
    for question in range(questions):
        both = make()
        values = np.unique(np.concatenate(both))
        places = [np.searchsorted(values, numbers) for numbers in both]
        people[question], simulator[question] = (
            np.bincount(at, minlength=len(values)) / len(at) for at in places
        )
        sizes[question] = float(len(both[0]))
    return Shares(people, sizes), Shares(simulator, sizes)


@pytest.mark.parametrize("many", [12, 118, 20_000])
@pytest.mark.parametrize("mean", [170, 244])
@pytest.mark.parametrize(("digits", "n"), [(2, 118), (1, 30), (0, 118), (-1, 118), (1, 1000)])
def test_independent_numbers_are_no_copy_however_rarely_they_repeat(many, mean, digits, n):
    draw = np.random.default_rng(many + mean).normal
    for _ in range(10):
        made = of_numbers(lambda: (draw(170, 45, n).round(digits), draw(mean, 45, many).round(2)))
        assert not copied(*made)


@pytest.mark.parametrize(("options", "n"), [(40, 10), (40, 30), (100, 100), (5, 20)])
def test_stated_shares_of_many_options_are_no_copy_where_few_answer(options, n):
    """Of 100 studies none, though hardly any option has five answers."""
    generator = np.random.default_rng(options)
    for _ in range(100):
        share = generator.dirichlet([0.5] * options, 6)
        counts = np.array([generator.multinomial(n, each) for each in share])
        people = Shares(dict(enumerate(counts / n)), dict.fromkeys(range(6), float(n)))
        assert not copied(people, Shares(dict(enumerate(share)), people.sizes))


@pytest.mark.parametrize(
    "changed",
    [
        np.round,
        lambda numbers: numbers[: int(0.9 * len(numbers))],
        lambda numbers: np.append(numbers[10:], numbers[:10] + 0.5),
        lambda numbers: np.repeat(numbers, 5),
    ],
    ids=["rounded", "nine tenths of them", "ten changed a little", "five times"],
)
def test_numbers_that_come_from_peoples_are_a_near_copy(changed):
    draw = np.random.default_rng(6).normal

    def make():
        numbers = draw(170, 45, 118).round(1)
        return numbers, changed(numbers)

    assert copied(*of_numbers(make))


def failed(people, simulated):
    return list(told(people, simulated, said="failed calls do"))


def test_uniform_shares_and_zeros_are_told_as_failed_calls():
    counts, share = survey()
    stated = share.copy()
    stated[:3] = 1 / share.shape[1]
    stated[3] = 0.0
    uniform, zero = failed(long(counts, "count"), long(stated, "probability"))
    assert "'model' gives all options exactly the same share in 3 of 29 questions" in uniform
    assert "a probability of 0 in 1 statements" in zero


@pytest.mark.slow
def test_one_option_every_time_is_told():
    counts, share = survey()
    first = np.zeros_like(counts)
    first[:, 0] = 30
    (note,) = failed(long(counts, "count"), long(first, "count"))
    assert "gives option 1 every time, in all 30 questions" in note
    likeliest = np.eye(share.shape[1])[share.argmax(axis=1)]
    assert not failed(long(counts, "count"), long(likeliest, "probability"))


def test_zeros_alone_are_refused():
    counts, share = survey()
    with pytest.raises(DataError, match="sum to 0"):
        told(long(counts, "count"), long(0 * share, "probability"))


@pytest.mark.slow
def test_binary_forecasts_of_a_half_are_no_failed_calls_unless_most_are():
    counts, share = survey(options=2)
    stated = share.copy()
    stated[:12] = 0.5
    assert not failed(long(counts, "count"), long(stated, "probability"))
    stated[:16] = 0.5
    assert failed(long(counts, "count"), long(stated, "probability"))


TOPICS = ["fares", "lanes", "parks"]


@pytest.fixture
def notes_on():
    """Write answers to 3 questions by 110 people and 110 runs, and return all notes on them."""

    def notes(stray, times=1, questions=TOPICS, **settings):
        rows = [(name, "agree", 70) for name in questions]
        rows += [(name, "disagree", 40) for name in questions]
        rows = pd.DataFrame(rows, columns=["scenario", "value", "count"])
        rows.to_csv("human.csv", index=False)
        other = rows.assign(count=rows["count"].where(rows["value"] == "agree", 30 + 3 * times))
        other = pd.concat([other, pd.DataFrame([{**rows.iloc[0], "value": stray, "count": times}])])
        other.assign(simulator="model").to_csv("simulated.csv", index=False)
        files = {"human": "human.csv", "simulated": "simulated.csv"}
        found = read(**files, outcome={"kind": "categorical"}, simulators=["model"], **settings)
        return list(map(str, found.notes))

    return notes


@pytest.mark.parametrize(
    ("stray", "more"),
    [
        ("agre", "; if it is another spelling, put recode: {agre: agree} in the config"),
        ("As an AI", ""),
    ],
)
def test_one_stray_text_among_hundreds_of_answers_is_told_first(notes_on, stray, more):
    first, *_ = notes_on(stray)
    assert first == (
        f"simulated.csv: {stray!r} counts as an option that hardly anybody gives (1 of 104 answers"
        " to 'fares'), and a uniform guess gives it as much as any other; if it is no answer, put"
        f" {in_yaml({'missing': [stray]})[1:-1]} in the config{more}"
    )


def test_an_option_that_some_people_give_is_no_stray_text(notes_on):
    assert not any("hardly anybody" in each for each in notes_on("other", times=5))


@pytest.mark.parametrize(
    ("label", "given", "answers", "is_stray"),
    [
        ("agre", 1, 660, True),
        ("agre", 3, 660, True),
        ("agre", 4, 6600, False),
        ("agre", 1, 199, False),
        ("agre", 1, 200, True),
        ("7", 1, 660, False),
        ("don't know", 1, 660, False),
    ],
)
def test_a_stray_text_is_one_of_hundreds_of_answers_and_no_number(label, given, answers, is_stray):
    assert strays({label: (given, answers), "agree": (answers - given, answers)}) == (
        [label] if is_stray else []
    )


def test_texts_at_both_ends_of_a_scale_of_numbers_are_options():
    ends = {"1": "Not at all", "10": "Completely"}
    steps = [ends.get(str(step), str(step)) for step in range(1, 11)]
    frame = pd.DataFrame({"trust": steps * 9, "vote": ["yes", "no", "spoilt"] * 30})
    frame.to_csv("human.csv", index=False)
    frame.iloc[:50].to_csv("model.csv", index=False)
    found = read(human="human.csv", simulated={"model": "model.csv"})
    assert answers(found, "human")["trust"] == dict.fromkeys(steps, 9)


@pytest.mark.parametrize("texts", [["Other", "Nothing"], ["Not at all", "Refused"], ["Never"]])
def test_other_texts_among_numbers_are_refused(texts):
    frame = pd.DataFrame({"trust": ["1", "2", "3", "4", *texts] * 9})
    frame.to_csv("human.csv", index=False)
    frame.to_csv("model.csv", index=False)
    with pytest.raises(DataError):
        read(human="human.csv", simulated={"model": "model.csv"})


@pytest.mark.parametrize(
    ("code", "is_code"), [("99999999", True), ("99999", True), ("-1", True), ("30000", False)]
)
def test_nines_and_a_minus_one_stand_apart_from_amounts(code, is_code):
    amounts = [str(1000 * step) for step in range(10, 60, 3)]
    assert codes_of_nothing([*amounts, code]) == ([code] if is_code else [])


def test_a_simulators_weights_are_told_as_not_read(tmp_path):
    rows = "q1,q2,weight\n" + "yes,no,1.5\nno,no,0.5\nno,yes,2\n" * 4
    for name in ("human.csv", "simulated.csv"):
        (tmp_path / name).write_text(rows, encoding="utf-8")
    files = {"human": "human.csv", "simulated": {"model": "simulated.csv"}, "cluster": "none"}
    found = read(**files, simulators=["model"], outcome={"kind": "categorical"})
    assert any("simulated.csv: not read: 'weight'" in str(note) for note in found.notes)
    assert answers(found, "model")["q1"] == {"yes": 4.0, "no": 8.0}
    assert answers(found, "human")["q1"] == {"yes": 4.5, "no": 7.5}


def test_a_spreadsheets_date_may_be_a_range():
    assert {"2-1", "1-2"} <= _spellings("02-Jan") & _spellings("2-jan")


def test_of_many_rare_texts_none_is_stray():
    """As of brands or places; a typing error is one of few."""
    places = {f"place {i}": (3.0, 1600.0) for i in range(100)}
    common = {f"town {i}": (20.0, 1600.0) for i in range(60)}
    assert strays(places | common) == []
    few = dict([*places.items()][:9])
    assert strays(few | common) == [*few]
