"""The estimators give the numbers of samplics and svy on six designs that are drawn, to 1e-12.

Their numbers are in tests/reference/designs.json, made by tests/reference/designs.py with samplics
0.6.1 and svy 0.35.0, which share no code with R's survey, though svy aims at its numbers. Where the
two packages differ from us or from each other, a test says by what, and which is right.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from reference import designs

from fidelity.designs import (
    DesignMean,
    design_effects,
    effective_size,
    korn_graubard_interval,
    linearised_mean,
    replicate_mean,
)

FOUND = json.loads(Path(designs.__file__).with_name("designs.json").read_text("utf-8"))
OURS = {"stratum": "strata", "psu": "psu"}
EXACT = 1e-12


def parametrized(kind: str, *excluded: str):
    names = [name for name in FOUND[kind] if not name.startswith(excluded)]
    return pytest.mark.parametrize("name", names)


def answers(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return indicators of the options, (N, d), and weights, (N,)."""
    table = designs.people(name)
    values = table["answer"].to_numpy()[:, np.newaxis] == np.array(designs.OPTIONS)
    return values, table["w"].to_numpy()


def linearised(design: str, domain: str, **own) -> DesignMean:
    table = designs.people(design)
    told = {OURS[column]: table[column] for column in designs.TOLD[design]} | own
    return linearised_mean(*answers(design), domain=designs.domain_of(table, domain), **told)


def replicated(name: str, **own) -> DesignMean:
    design, method, domain = name.split()
    weights, factors = designs.replicates(design, method)
    needed = {"fay": {"fay": designs.FAY}, "jkn": {"rscales": factors}}.get(method, {})
    inside = designs.domain_of(designs.people(design), domain)
    return replicate_mean(*answers(design), weights, method=method, domain=inside, **needed | own)


def same(found: DesignMean, peer: dict) -> None:
    """Compare shares, standard errors and, where they are told, covariances."""
    np.testing.assert_allclose(found.estimate, peer["share"], rtol=EXACT)
    if "covariance" in peer:
        scale = np.abs(found.covariance).max()
        np.testing.assert_allclose(found.covariance, peer["covariance"], atol=EXACT * scale)
    if "se_estimate" in peer:
        np.testing.assert_allclose(errors(found), peer["se_estimate"], rtol=EXACT)


def errors(found: DesignMean) -> np.ndarray:
    return np.sqrt(np.diag(found.covariance))


@pytest.mark.sampled
@parametrized("linearised")
def test_linearised_shares_and_covariances_are_theirs(name):
    """With strata, PSUs numbered anew in each, weights alone, and PSUs without the domain."""
    found = linearised(*name.split())
    for peer in FOUND["linearised"][name].values():
        same(found, peer)


@pytest.mark.sampled
@parametrized("linearised")
def test_degrees_of_freedom_are_svys_and_never_above_those_of_samplics(name):
    """samplics counts all PSUs and strata of the file, with people of the domain or without.

    svy and R's survey count those with people of the domain, as we do. Where each person is a PSU
    samplics counts men as degrees of freedom of a share of women, and those who did not answer.
    """
    design, domain = name.split()
    found, peer = linearised(design, domain), FOUND["linearised"][name]
    assert found.df == peer["svy"]["df"]
    table = designs.people(design)
    strata = len(designs.UNITS[design]) if "stratum" in designs.TOLD[design] else 1
    units = sum(designs.UNITS[design]) if "psu" in designs.TOLD[design] else len(table)
    assert found.df <= peer["samplics"]["df"] == units - strata


@pytest.mark.sampled
@parametrized("linearised")
def test_design_effects_are_svys_times_n_over_n_minus_one(name):
    """svy, like R, takes p(1 - p)/(n - 1), the variance estimated from n independent people.

    We take p(1 - p)/n, their variance at the share p, so that n over the effect is Korn and
    Graubard's size p(1 - p)/v, for which svy has no factor either: limits are the same. samplics
    takes ``deff`` and returns none.
    """
    found, peer = linearised(*name.split()), FOUND["linearised"][name]["svy"]
    n = peer["n"]
    for p, v, effect, limits in zip(
        found.estimate, np.diag(found.covariance), peer["effect"], peer["limits"], strict=True
    ):
        two = np.array([p, 1 - p]), v * np.array([[1.0, -1.0], [-1.0, 1.0]])
        assert design_effects(*two, n) == pytest.approx([effect * n / (n - 1)], rel=EXACT)
        size = np.clip((n - 1) / effect, 1, n)
        assert effective_size(*two, n) == pytest.approx(size, rel=EXACT)
        ours = korn_graubard_interval(p, v, n, found.df)
        np.testing.assert_allclose(ours, limits, rtol=EXACT)


