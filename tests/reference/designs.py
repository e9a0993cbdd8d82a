"""Survey designs as samplics and svy estimate them, into designs.json.

Run it where both are installed: ``python tests/reference/designs.py``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

OPTIONS = ("never", "sometimes", "often", "always")
# How many PSUs each stratum has, and which of strata and psu the packages are told.
UNITS = {
    "pairs": (2, 2, 2, 2, 2, 2),
    "uneven": (2, 3, 5, 7),
    "clusters": (12,),
    "persons": (2, 4, 3),
    "weighted": (6,),
    "lonely": (1, 2, 3, 4, 1),
}
TOLD = {
    "pairs": ("stratum", "psu"),
    "uneven": ("stratum", "psu"),
    "clusters": ("psu",),
    "persons": ("stratum",),
    "weighted": (),
    "lonely": ("stratum", "psu"),
}
# Stratum and PSU where no women live; a PSU of 0 says all of the stratum.
WITHOUT_WOMEN = {"uneven": (2, 3), "lonely": (3, 0)}
DOMAINS = ("all", "women")
METHODS = {
    "pairs": ("brr", "fay", "jkn", "bootstrap"),
    "uneven": ("jkn", "bootstrap"),
    "clusters": ("jk1", "bootstrap"),
}
LONELY = {"certainty": "skip", "average": "scale", "adjust": "center"}
FAY = 0.3
REPLICATES = 60


def people(name: str) -> pd.DataFrame:
    """Return a row a person of a design; PSUs are numbered anew in each stratum."""
    generator = np.random.default_rng(30 + list(UNITS).index(name))
    parts = []
    for stratum, units in enumerate(UNITS[name], 1):
        for psu in range(1, units + 1):
            many = int(generator.integers(8, 30))
            weight = 100 * stratum * np.exp(0.5 * generator.standard_normal(many))
            share = generator.dirichlet([3.0, 2.0, 1.5, 1.0])
            sex = generator.choice(["women", "men"], many)
            if WITHOUT_WOMEN.get(name) in ((stratum, psu), (stratum, 0)):
                sex[:] = "men"
            part = pd.DataFrame({"w": weight.round(3), "sex": sex})
            part["answer"] = generator.choice(OPTIONS, many, p=share)
            part["answered"] = generator.random(many) > 0.06
            parts.append(part.assign(stratum=stratum, psu=psu))
    return pd.concat(parts, ignore_index=True)


def domain_of(table: pd.DataFrame, domain: str) -> np.ndarray:
    """Return who answered of everybody or of the women, (N,)."""
    inside = table["answered"] & ((domain == "all") | (table["sex"] == domain))
    return inside.to_numpy()


def replicates(name: str, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Return replicate weights of a design's people, (N, R), and the factor of each, (R,)."""
    table = people(name)
    units = table[["stratum", "psu"]].drop_duplicates().to_numpy()
    sizes = np.array(UNITS[name])[units[:, 0] - 1]
    if method in ("brr", "fay"):
        kept, factors = _half_samples(units, FAY if method == "fay" else 0.0)
    elif method == "bootstrap":
        kept, factors = _resampled(units, sizes), np.full(REPLICATES, 1 / REPLICATES)
    else:
        same = units[:, :1] == units[:, 0]
        kept = np.where(same, (sizes / (sizes - 1))[:, np.newaxis], 1.0)
        np.fill_diagonal(kept, 0.0)
        factors = (sizes - 1) / sizes
    of_unit = table.groupby(["stratum", "psu"], sort=False).ngroup().to_numpy()
    return table["w"].to_numpy()[:, np.newaxis] * kept[of_unit], factors


def _half_samples(units: np.ndarray, fay: float) -> tuple[np.ndarray, np.ndarray]:
    signs = np.ones((1, 1))
    while len(signs) < units[-1, 0] + 1:
        signs = np.block([[signs, signs], [signs, -signs]])
    half = np.where(units[:, 1] == 1, 1, -1)[:, np.newaxis]
    kept = 1 + (1 - fay) * half * signs[units[:, 0]]
    return kept, np.full(len(signs), 1 / (len(signs) * (1 - fay) ** 2))


