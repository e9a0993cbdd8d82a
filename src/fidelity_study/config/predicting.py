"""Columns that predictions need and no file of scenarios has, told before anything runs."""

from collections.abc import Mapping, Set

from fidelity_study.errors import Faults
from fidelity_study.tabular.files import missing_files


def column_faults(datasets: Mapping[str, dict], refused: Set[str]) -> list[str]:
    """Return which columns are nowhere, one line each.

    Args:
        datasets: name -> settings, complete.
        refused: where settings were refused; columns that rest on these are not looked for.
    """
    faults = Faults()
    for name, settings in datasets.items():
        predict = settings["predict"]
        if predict is None or not (predict["features"] or predict["weights"]):
            continue
        own = settings["options"].get("scenarios"), predict["scenarios"]
        places = [f"datasets.{name}.{key}" for key in ("predict", "scenarios", "ingest", "columns")]
        rests = any(each == at or each.startswith(f"{at}.") for each in refused for at in places)
        if rests or missing_files(name, filter(None, own)):
            continue
        from fidelity_study.tabular.new_questions import refuse_unknown_columns

        with faults.collected():
            refuse_unknown_columns({**settings, "dataset": name})
    return faults.told
