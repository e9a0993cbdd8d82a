"""The rule of docs/method/verdict.md, case by case."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fidelity_study.report.page.dataset import View
from fidelity_study.report.page.verdict import APART, NOT, ON_THESE, OPEN, STAND_IN, judge, verdict
from fidelity_study.report.summaries import Counts, SimulatorSummary

MODEL = SimulatorSummary(
    name="model",
    label="the model",
    describe="",
    is_baseline=False,
    form="stated",
    m=200,
    mean={
        "ci_lower": 0.03,
        "ci_upper": 0.05,
        "familywise_lower": 0.02,
        "familywise_upper": 0.06,
    },
    new={},
    behind={},
    certified={"familywise_share": 0.93, "familywise_var_90": 0.09, "scenarios": "new"},
    draws="",
    unanswered=0.0,
)
GUESS = replace(
    MODEL, name="uniform", label="uniform guess", is_baseline=True, mean={}, certified={}
)


def comparison_tables(
    *own, tolerance=0.1, closer=(), within=None, beyond=None, share=0.2, kept=None
):
    """Return simulators before a uniform guess; ``closer`` has pairs that are settled.

    ``kept`` is what a simulator keeps at most of the strength of people's relations.
    """
    every = [*own, GUESS]
    near, far = within or {}, beyond or {}

    def counts(own):
        if own.name not in {*near, *far}:
            return None
        within, beyond = len(near.get(own.name, [])), len(far.get(own.name, []))
        return Counts(within, own.m - within - beyond, beyond)

    return SimpleNamespace(
        every=every,
        best=every[0],
        tested=list(own),
        answering=[each for each in own if each.answers],
        baselines=[GUESS],
        tolerance=tolerance,
        discrepancy="tv",
        level="95 %",
        bound_level="95 %",
        lists={each.name: {} for each in every},
        named=lambda name: next(each for each in every if each.name == name),
        certainly_closer=lambda one, two: (one, two) in closer,
        counts=counts,
        results=SimpleNamespace(
            noun="question",
            m=200,
            nouns="questions",
            kind="categorical",
            weighted=False,
            drawing=set(),
            scenarios={"n_human": np.array([100.0, 400.0])},
            clustered=False,
            one_cluster=False,
            all_share_people=False,
            respondents_repeat=False,
            of_clusters="",
            calibrated={},
            effect_summary=[],
            group_differences=[],
            is_conjoint=False,
            levels_shown=1,
            by_group=[],
            between_groups=[],
            main_form=lambda name: "stated",
            named=lambda name: name,
            level="95 %",
            bound_level="95 %",
            relations=lambda name: relations(kept) if kept is not None else {},
            step={"test": {"alpha": 0.05}, "cluster": "topic", "stand_in_share": share},
        ),
    )


def relations(kept):
    slope = {"slope": kept - 0.02, "slope_lower": kept - 0.04, "slope_upper": kept - 0.01}
    return {**slope, "slope_familywise_upper": kept, "pairs": 435, "congruence": None}


def changed(unanswered=0.0, share=0.93, lower=0.02, upper=0.06):
    mean = {**MODEL.mean, "familywise_lower": lower, "familywise_upper": upper}
    certified = {**MODEL.certified, "familywise_share": share}
    return replace(MODEL, unanswered=unanswered, mean=mean, certified=certified)


WORSE = {("uniform", "model")}
LISTED = {"model": [f"q{i}" for i in range(40)]}


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        (changed(), {}, STAND_IN),
        (changed(share=0.9, upper=0.1), {}, STAND_IN),
        (changed(unanswered=0.1), {}, STAND_IN),
        (changed(), {"closer": WORSE}, STAND_IN),
        (changed(unanswered=0.11), {}, NOT),
        (changed(unanswered=0.11), {"within": LISTED}, NOT),
        (changed(share=0.89), {}, OPEN),
        (changed(share=None), {}, OPEN),
        (changed(upper=0.11), {}, OPEN),
        (changed(upper=None), {}, OPEN),
        (changed(share=0.89), {"closer": WORSE}, NOT),
        (changed(share=0.89), {"closer": WORSE, "within": LISTED}, NOT),
        (changed(share=0.89), {"within": LISTED}, ON_THESE),
        (changed(share=0.0, lower=0.11, upper=0.2), {"within": LISTED}, ON_THESE),
        (changed(share=0.0, lower=0.11, upper=0.2), {}, NOT),
        (changed(share=0.0, lower=0.1, upper=0.2), {}, OPEN),
        (changed(share=0.0, lower=None, upper=None), {}, OPEN),
        (changed(), {"tolerance": None}, OPEN),
        (changed(), {"tolerance": None, "closer": WORSE}, NOT),
        (changed(unanswered=0.5), {"tolerance": None}, NOT),
        (changed(), {"kept": 0.5}, STAND_IN),
        (changed(), {"kept": 0.01}, APART),
        (changed(share=0.89), {"within": LISTED, "kept": 0.49}, APART),
        (changed(share=0.89), {"kept": 0.01}, OPEN),
        (changed(unanswered=0.11), {"kept": 0.01}, NOT),
    ],
)
def test_one_simulator_is_judged_by_the_first_condition_that_holds(own, others, expected):
    of = comparison_tables(own, **others)
    assert judge(of, own).verdict == expected
    assert verdict(of).verdict == expected
    assert "\u2068the model\u2069" in verdict(of).headline


@pytest.mark.parametrize(
    ("near", "far", "share", "expected"),
    [
        (1, 0, 0.2, NOT),
        (1, 116, 0.2, NOT),
        (39, 0, 0.2, NOT),
        (40, 0, 0.2, ON_THESE),
        (40, 39, 0.2, ON_THESE),
        (40, 40, 0.2, NOT),
        (100, 100, 0.2, NOT),
        (60, 0, 0.3, ON_THESE),
        (59, 0, 0.3, NOT),
        (1, 0, 0.005, ON_THESE),
    ],
)
def test_a_simulator_near_on_few_questions_or_far_on_more_is_no_stand_in_on_these(
    near, far, share, expected
):
    """Of 200 questions, where the mean is surely beyond the tolerance."""
    own = changed(share=0.0, lower=0.11, upper=0.2)
    lists = {"within": {"model": ["q"] * near}, "beyond": {"model": ["q"] * far}}
    assert judge(comparison_tables(own, share=share, **lists), own).verdict == expected


def test_the_headline_says_on_how_many_questions_each_simulator_is_near_and_on_how_many_far():
    own = changed(share=0.0, lower=0.11, upper=0.2)
    other = replace(own, name="other", label="the other", draws="25")
    within = {"model": ["q"] * 60, "other": ["q"] * 50}
    beyond = {"model": ["q"] * 20, "other": ["q"] * 7}
    found = verdict(comparison_tables(own, other, within=within, beyond=beyond))
    assert found.headline == (
        "\u2068the model\u2069 comes close to people on 60 of 200 questions asked (too far on 20"
        " and on average), and \u2068the other\u2069 comes close on some."
    )
    told = " ".join(found.sentences)
    assert "Of the questions so counted, at most 5 % of each kind are expected to be wrong." in told
    assert "60 of 200" not in told


@pytest.mark.parametrize(
    ("lower", "unanswered", "said"),
    [
        (0.08, 0.0, "for all simulators at once, that is open."),
        (0.08, 0.05, "at once, whatever its missing answers were, that is open."),
        (0.11, 0.0, ""),
    ],
)
def test_why_a_mean_beyond_the_tolerance_settles_nothing_is_said(lower, unanswered, said):
    own = changed(unanswered=unanswered, share=0.0, lower=lower, upper=0.2)
    own = replace(own, mean={**own.mean, "ci_lower": 0.105, "ci_upper": 0.19})
    told = [each for each in verdict(comparison_tables(own)).open if each.startswith("By itself")]
    assert bool(told) == bool(said) and said in " ".join(told)


@pytest.mark.parametrize(
    ("lower", "within", "expected", "said"),
    [
        (0.0, {}, OPEN, True),
        (0.11, {}, NOT, False),
        (None, {}, NOT, False),
        (0.0, LISTED, ON_THESE, True),
        (0.11, LISTED, ON_THESE, False),
        (None, LISTED, ON_THESE, False),
    ],
)
def test_the_chance_in_few_draws_makes_nobody_no_stand_in(lower, within, expected, said):
    mean = {**MODEL.mean, "ci_lower": 0.3, "ci_upper": 0.4, "familywise_lower": 0.29}
    behind = {} if lower is None else {"ci_lower": lower, "ci_upper": 0.4}
    own = replace(changed(share=0.0), draws="5", mean=mean, behind=behind)
    found = verdict(comparison_tables(own, within=within))
    assert found.verdict == expected
    assert any("that may be the chance in so few answers" in each for each in found.open) == said
    told = "what \u2068the model\u2069 draws them from is"
    assert any(told in each for each in found.sentences) == bool(behind)


def test_the_best_verdict_of_several_simulators_leads():
    good, bad = changed(), replace(changed(unanswered=0.6), name="bad", label="the bad one")
    found = verdict(comparison_tables(good, bad))
    assert found.headline == "\u2068the model\u2069 comes close enough to stand in for people."
    assert found.judgements["bad"].because == "left 60 % of what it was asked unanswered"
    assert any(
        "\u2068the bad one\u2069 (60 %) left more than 10 % of what it was asked" in sentence
        for sentence in found.sentences
    )


def test_each_reason_is_given_with_its_simulators_where_none_can_stand_in():
    lazy = [replace(changed(unanswered=0.6), name=name, label=name) for name in "ab"]
    far = replace(changed(share=0.0), name="far", label="far")
    found = verdict(comparison_tables(far, *lazy, closer={("uniform", "far")}))
    assert found.headline == (
        "No simulator can stand in for people: \u2068far\u2069 is farther from people than a"
        " uniform guess, \u2068a\u2069 and \u2068b\u2069 left more than 10 % of what they were"
        " asked unanswered."
    )


def test_what_is_compared_with_a_guess_is_settled_or_called_not_settled():
    assert any("is not settled" in each for each in verdict(comparison_tables(MODEL)).sentences)
    told = " ".join(verdict(comparison_tables(MODEL, closer={("model", "uniform")})).sentences)
    assert " is closer than \u2068uniform guess\u2069." in told


def test_baselines_alone_get_no_verdict():
    found = verdict(comparison_tables())
    assert (found.verdict, found.judgements) == ("", {})
    assert found.headline.startswith("No simulator is tested")


@pytest.mark.parametrize(
    ("own", "results", "why"),
    [
        (
            {"name": "pooled"},
            {},
            "\u2068the model\u2069 is made of people's answers to other questions",
        ),
        ({"certified": {}}, {}, "the config asks for none; write gamma: envelope in its grid"),
        ({"m": 15}, {}, "15 questions are too few"),
        (
            {},
            {"clustered": True, "n_clusters": 40, "has_few_clusters": False},
            "200 questions, some of which may depend on each other, are too few",
        ),
    ],
)
def test_without_an_exact_bound_there_is_no_number_for_90_percent_of_the_questions(
    own, results, why
):
    certified = {**MODEL.certified, "familywise_var_90": None, "var_90": 0.08}
    of = comparison_tables(replace(MODEL, **{"certified": certified, **own}))
    vars(of.results).update(results)
    found = verdict(of)
    assert f"No bound on 90 % of other questions is certain: {why}." in found.open
    assert not any("On 90 %" in each or "0.080" in each for each in found.sentences)


def test_the_bound_on_90_percent_of_the_questions_is_the_exact_one_for_all_simulators_at_once():
    certified = {
        **MODEL.certified,
        "familywise_var_90": 0.3,
        "certified_var_90": 0.2,
        "var_90": 0.1,
    }
    found = verdict(comparison_tables(replace(MODEL, certified=certified)))
    assert any(
        "On 90 % of all questions like these it is at most 0.300 from people (95 % confidence;"
        in each
        for each in found.sentences
    )
    assert not any("No bound on 90 %" in each for each in found.open)


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["undecided"] * 3, ""),
        (
            ["within", "undecided", "within"],
            "within 0.100 of people on 2 questions: \u2068a\u2069 (0.500) and \u2068c\u2069 (0.9",
        ),
        (["farther", "undecided"], "people on 1 question: \u2068a\u2069 (0.500). In brackets"),
        (["farther"] * 9, "on 9 questions; farthest on \u2068c\u2069 (0.900), \u2068g\u2069 (0.8"),
        (["within"] * 9, "on 9 questions; nearest on \u2068i\u2069 (0.0100), \u2068h\u2069 (0.0"),
    ],
)
def test_questions_surely_within_and_surely_too_far_are_named(verdicts, said):
    far = [0.5, 0.2, 0.9, 0.3, 0.4, 0.6, 0.8, 0.02, 0.01][: len(verdicts)]
    names = list("abcdefghi"[: len(verdicts)])
    of = comparison_tables(MODEL)
    of.lists["model"] = dict.fromkeys(names)
    answers = {"model": {"verdict": verdicts, "plugin": far}}
    of_questions = SimpleNamespace(names=names, answers_of=lambda shown, of: answers)
    told = View(of, SimpleNamespace(questions=of_questions)).named_questions
    assert said in " ".join(told) and bool(said) == bool(told)
    assert " ".join(told).count("(0.") <= 8


def test_right_margins_without_structure_are_told_from_a_stand_in():
    shuffled, faithful = changed(), replace(changed(), name="faithful", label="faithful")
    alone = verdict(comparison_tables(shuffled, kept=0.03))
    assert alone.headline == (
        "\u2068the model\u2069 comes close to people on at least 93 % of questions, but its"
        " answers do not go together as people's do."
    )
    kept = "but keeps at most 3 % of the strength of people's relations"
    assert kept in alone.judgements["model"].because
    assert any("keeps 1 % [−1 to 2 %] of the strength" in said for said in alone.sentences)
    both = comparison_tables(shuffled, faithful)
    both.results.relations = lambda name: relations(0.03 if name == "model" else 1.05)
    assert verdict(both).headline.startswith("\u2068faithful\u2069 comes close enough")
    assert verdict(both).judgements["model"].verdict == APART
