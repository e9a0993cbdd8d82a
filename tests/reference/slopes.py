"""Slopes as statsmodels computes them, into slopes.json.

Run it where statsmodels is installed: ``python tests/reference/slopes.py``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def clustered() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return two facts, answers and clusters of 1,200 rows in 300 clusters."""
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(300), 4)
    x, effect = rng.normal(size=(1200, 2)), rng.normal(size=300)[unit]
    return x, x @ [0.3, -0.2] + effect + rng.normal(size=1200), unit


def main() -> None:
    """Write what statsmodels finds, of the data of regression.json and of many clusters."""
    import statsmodels.api as sm

    data = json.loads((HERE / "regression.json").read_text(encoding="utf-8"))
    rows = sm.add_constant(np.stack([data[name] for name in ("age", "woman", "rare")], 1))
    hc2 = sm.OLS(data["y"], rows).fit(cov_type="HC2")
    x, y, unit = clustered()
    many = sm.OLS(y, sm.add_constant(x)).fit(cov_type="cluster", cov_kwds={"groups": unit})
    logit = sm.Logit(data["yes"], rows).fit(disp=False)
    binomial = sm.families.Binomial()
    weighted = sm.GLM(data["yes"], rows, binomial, freq_weights=np.array(data["weight"])).fit()
    found = {
        "statsmodels": version("statsmodels"),
        "estimate": hc2.params.tolist(),
        "hc2": hc2.cov_params().tolist(),
        "se_of_clusters": many.bse.tolist(),
        "margins": logit.get_margeff(at="overall", dummy=True).margeff.tolist(),
        "weighted_logit": weighted.params.tolist(),
    }
    (HERE / "slopes.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
