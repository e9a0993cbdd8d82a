"""Answers in halves: what is halved, and the variance between prompts by them."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity_study.ask.collect import ASKED
from fidelity_study.ask.prompts import option_orders
from fidelity_study.steps.halves import SPLITS, splits_of
from fidelity_study.steps.prompts import FEWEST, TOO_FEW, variance_of

VALUES = [1.0, 2.0, 5.0]
NAMES = ["q1", "q2", "q3"]
PEOPLE = np.array([0.5, 0.3, 0.2])
TRUTH = {"plain": [0.4, 0.4, 0.2], "role": [0.2, 0.3, 0.5]}
PLACES = {"plain": 0.0, "role": 0.6}


def answers(prompt, generator, respondents, names, mode="answers", draws=1):
    """Return what a prompt got: its truth, or with some chance whatever is shown first."""
    rows = []
    for name in names:
        orders = option_orders(3, respondents, int(generator.integers(2**31)))
        for respondent, order in enumerate(orders):
            for draw in range(draws):
                liked = generator.random() < PLACES[prompt]
                chosen = order[0] if liked else generator.choice(3, p=TRUTH[prompt])
                share = [PLACES[prompt] * (i == 0) for i in range(3)]
                truth = [(1 - PLACES[prompt]) * TRUTH[prompt][i] for i in order]
                rows.append(
                    {
                        "scenario": name,
                        "respondent": respondent,
                        "draw": draw,
                        "mode": mode,
                        "order": [VALUES[i] for i in order],
                        "value": VALUES[chosen] if mode == "answers" else None,
                        "share": None
                        if mode == "answers"
                        else [a + b for a, b in zip(share, truth, strict=True)],
                    }
                )
    return pa.Table.from_pylist(rows, ASKED)


def of_both(seed, respondents, **how):
    """Return what both prompts got to three questions."""
    generator = np.random.default_rng(seed)
    return [answers(prompt, generator, respondents, NAMES, **how) for prompt in TRUTH]


def halved(tables, names=NAMES):
    """Return the halves of a simulator that is asked in several prompts, as the step has them."""
    none = pa.nulls(len(names))
    described = {"scenario": names, "cluster": names, "value": [VALUES] * len(names)}
    described |= dict.fromkeys(["score", "kind", "lower", "upper"], none)
    asked = {str(i): table for i, table in enumerate(tables)}
    step = {"seed": 1, "dataset": "d", "prompted": {"s": list(asked)}}
    return splits_of(pa.table(described), [PEOPLE] * len(names), asked, step)["s"]


def test_whole_rounds_are_halved_alike_in_all_prompts():
    tables = of_both(1, 7)
    shares, many = halved(tables).halves[0]
    assert shares.shape == (2, SPLITS, 2, 3)
    assert shares.sum(-1) == pytest.approx(np.ones((2, SPLITS, 2)))
    assert set(map(tuple, many.sum(0))) == {(7.0, 7.0)}
    assert {*many[0].ravel()} <= {1.0, 3.0}
    assert (many[:, :, 0] == many[:, :, 1]).all()
    whole = np.array([np.mean(np.array(t["value"].to_pylist()[:7]) == VALUES[0]) for t in tables])
    together = (shares * many[..., None]).sum(0)[..., 0] / 7
    assert together == pytest.approx(np.broadcast_to(whole, (SPLITS, 2)))


def test_stated_shares_are_averaged_in_the_order_of_the_options():
    both = halved(of_both(2, 6, mode="probabilities"))
    shares, _ = both.halves[0]
    for i, prompt in enumerate(TRUTH):
        mean = (1 - PLACES[prompt]) * np.array(TRUTH[prompt]) + PLACES[prompt] / 3
        assert shares[:, :, i] == pytest.approx(np.broadcast_to(mean, (2, SPLITS, 3)))
    found = variance_of(both, "tv", is_smoothed=False, alpha=0.05)
    assert found["chance"] == pytest.approx(0.0)
    plain, role = (
        abs((1 - PLACES[name]) * np.array(TRUTH[name]) + PLACES[name] / 3 - PEOPLE).sum() / 2
        for name in TRUTH
    )
    assert found["between"] == pytest.approx((plain - role) ** 2 / 2)
    assert found["of_means"] == pytest.approx(found["between"])


def test_with_one_round_the_draws_are_halved():
    found = variance_of(halved(of_both(3, 3)), "tv", is_smoothed=False, alpha=0.05)
    assert found == {"m_variance": 0, "reason": TOO_FEW}
    assert (
        halved(of_both(4, 3, draws=2)).halves[0][1].tolist()
        == np.full((2, SPLITS, 2), 3.0).tolist()
    )


def test_a_question_that_a_prompt_left_unanswered_is_left_out():
    generator = np.random.default_rng(4)
    names = [f"q{i}" for i in range(FEWEST + 1)]
    plain = answers("plain", generator, 6, names)
    role = answers("role", generator, 6, names[1:])
    assert list(halved([plain, role], names).rows) == [1, 2, 3]


def test_what_is_infinite_has_no_variance():
    both = halved(of_both(5, 6))
    found = variance_of(both, "kl", is_smoothed=False, alpha=0.05)
    assert found["reason"].startswith("infinite")
    smooth = variance_of(both, "kl", is_smoothed=True, alpha=0.05)
    assert np.isfinite(smooth["between"])
