"""What is said where error bars rest on few clusters."""

FEW = 10


def warning(effective_clusters: float) -> str | None:
    """Return a warning below 10 effective clusters."""
    if effective_clusters >= FEW:
        return None
    return (
        f"{effective_clusters:.3g} effective clusters, fewer than {FEW}: the interval holds if the "
        "clusters' means are about normally distributed, which so few cannot show"
    )