def _resampled(units: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return factors of PSUs drawn with replacement, one fewer than there are (Rao and Wu)."""
    generator = np.random.default_rng(40)
    kept = np.zeros((len(units), REPLICATES))
    for stratum in np.unique(units[:, 0]):
        rows = np.flatnonzero(units[:, 0] == stratum)
        n = len(rows)
        drawn = generator.integers(0, n, (REPLICATES, n - 1))
        for replicate, each in enumerate(drawn):
            kept[rows, replicate] = np.bincount(each, minlength=n)
    return kept * (sizes / (sizes - 1))[:, np.newaxis]


def by_samplics(name: str, domain: str, rule: str | None = None) -> dict:
    """Return shares, their covariance and degrees of freedom, linearised."""
    from samplics import PopParam, SinglePSUEst, TaylorEstimator

    table = people(name)
    own = {} if rule is None else {"single_psu": SinglePSUEst[rule]}
    found = TaylorEstimator(PopParam.prop)
    found.estimate(
        y=table["answer"],
        samp_weight=table["w"],
        domain=domain_of(table, domain).astype(int),
        **{column: table[column] for column in TOLD[name]},
        **own,
    )
    return {
        "share": [float(found.point_est[1][option]) for option in OPTIONS],
        "covariance": [
            [float(found.covariance[1][one][other]) for other in OPTIONS] for one in OPTIONS
        ],
        "df": int(found.degree_of_freedom),
    }


def by_svy(name: str, domain: str, rule: str | None = None) -> dict:
    """Return the same, design effects, and Korn and Graubard's limits.

    For ``self_representing`` PSUs get numbers of their own: it makes a stratum of the PSU's number,
    and would put PSU 1 of each lonely stratum into stratum 1.
    """
    import svy

    table = people(name)
    if rule == "self_representing":
        table["psu"] += 100 * table["stratum"]
    own = {} if rule is None else {"singleton": svy.Singleton(rule)}
    told = {column: column for column in TOLD[name]}
    sample = svy.Sample(_frame(table, domain), svy.Design(wgt="w", **told, **own))
    found = sample.estimation.prop(
        "answer", where=svy.col("inside") == 1, deff="wr", ci_method="korn-graubard"
    )
    rows, made = _in_order(found)
    return made | {
        "n": int(rows[0].n),
        "effect": [row.deff for row in rows],
        "limits": [[row.lci, row.uci] for row in rows],
    }


def replicates_by_samplics(name: str, domain: str, method: str) -> dict:
    """Return shares and standard errors around the full sample and around the replicates' mean.

    Shares are means of indicators: as proportions of a domain samplics stops with a KeyError where
    nobody of another domain chose an option.
    """
    from samplics import PopParam, ReplicateEstimator, RepMethod

    kinds = {"jkn": "jackknife", "jk1": "jackknife", "fay": "brr"}
    table = people(name)
    inside = domain_of(table, domain)
    weights, factors = replicates(name, method)
    made: dict = {}
    for conservative, centre in ((True, "estimate"), (False, "mean")):
        made["share"], made[f"se_{centre}"] = [], []
        for option in OPTIONS:
            found = ReplicateEstimator(
                RepMethod[kinds.get(method, method)],
                PopParam.mean,
                fay_coef=FAY if method == "fay" else None,
            )
            found.estimate(
                y=(table["answer"] == option).to_numpy(float)[inside],
                samp_weight=table["w"].to_numpy()[inside],
                rep_weights=weights[inside],
                rep_coefs=factors if method == "jkn" else None,
                conservative=conservative,
            )
            made["share"].append(float(found.point_est))
            made[f"se_{centre}"].append(float(found.stderror))
            made["df"] = int(found.degree_of_freedom)
    return made


def replicates_by_svy(name: str, domain: str, method: str) -> dict:
    """Return the same with the covariance around the full sample."""
    import svy

    weights, factors = replicates(name, method)
    many = weights.shape[1]
    kinds = {
        "brr": lambda: svy.BrrWgts(prefix="rep", n_reps=many),
        "fay": lambda: svy.BrrWgts(prefix="rep", n_reps=many, fay_coef=FAY),
        "jk1": lambda: svy.JackknifeWgts(prefix="rep", n_reps=many, kind="jk1"),
        "jkn": lambda: svy.JackknifeWgts(
            prefix="rep", n_reps=many, kind="jkn", scale=factors.tolist()
        ),
        "bootstrap": lambda: svy.BootstrapWgts(prefix="rep", n_reps=many),
    }
    columns = {f"rep{r + 1}": weights[:, r] for r in range(many)}
    frame = _frame(people(name).assign(**columns), domain)
    sample = svy.Sample(frame, svy.Design(wgt="w", rep_wgts=kinds[method]()))
    made = {}
    for centre, word in (("mean", "rep_mean"), ("estimate", "estimate")):
        found = sample.estimation.prop(
            "answer",
            where=svy.col("inside") == 1,
            method="replication",
            variance_center=word,
        )
        rows, numbers = _in_order(found)
        made |= numbers
        made[f"se_{centre}"] = [row.se for row in rows]
    return made


def _frame(table: pd.DataFrame, domain: str):
    import polars

    inside = domain_of(table, domain).astype(int)
    return polars.DataFrame(table.assign(inside=inside).to_dict("list"))


def _in_order(found) -> tuple[list, dict]:
    """Return svy's rows in the order of the options, and what they and its covariance say."""
    levels = [row.y_level for row in found.estimates]
    order = [levels.index(option) for option in OPTIONS]
    rows = [found.estimates[place] for place in order]
    covariance = np.asarray(found.covariance)[np.ix_(order, order)]
    return rows, {
        "share": [row.est for row in rows],
        "covariance": covariance.tolist(),
        "df": int(rows[0].df),
    }


def main() -> None:
    """Write what the packages find."""
    linearised, lonely, replicated = {}, {}, {}
    for domain in DOMAINS:
        for name in UNITS:
            if name != "lonely":
                linearised[f"{name} {domain}"] = {
                    "samplics": by_samplics(name, domain),
                    "svy": by_svy(name, domain),
                }
        for ours, rule in LONELY.items():
            lonely[f"{ours} {domain}"] = {"svy": by_svy("lonely", domain, rule)}
        lonely[f"certainty {domain}"]["samplics"] = by_samplics("lonely", domain, "skip")
        lonely[f"people {domain}"] = {
            "samplics": by_samplics("lonely", domain, "certainty"),
            "svy": by_svy("lonely", domain, "self_representing"),
        }
        for name, methods in METHODS.items():
            for method in methods:
                replicated[f"{name} {method} {domain}"] = {
                    "samplics": replicates_by_samplics(name, domain, method),
                    "svy": replicates_by_svy(name, domain, method),
                }
    packages = ("samplics", "svy", "svy_rs", "numpy", "scipy", "pandas")
    made = {
        "versions": {name: version(name) for name in packages},
        "linearised": linearised,
        "lonely": lonely,
        "replicated": replicated,
    }
    parts = [
        f"{json.dumps(part)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items())
        + "\n}"
        for part, cases in made.items()
    ]
    place = Path(__file__).with_name("designs.json")
    place.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
