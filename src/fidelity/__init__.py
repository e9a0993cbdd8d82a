"""Quantile curves of the sim-to-real discrepancy, with guarantees.

Pure functions on arrays: no files, no workflow. Start with :func:`pseudo_discrepancy` (how far a
simulator can be from people in each scenario) and :func:`quantile_curve` (what that says of
scenarios in general). Names are imported when first used, so that a step of the workflow loads no
more than it needs.
"""

from importlib import import_module

_MODULES = {
    "bootstrap": ["resample", "subsample"],
    "confidence_set": ["confidence_radius"],
    "coverage": ["Coverage", "parse_coverage"],
    "pseudo_discrepancies": ["pairwise_pseudo_discrepancy", "pseudo_discrepancy"],
    "guarantee": ["certified_curve", "exact_level", "marginal_rank", "paper_level"],
    "quantile": [
        "area_under_curve",
        "closer_share",
        "empirical_quantile",
        "lower_quantile_curve",
        "quantile_curve",
        "tail_mean",
        "value_at_risk",
    ],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
