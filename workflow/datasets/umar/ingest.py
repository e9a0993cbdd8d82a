"""UMAR: the temperature of a room half an hour ahead, measured and forecast by three models.

A scenario is an hour of the day, on weekdays or at the weekend, at one of four levels of outdoor
temperature; its responses are the temperatures of the half hours that follow.
"""

import warnings

import numpy as np
import pandas as pd
import paper_release as release
import pyarrow as pa
from pyarrow import csv
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from fidelity.stream import stream
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.tables.ingest import HUMAN

ROOM, OUTDOORS, SETPOINT, SUN = "temp_275", "temp_amb", "setp_275", "irrad"
SENSORS = [ROOM, OUTDOORS, SETPOINT, SUN]
WINDOW = "30min"
HOTTEST = 30.0  # above are faults of the sensor, say the authors
FOLDS = 5
FEATURES = ["room", "before", "hour", "weekend", "month", "outdoors", "setpoint", "sun"]


def read_sensors(path):
    """Return the columns in use of one year's table, a row per minute."""
    columns = {"time": pa.string(), **dict.fromkeys(SENSORS, pa.float64())}
    how = csv.ConvertOptions(include_columns=[*columns], column_types=columns)
    frame = csv.read_csv(path, convert_options=how).to_pandas()
    frame["time"] = pd.to_datetime(frame["time"], errors="coerce")
    return frame.dropna(subset="time")


def half_hours(minutes):
    """Return half-hourly means, each with the one before and ``next``, the one to forecast."""
    means = minutes.set_index("time")[SENSORS].sort_index(kind="stable").resample(WINDOW).mean()
    time = means.index
    return pd.DataFrame(
        {
            "room": means[ROOM],
            "before": means[ROOM].shift(1),
            "next": means[ROOM].shift(-1),
            "hour": time.hour,
            "weekend": (time.weekday >= 5).astype(int),
            "month": time.month,
            "outdoors": means[OUTDOORS],
            "setpoint": means[SETPOINT],
            "sun": means[SUN],
            "level": pd.qcut(means[OUTDOORS], 4, labels=False, duplicates="drop"),
        }
    )


def in_use(windows):
    """Return the half hours to study, with their scenario, and how many went into them."""
    known = windows.dropna(subset=["room", "before", "next", "outdoors", "level"])
    plausible = known[(known[["room", "before", "next"]] <= HOTTEST).all(axis=1)]
    used = plausible.dropna(subset=FEATURES).copy()
    used["level"] = used["level"].astype(int)
    used["scenario"] = [
        f"{row.hour:02d}h|{'weekend' if row.weekend else 'weekday'}|{row.level + 1}"
        for row in used.itertuples()
    ]
    sizes = used.groupby("scenario").size()
    numbers = {
        "windows": len(known),
        "windows above 30 °C": len(known) - len(plausible),
        "scenarios": len(sizes),
        "windows of scenarios": len(used),
        "fewest in a scenario": sizes.min(),
        "most in a scenario": sizes.max(),
        "mean variance": used.groupby("scenario")["next"].var().mean(),
    }
    return used, numbers


def model(name, seed):
    """Return one of the authors' models, not fitted yet."""
    return {
        "linear": lambda: LinearRegression(),
        "tree": lambda: DecisionTreeRegressor(max_depth=3, min_samples_leaf=120, random_state=seed),
        "mlp": lambda: make_pipeline(
            StandardScaler(),
            MLPRegressor(
                hidden_layer_sizes=(24, 12),
                alpha=1e-3,
                early_stopping=True,
                n_iter_no_change=5,
                max_iter=25,
                random_state=seed,
            ),
        ),
    }[name]()


def forecasts(name, used, step):
    """Return each half hour's forecast and its fold, and the residuals of each fold's model.

    The folds are stretches of time. A model forecasts the fold that it was not fitted to.
    """
    x, y = used[FEATURES].to_numpy(float), used["next"].to_numpy()
    fold = np.repeat(np.arange(FOLDS), [len(part) for part in np.array_split(y, FOLDS)])
    forecast, residuals = np.empty(len(y)), []
    for held_out in range(FOLDS):
        generator = stream(step["seed"], step["dataset"], name, str(held_out), "fit")
        others, left_out = fold != held_out, fold == held_out
        fitted = model(name, int(generator.integers(2**31)))
        with warnings.catch_warnings():  # 25 rounds are the authors' choice
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted.fit(x[others], y[others])
        forecast[left_out] = fitted.predict(x[left_out])
        residual = y[others] - fitted.predict(x[others])
        residuals.append(residual - residual.mean())
    return forecast, fold, residuals


def simulated(name, used, step):
    """Return a model's draws: the forecasts of the scenario's half hours, at random, with noise."""
    forecast, fold, residuals = forecasts(name, used, step)
    parts = []
    for scenario, rows in used.reset_index(drop=True).groupby("scenario").indices.items():
        generator = stream(step["seed"], step["dataset"], scenario, name, "draws")
        drawn = generator.choice(rows, step["draws"])
        answers = forecast[drawn]
        for number in np.unique(fold[drawn]):
            in_fold = fold[drawn] == number
            answers[in_fold] += noise(name, residuals[number], generator, in_fold.sum())
        parts.append(counted(scenario, name, answers))
    return pd.concat(parts)


def noise(name, residuals, generator, n):
    """Return n errors of a forecast: residuals at random, or normal ones of the linear model."""
    if name == "linear":
        return generator.normal(0.0, residuals.std(ddof=1), n)
    return generator.choice(residuals, n)


def counted(scenario, source, numbers):
    """Return the distinct numbers, each with its count."""
    value, count = np.unique(numbers, return_counts=True)
    return pd.DataFrame({"scenario": scenario, "source": source, "value": value, "count": count})


def scenario_table(used, outcomes, step):
    """Return one row per scenario, with the numbers that occur in it."""
    values = outcomes.groupby("scenario")["value"].agg(lambda column: np.unique(column).tolist())
    levels = used.groupby("level")["outdoors"].agg(["min", "max"])
    rows = used.drop_duplicates("scenario").set_index("scenario").loc[values.index]
    hour = rows["hour"].map("{:02d}:00".format)
    weekend = rows["weekend"].map({0: "weekdays", 1: "weekend"})
    level = [f"outdoors {levels['min'][i]:.1f} to {levels['max'][i]:.1f} °C" for i in rows["level"]]
    clusters = {"hour": hour, "weekend": weekend, "outdoors": pd.Series(level, rows.index)}
    return pd.DataFrame(
        {
            "scenario": values.index,
            "cluster": clusters[step["cluster"]].to_numpy(),
            "description": [
                f"Room temperature half an hour after {h}, {w}, {at}"
                for h, w, at in zip(hour, weekend, level, strict=True)
            ],
            "value": values.to_numpy(),
            "option": [[f"{value:g}" for value in row] for row in values],
            "respondents_repeat": False,
        }
    )


def responses(step, files):
    minutes = pd.concat([read_sensors(path) for path in files.raw], ignore_index=True)
    used, known = in_use(half_hours(minutes))
    release.verify(known, files.sources, origin="the sensor tables")
    measured = [counted(name, HUMAN, rows["next"]) for name, rows in used.groupby("scenario")]
    outcomes = pd.concat(
        [*measured, *(simulated(name, used, step) for name in step["simulators"])],
        ignore_index=True,
    )
    return Responses("UMAR", outcomes, scenario_table(used, outcomes, step))
