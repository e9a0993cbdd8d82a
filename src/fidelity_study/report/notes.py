"""What is to be known of the data behind all numbers on a dataset; empty where nothing is."""

import numpy as np

from fidelity_study.report.formats import span
from fidelity_study.report.results import Results
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.draws import is_from_people


def draws(results: Results) -> str:
    """Say where a simulator gave fewer than k draws, or more."""
    short = [row["k_fewest"] for row in results.as_shown(results.summary) if row["k_short"]]
    said = []
    if short:
        said.append(
            f"For some {results.nouns} a simulator gave fewer answers than for others; the"
            f" fewest are {min(short):,}."
        )
    most = [int(results.compared_at(name)) for name in results.drawing]
    if most and min(most) < max(most):
        said.append(
            f"Simulators that draw are compared with each other by as many answers to each"
            f" {results.noun}, at least {min(most):,}. Where one gave more (up to"
            f" {max(most):,}), a part of its answers is drawn at random for that."
        )
    return " ".join(said)


def shown(results: Results) -> str:
    """Say which simulators a figure leaves out."""
    drawn, every = results.shown, results.simulators
    if drawn == every:
        return ""
    if not results.files["curves"]:
        return f"The first {len(drawn)} of {len(every)} simulators."
    return (
        f"{len(drawn)} of {len(every)} simulators: the first under test and the lowest curves;"
        " summary.csv has all."
    )


def weights(results: Results) -> str:
    """Say how many people the weighted ones count as.

    :class:`fidelity_study.reading.ingest.responses.Responses` has the three numbers that it
    can be.
    """
    if not results.weighted:
        return ""
    people, effective, freedom = (
        numbers(results.scenarios[name]) for name in ("n_human", "n_effective", "df")
    )
    who = "profiles" if results.is_conjoint else "people"
    worth = f"{span(people)} {who} of a {results.noun} tell as much as {span(effective)}"
    if results.is_conjoint and not results.has_weights:
        return (
            "Errors allow for what answers of one person have in common."
            f" {worth} of as many persons (Korn and Graubard). Coverage is approximate."
        )
    if results.has_design:
        return (
            "People were sampled by a design, with strata and primary sampling units or"
            f" replicate weights. {worth} drawn at random (Korn and Graubard), estimated with"
            f" {span(freedom)} degrees of freedom. Coverage is approximate."
        )
    if effect := results.step["weighting_effect"]:
        known = f"Their number is divided by the config's weighting_effect of {effect:g}."
    elif np.allclose(people, effective):
        return (
            "Counts of people have fractions, as percentages or weights leave them. They count"
            " as unweighted; if they were weighted, put weighting_effect in the config, since"
            " their shares are less precise then. Coverage is approximate."
        )
    else:
        known = "They count as Kish's effective number of people for their weights."
    return f"People are weighted. {known} {worth} without weights. Coverage is approximate."


def smoothing(results: Results) -> str:
    """Say for which discrepancies sampled answers were smoothed."""
    smoothed = [name for name in results.pairs if name in results.step["smoothed"]]
    if not smoothed:
        return ""
    return (
        f"For {', '.join(smoothed)}, half an answer was added to each option of sampled"
        " answers, so that no option has a share of zero."
    )


def dependence(results: Results) -> str:
    """Say whether the same people answer several scenarios."""
    nouns = results.nouns
    if results.respondents_repeat is None:
        return (
            f"It is not known whether the same people answer several {nouns}, so all of"
            " them may depend on each other. Intervals of means allow for that, and are longer"
            f" for it; curves are not certain for other {nouns}. If nobody answered"
            " several, write respondents_repeat: false in the config."
        )
    if not results.respondents_repeat:
        return ""
    shared = f"The same people answer several {nouns}, which makes"
    if results.all_share_people:
        return (
            f"{shared} all of them dependent: curves are not certain for other {nouns}, and may"
            f" be too low at any number of {nouns}."
        )
    return (
        f"{shared} up to {results.shared_people} of them dependent: curves and shares with"
        f" {results.bound_level} confidence allow for that."
    )


def fitted(results: Results) -> str:
    """Say which baselines have no confidence bounds."""
    if not any(map(is_from_people, results.simulators)):
        return ""
    return (
        f"Baselines made from people's answers to other {results.nouns} depend on these"
        " answers. Their curves, and the shares of pairs with them, have no confidence bounds."
    )


def clusters(results: Results) -> str:
    """Say for which scenarios guarantees hold, where these come in clusters."""
    nouns = results.nouns
    if results.one_cluster:
        return (
            f"All {nouns} are of one cluster (by {results.step['cluster']}): intervals and "
            f"guarantees hold for more {nouns} of this cluster, and for no other cluster."
        )
    if not results.clustered:
        return ""
    return (
        f"The {nouns} come in {results.clusters_text}: guarantees hold for more {nouns} of the"
        " same clusters, unless new clusters are named."
    )
