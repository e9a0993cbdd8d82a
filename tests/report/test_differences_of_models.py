"""Who is called closer: the models that draw, not the answers that they happened to give."""

import numpy as np
import pytest

from fidelity import Responses
from fidelity.means.average import ASKED
from fidelity_study.steps.cases import DRAWN, TRUE, Case
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.mean_discrepancy import difference_rows
from fidelity_study.steps.people import People
from fidelity_study.steps.sequence import sequence_rows
from fidelity_study.steps.unanswered import Answered

M, K = 15, 10
SCORES = np.tile([-1.0, 0.0, 1.0], (M, 1))


def cases(models, discrepancy, generator, *, counts=None, smoothed=False, same=None):
    """Return simulators that give K draws from these probabilities, or state them, beside people.

    Args:
        models: name -> probabilities and whether they are drawn from.
    """
    if counts is None:
        counts = generator.multinomial(500, [0.3, 0.4, 0.3], M).astype(float)
    responses = Responses(counts, scores=SCORES, respondents=same)
    people = People([f"q{j}" for j in range(M)], responses, False, (1, "d", "means"))
    for name, (shares, draws) in models.items():
        q = generator.multinomial(K, shares, M) / K if draws else np.tile(shares, (M, 1))
        many = np.full(M, float(K) if draws else np.nan)
        own = Answered(name, str(K) if draws else STATED_FORM, np.arange(M), q, many, np.zeros(M))
        yield Case(people, own, discrepancy, smoothed and draws)


def asked(rows):
    return [row for row in rows if row["target"] == "asked"]


def test_answers_of_models_that_cannot_be_told_from_another_sample_make_nobody_closer():
    """Smoothed draws by kl: the difference of these answers is known to be above 0, and said."""
    generator = np.random.default_rng(2)
    both = {"near": ([0.3, 0.4, 0.3], False), "far": ([0.9, 0.05, 0.05], True)}
    found = list(cases(both, "kl", generator, smoothed=True))
    (row,) = asked(difference_rows(found, 0.05, 2))
    assert row["answers"] == DRAWN
    assert row["ci_upper"] < 0.0 and row["closer"] is None


def test_no_difference_is_beyond_what_any_people_could_make():
    """The same few people answer all: errors add up beyond tv of both simulators, .2."""
    few = {"counts": np.tile([2.0, 1.0, 1.0], (M, 1)), "same": np.zeros(M)}
    both = {"one": ([0.4, 0.3, 0.3], False), "two": ([0.6, 0.2, 0.2], False)}
    (row,) = asked(
        difference_rows(list(cases(both, "tv", np.random.default_rng(4), **few)), 0.05, 2)
    )
    assert [row["ci_lower"], row["ci_upper"]] == pytest.approx([-0.2, 0.2])


def test_a_study_looked_at_early_compares_the_models_that_draw():
    generator = np.random.default_rng(5)
    both = {"one": ([0.6, 0.2, 0.2], True), "two": ([0.6, 0.2, 0.2], True)}
    rows = list(sequence_rows(list(cases(both, "tv", generator)), 0.05, False))
    assert {row["answers"] for row in rows if row["other"] is not None} == {TRUE}


def test_as_many_draws_as_would_settle_it_do():
    """The same shares from as many draws as said settle it; from a quarter of them they don't."""
    generator = np.random.default_rng(6)
    counts = np.tile([300.0, 400.0, 300.0], (M, 1))
    shares = {"near": [0.35, 0.4, 0.25], "far": [0.5, 0.3, 0.2]}

    def row_of(k):
        both = {name: (each, True) for name, each in shares.items()}
        found = []
        for case in cases(both, "tv", generator, counts=counts):
            own = case.own
            q = np.tile(shares[own.simulator], (M, 1))
            drawn = Answered(own.simulator, str(k), own.rows, q, np.full(M, float(k)), np.zeros(M))
            found.append(Case(case.people, drawn, "tv", False))
        (row,) = asked(difference_rows(found, 0.05, 2))
        return row

    few = row_of(10)
    assert few["closer"] is None
    many = few["draws_to_settle"]
    assert row_of(many)["closer"] == "near"
    assert row_of(many)["draws_to_settle"] is None
    assert row_of(many // 4)["closer"] is None


def test_no_number_of_draws_settles_what_few_people_leave_open():
    few = np.tile([3.0, 4.0, 3.0], (M, 1))
    both = {"one": ([0.5, 0.3, 0.2], True), "two": ([0.5, 0.3, 0.2], True)}
    found = list(cases(both, "tv", np.random.default_rng(7), counts=few, same=np.zeros(M)))
    (row,) = asked(difference_rows(found, 0.05, 2))
    assert row["closer"] is None and row["draws_to_settle"] is None


def test_persons_who_may_have_answered_several_widen_a_difference_by_no_more_than_both_means():
    """Of 12 simulators: within what intervals of both means allow, at half of alpha by twelve.

    With answers of people of their own there is the difference's interval only.
    """
    shares = {"near": [0.3, 0.4, 0.3], "mid": [0.5, 0.3, 0.2], "far": [0.8, 0.1, 0.1]}
    models = {name: (share, False) for name, share in shares.items()}

    def rows_of(same, alpha):
        found = list(cases(models, "tv", np.random.default_rng(7), same=same))
        return found, asked(difference_rows(found, alpha, 12))

    found, rows = rows_of(np.zeros(M), 0.05)
    ends = {
        case.own.simulator: case.estimate(TRUE).interval(ASKED, 1.0 - 0.05 / 2 / 12)
        for case in found
    }
    _, alone = rows_of(None, 0.05)
    assert not any("both means" in row["method"] for row in alone)
    for row in rows:
        one, two = ends[row["simulator"]], ends[row["other"]]
        allowed = one.ci_lower - two.ci_upper, one.ci_upper - two.ci_lower
        assert row["ci_lower"] >= allowed[0] - 1e-12 and row["ci_upper"] <= allowed[1] + 1e-12
    assert {row["closer"] for row in rows} == {"near", "mid"}
    assert any("both means" in row["method"] for row in rows)


def test_a_single_simulator_has_no_difference():
    found = list(cases({"only": ([0.3, 0.4, 0.3], True)}, "tv", np.random.default_rng(9)))
    assert list(difference_rows(found, 0.05, 1)) == []
