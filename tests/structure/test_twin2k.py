"""Published twins: what they know within conditions, and groups that they exaggerate, by pandas."""

import sys

import numpy as np
import pytest
from mirror import MIRROR, mirrored
from small_study import REPOSITORY

from fidelity.structure import group_differences, twin_agreement

sys.path.insert(0, str(REPOSITORY / "benchmark"))
from twin2k import LARGE, PERSON, VOTE, by_person, conditions, voters

pytestmark = mirrored(MIRROR / "twin2k_groups")


@pytest.mark.slow
def test_most_of_what_twins_seem_to_know_of_privacy_is_the_condition():
    rows = by_person(MIRROR / "twin2k_experiments").query("study == 'privacy'")
    wide = rows.pivot(index=PERSON, columns="respondent_type", values="value").dropna()
    arms = conditions(MIRROR).query("study == 'privacy'").set_index(PERSON)["condition"]
    arms, sides = arms[wide.index], [wide[[who]].to_numpy() for who in ("human", "twin")]
    rng = np.random.default_rng(0)
    within = twin_agreement(*sides, strata=arms, generator=rng, permuted=999)
    over_all = twin_agreement(*sides, generator=rng, permuted=999)
    own = (wide["human"] == wide["twin"]).mean()
    others = 0.0
    for _, part in wide.groupby(arms):
        people, twins = (part[who].value_counts() for who in ("human", "twin"))
        same = (people * twins).sum() - (part["human"] == part["twin"]).sum()
        others += same / (len(part) - 1) / len(wide)
    assert within.excess.estimate == pytest.approx(own - others, abs=1e-12)
    assert within.excess.estimate == pytest.approx(0.0095, abs=1e-4)
    assert over_all.excess.lower > 0.1 and over_all.p_value == 0.001
    assert within.excess.lower < 0.0 and within.p_value > 0.02


def test_twins_exaggerate_how_far_voters_lie_apart():
    people, twins = (
        table.set_index(PERSON).sort_index().loc[:, [VOTE, "Redistribution 1"]].dropna()
        for table in voters(MIRROR)
    )
    twins = twins.loc[people.index]
    shares = people[VOTE].value_counts(normalize=True)[LARGE]
    between = []
    for table in (people, twins):
        by_vote = table.groupby(VOTE)["Redistribution 1"].agg(["mean", "var", "count"]).loc[LARGE]
        middle = shares @ by_vote["mean"]
        noise = shares * (1.0 - shares) @ (by_vote["var"] / by_vote["count"])
        between.append(shares @ (by_vote["mean"] - middle) ** 2 - noise)
    found = group_differences(
        *(table[["Redistribution 1"]].to_numpy() for table in (people, twins)),
        *(table[VOTE] for table in (people, twins)),
        same_persons=True,
    )
    assert found.people[0].estimate == pytest.approx(between[0], abs=1e-12)
    assert found.simulator[0].estimate == pytest.approx(between[1], abs=1e-12)
    assert found.ratio.lower > 2.5