@parametrized("lonely", "people")
def test_strata_with_one_psu_add_what_svy_and_samplics_have_them_add(name):
    """Our certainty is their ``skip``; svy's ``scale`` is average, and its ``center`` adjust.

    No woman of this design lives in the stratum with three PSUs: average is over the two strata
    with PSUs and women, as in R, not over all three.
    """
    rule, domain = name.split()
    found = linearised("lonely", domain, lonely_psu=rule)
    for peer in FOUND["lonely"][name].values():
        same(found, peer)
    assert found.df == FOUND["lonely"][name]["svy"]["df"]


@pytest.mark.parametrize("domain", designs.DOMAINS)
def test_certainty_of_samplics_takes_people_of_a_lonely_psu_for_psus(domain):
    """``certainty`` of samplics and ``self_representing`` of svy are not our certainty, nor R's.

    They take the next stage for the first: people as PSUs of the stratum. Whoever wants that says
    so by the column of PSUs.
    """
    table = designs.people("lonely")
    lonely = table["stratum"].map(dict(enumerate(designs.UNITS["lonely"], 1))) == 1
    psu = np.where(lonely, 100 + np.arange(len(table)), table["psu"])
    found = linearised("lonely", domain, psu=psu)
    for peer in FOUND["lonely"][f"people {domain}"].values():
        same(found, peer)
    assert found.df == FOUND["lonely"][f"people {domain}"]["svy"]["df"]


@pytest.mark.sampled
@parametrized("replicated")
def test_replicates_around_the_full_sample_are_theirs(name):
    """Bootstrap weights by a scale of 1/R, which both take.

    Ours is R's, 1/(R - 1), a variance larger by R/(R - 1): 0.2 % with 500 replicates. The mean of
    squares around the full sample has 1/R, and 1/(R - 1) belongs to those around the replicates'
    mean; taken around the full sample it errs on the safe side.
    """
    method = name.split()[1]
    own = {"scale": 1 / designs.REPLICATES} if method == "bootstrap" else {}
    for peer in FOUND["replicated"][name].values():
        same(replicated(name, **own), peer)
    if own:
        factor = designs.REPLICATES / (designs.REPLICATES - 1)
        expected = factor * replicated(name, **own).covariance
        np.testing.assert_allclose(replicated(name).covariance, expected, rtol=EXACT)


@pytest.mark.sampled
@parametrized("replicated")
def test_around_the_mean_of_replicates_errors_are_never_larger_but_by_pseudo_values(name):
    """Both packages centre at the mean of the replicates unless told otherwise; we never do.

    With equal factors the sum of squares is least there. With the unequal ones of jkn samplics
    centres at the mean of pseudo-values n_h p - (n_h - 1) p_r of all strata, which is no mean of
    replicates: its errors may be larger by some 1e-4. svy and R take the plain mean, which is not
    the least of the sum either, though here no error is larger.
    """
    ours = errors(replicated(name))
    peers = FOUND["replicated"][name]
    assert (peers["svy"]["se_mean"] <= ours).all()
    theirs = np.array(peers["samplics"]["se_mean"])
    if name.startswith("uneven jkn"):
        assert (theirs > ours).any() and theirs == pytest.approx(ours, rel=3e-4)
    else:
        assert (theirs <= ours).all()
        np.testing.assert_allclose(theirs, peers["svy"]["se_mean"], rtol=EXACT)


@pytest.mark.sampled
@parametrized("replicated")
def test_degrees_of_freedom_of_replicates_are_psus_minus_strata_which_neither_package_finds(name):
    """The rank of the weights, minus 1, as in R: however many replicates, PSUs minus strata.

    svy takes R - 1 unless it is told, too many for all methods but jk1, so that its t quantiles are
    too small. samplics takes R/2 for balanced half samples (4 for 6 strata here), and R - 1 else.
    A PSU without the domain still counts, as other PSUs of its stratum weigh more without it.
    """
    design, method, _ = name.split()
    units = designs.UNITS[design]
    found, peers = replicated(name), FOUND["replicated"][name]
    many = designs.replicates(design, method)[0].shape[1]
    assert found.df == sum(units) - len(units)
    assert peers["svy"]["df"] == many - 1
    half = method in ("brr", "fay")
    assert peers["samplics"]["df"] == (many // 2 if half else many - 1)
    assert (found.df == many - 1) == (method == "jk1")
