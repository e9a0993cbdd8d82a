"""Warnings where error bars rest on few clusters, or can't be given."""

from math import isnan

from fidelity.comparison.error_bars import ErrorBar

FEW = 10


def warning_of(bar: ErrorBar) -> str | None:
    """Return why an error bar has no interval, or else the warning below 10 effective clusters."""
    if isnan(bar.df):
        return "no interval: one cluster has nearly all scenarios and tells nothing about others"
    if isnan(bar.lower):
        return (
            "no interval: all scores, or the means of all clusters, are equal, which does not show "
            "how much they vary"
        )
    return warning(bar.effective_clusters)


def warning(effective_clusters: float) -> str | None:
    """Return a warning below 10 effective clusters."""
    if effective_clusters >= FEW:
        return None
    return (
        f"{effective_clusters:.3g} effective clusters, fewer than {FEW}: the interval holds if the "
        "clusters' means are about normally distributed, which so few cannot show"
    )
