"""The tables that the report and the figures read, by what they are called there."""

from pathlib import Path

from fidelity_study.config.steps import STEPS
from fidelity_study.config.study import Study

COMPARISON = "comparison/{}.parquet".format
SHOWN: dict[str, dict[str, str | list[str]]] = {
    "ingest": {"scenarios": "scenarios.parquet", "respondents": "respondents.parquet"},
    "ingest_tabular_given": {"given": ["given.parquet"]},
    "nonresponse": {"nonresponse": "nonresponse.csv"},
    "proper_scores": {"proper_scores": COMPARISON("proper_scores")},
    "sample_size": {"sample_size": "sample_size.parquet"},
    "bootstrap": {"people": "bootstrap/n{n}.parquet"},
    "bootstrap_simulators": {"simulated": "bootstrap/simulators.parquet"},
    "quantile": {
        "curves": ["quantile/n{n}.parquet"],
        "summaries": ["quantile/summary_n{n}.parquet"],
    },
    "guarantee": {"guarantee": "guarantee/n{n}.parquet", "levels": "guarantee/levels_n{n}.parquet"},
    "envelope": {
        "envelope": ["envelope/curves.parquet"],
        "envelope_shares": ["envelope/shares.parquet"],
    },
    "mean_discrepancy": {
        name: COMPARISON(name)
        for name in ("mean_discrepancy", "mean_differences", "by_cluster", "lists", "limits")
    },
    "people_reference": {"people_reference": COMPARISON("people_reference")},
    "structure": {
        name: f"structure/{name}.parquet"
        for name in ("structure", "associations", "pair_tables", "scales")
    },
    "twins": {"twins": "structure/twins.parquet"},
    "error_bars": {"means": COMPARISON("means")},
    "comparison": {"shares": "comparison/shares.csv"},
    "calibration": {
        "calibration": ["calibration/scores.parquet", "calibration/reliability.parquet"]
    },
    "intervals": {"calibration": ["calibration/intervals.parquet"]},
    "plan": {"plan": [f"plan/{name}.parquet" for name in ("plans", "iso_width", "means")]},
    "prompts": {"prompts": [COMPARISON("prompts")]},
    "sequence": {"sequence": [COMPARISON("sequence")], "drift": [COMPARISON("drift")]},
    "new_questions": {"new_questions": ["predict/questions.parquet"]},
    "predict": {
        "predictions": [
            f"predict/{name}.parquet" for name in ("predictions", "held_out", "nearest")
        ]
    },
    "correct": {"corrections": [COMPARISON("corrections")]},
    "hybrids": {"hybrids": [COMPARISON("hybrids")]},
}
IN_FIGURES_ONLY = {"means", "guarantee"}
IN_REPORT_ONLY = {
    *("respondents", "given", "nonresponse", "proper_scores", "sample_size", "people", "simulated"),
    *("envelope_shares", "lists", "limits", "people_reference", "prompts", "sequence", "drift"),
    *SHOWN["structure"],
    *SHOWN["twins"],
}


def report_files(
    study: Study, dataset: str, folder: str | Path = "."
) -> dict[str, str | list[str]]:
    """Return the paths of the tables that the report reads of a dataset.

    Args:
        study: the checked config.
        dataset: its name.
        folder: the study's, as seen from where the paths are read.

    Returns:
        A list of paths where datasets may lack the tables, or have one for each n; else the path of
        the only table, or of that for the last n.
    """
    return _files(study, dataset, IN_FIGURES_ONLY, Path(folder))


def figure_files(
    study: Study, dataset: str, folder: str | Path = "."
) -> dict[str, str | list[str]]:
    """Return the paths of the tables that a dataset's figures read; see :func:`report_files`."""
    return _files(study, dataset, IN_REPORT_ONLY, Path(folder))


def _files(
    study: Study, dataset: str, without: set[str], folder: Path
) -> dict[str, str | list[str]]:
    files: dict[str, str | list[str]] = {}
    for step, tables in SHOWN.items():
        runs = STEPS[step].runs(study.datasets[dataset])
        for name in [name for name in tables if name not in without]:
            paths = tables[name]
            if isinstance(paths, list):
                made = [
                    str(folder / dataset / path.format(**run)) for path in paths for run in runs
                ]
                files[name] = [*files.get(name, []), *made]
            elif runs:
                files[name] = str(folder / dataset / paths.format(**runs[-1]))
    return files
