"""EDSL: ``Results.to_csv``, a row for each agent, scenario, model and iteration.

Columns are called after what they are of, as ``answer.q1``, ``model.model``, ``agent.age`` and
``question_text.q1_question_text``.
"""

from dataclasses import replace

from fidelity_study.reading.tabular.exports.table import Table, columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.questions import is_personal
from fidelity_study.reading.tabular.shown import shown

ANSWER, MODEL, SIMULATOR = "answer", "model.model", "simulator"
OF_EDSL = {MODEL, "agent.agent_name", "iteration.iteration"}
OF_QUESTION = ("question_text", "question_type", "question_options", "comment")
TEXTS = {"free_text", "list", "extract", "dict", "file_upload", "interview", "thinking", "markdown"}
NO_TRAITS = {"agent_index", "agent_instruction", "scenario_index", "persona"}
OF_TRAITS = ("agent", "scenario", "iteration")
OF_MODEL = {"model_index", "inference_service", "logprobs", "top_logprobs"}
LOOKED_AT = 2_000


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the models and questions of an export of EDSL."""
    at = {name.strip(): place for place, name in enumerate(sheet.columns)}
    parts = {name: name.partition(".")[::2] for name in at}
    asked = {rest: at[name] for name, (kind, rest) in parts.items() if kind == ANSWER and rest}
    of_questions = {f"{kind}.{name}_{kind}" for kind in OF_QUESTION for name in asked}
    if not asked or not (OF_EDSL | of_questions) & {*at}:
        return None

    def facts(kind: str) -> dict[str, str]:
        """Return the first text of a column on each question."""
        there = {name: at[key] for name in asked if (key := f"{kind}.{name}_{kind}") in at}
        cells = columns_of(sheet, list(there.values()), LOOKED_AT)
        return {n: next(filter(None, some), "") for n, some in zip(there, cells, strict=True)}

    types = facts("question_type")
    texts = [name for name in asked if types.get(name) in TEXTS]
    questions = {name: place for name, place in asked.items() if name not in texts}
    traits = {
        rest: at[name]
        for name, (kind, rest) in parts.items()
        if kind in OF_TRAITS and rest not in NO_TRAITS and not is_personal(rest)
    }
    traits = {name: place for name, place in traits.items() if name not in questions}
    model = {SIMULATOR: at[MODEL]} if MODEL in at else {}
    columns = {**model, **traits, **questions}
    table = Table(sheet, list(columns.values()), list(columns), None, list(questions))
    wordings = {name: text for name, text in facts("question_text").items() if "{{" not in text}
    what = f"results of EDSL: {len(questions)} questions, its columns {ANSWER}.*"
    what += f", and simulators by {MODEL}" if model else ""
    what += f"; left out, as texts: {shown(texts)}" if texts else ""
    what += _pooled(sheet, at)
    result = replace(table, wordings=wordings).sheet(what)
    of_scenarios = [name for name in traits if f"scenario.{name}" in at]
    cells = columns_of(sheet, [traits[name] for name in of_scenarios])
    differing = [n for n, some in zip(of_scenarios, cells, strict=True) if len({*some}) > 1]
    return replace(result, by=tuple(differing))


def _pooled(sheet: Sheet, at: dict[str, int]) -> str:
    """Say which settings differ among the answers of one model, which are pooled."""
    names = [n for n in at if n.startswith("model.") and n.partition(".")[2] not in OF_MODEL]
    if MODEL not in names:
        return ""
    cells = dict(zip(names, columns_of(sheet, [at[name] for name in names]), strict=True))
    pairs = {name: {*zip(cells[MODEL], some, strict=True)} for name, some in cells.items()}
    differing = [name for name, some in pairs.items() if len(some) > len(pairs[MODEL])]
    return f"; {shown(differing, how=str)} of a model differ and are pooled" if differing else ""
