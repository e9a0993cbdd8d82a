"""The tables that report and figures read, by what they are called there."""

from pathlib import Path

from fidelity_study.config.steps import STEPS
from fidelity_study.config.study import Study

COMPARISON = "comparison/{}.parquet".format
SHOWN: dict[str, dict[str, str | list[str]]] = {
    "ingest": {"scenarios": "scenarios.parquet", "respondents": "respondents.parquet"},
    "ingest_tabular_given": {"given": ["given.parquet"]},
    "nonresponse": {"nonresponse": "nonresponse.csv"},
    "proper_scores": {"proper_scores": COMPARISON("proper_scores")},
    "bootstrap": {"people": "bootstrap/n{n}.parquet"},
    "bootstrap_simulators": {"simulated": "bootstrap/simulators.parquet"},
    "quantile": {
        "curves": ["quantile/n{n}.parquet"],
        "summaries": ["quantile/summary_n{n}.parquet"],
    },
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
        for name in (
            *("structure", "associations", "scales"),
            *("dispersion", "group_differences"),
        )
    },
    "groups": {name: COMPARISON(name) for name in ("by_group", "between_groups")},
    "twins": {"twins": "structure/twins.parquet"},
    "effects": {
        name: [f"effects/{name}.parquet"] for name in ("effects", "effect_summary", "effect_plan")
    },
    "vectors": {
        name: [f"vectors/{name}.parquet"]
        for name in ("told", "distances", "features", "examples", "projection", "paths")
    },
    "calibration": {
        "calibration": ["calibration/scores.parquet", "calibration/reliability.parquet"]
    },
    "intervals": {"calibration": ["calibration/intervals.parquet"]},
    "plan": {"plan": [f"plan/{name}.parquet" for name in ("plans", "iso_width", "means")]},
    "prompts": {"prompts": [COMPARISON("prompts")]},
    "sequence": {"sequence": [COMPARISON("sequence")], "drift": [COMPARISON("drift")]},
    "new_questions": {"new_questions": ["predict/questions.parquet"]},
    "target": {"target": ["target/means.parquet"]},
    "predict": {
        "predictions": [
            f"predict/{name}.parquet" for name in ("predictions", "held_out", "nearest")
        ]
    },
    "correct": {"corrections": [COMPARISON("corrections")]},
    "hybrids": {"hybrids": [COMPARISON("hybrids")]},
}


def report_files(
    study: Study, dataset: str, folder: str | Path = "."
) -> dict[str, str | list[str]]:
    """Return the paths of the tables that report and figures read of a dataset.

    Args:
        study: the checked config.
        dataset: its name.
        folder: the study's, as seen from where the paths are read.

    Returns:
        A list of paths where datasets may lack the tables, or have one for each n; else the path of
        the only table, or of that for the last n.
    """
    files: dict[str, str | list[str]] = {}
    for step, tables in SHOWN.items():
        runs = STEPS[step].runs(study.datasets[dataset])
        for name, paths in tables.items():
            if isinstance(paths, list):
                made = [
                    str(Path(folder) / dataset / path.format(**run))
                    for path in paths
                    for run in runs
                ]
                files[name] = [*files.get(name, []), *made]
            elif runs:
                files[name] = str(Path(folder) / dataset / paths.format(**runs[-1]))
    return files
