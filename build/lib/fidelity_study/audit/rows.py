"""Rows of the audit's tables."""

from fidelity_audit.coverage import CurveCoverage, SetCoverage


def _measured(coverage) -> dict:
    return {
        "nominal": coverage.nominal,
        "coverage": coverage.average,
        "standard_error": coverage.standard_error,
        "worst_nominal": coverage.worst_nominal,
        "worst": coverage.worst,
        "worst_low": coverage.worst_low,
        "worst_high": coverage.worst_high,
        "p_value": coverage.p_value,
    }


def set_row(
    population: str, confidence_set: str, discrepancy: str, gamma: str, found: SetCoverage
) -> dict:
    """Return a row of the audit of sets."""
    return {
        "population": population,
        "simulator": found.simulator,
        "confidence_set": confidence_set,
        "discrepancy": discrepancy,
        "gamma": gamma,
        "bound": found.bound,
        **_measured(found.coverage),
        "auc_ratio": found.ratio,
        "auc_ratio_error": found.ratio_error,
        "gap": found.gap,
    }


def curve_row(found: CurveCoverage, m: int, gamma, *, known_wrong: bool) -> dict:
    """Return a row of the audit of curves."""
    tied = isinstance(gamma, tuple)
    return {
        "guarantee": found.guarantee,
        "m": m,
        "gamma": f"{gamma[0]} to {gamma[1]}, tied to Δ" if tied else str(gamma),
        "known_wrong": known_wrong,
        "tau": found.tau,
        "claimed": found.claimed,
        "covered": found.covered,
        **_measured(found.coverage),
    }
