"""Make the small logs in logs/, and what others say of the same scores, in logs/reference.json.

Needs inspect_ai, lm_eval and statsmodels, in an environment of its own:

    python tests/evals/make_logs.py

24 questions on 6 passages, put to two models that answer by chance, which is drawn from their
names; 18 of them three times, and 12 of these by all reducers. What the logs say of the machine
that made them is taken out.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from inspect_ai import Epochs, Task
from inspect_ai import eval as run
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, accuracy, match, mean, scorer, stderr
from inspect_ai.solver import solver
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker

LOGS = Path(__file__).parent / "logs"
MODELS = ["galleon", "dreadnought"]
REDUCERS = ["mean", "median", "mode", "max", "at_least_2", "pass_at_2"]
QUESTIONS, PASSAGES = 24, 6
SKILL = {"galleon": 0.75, "dreadnought": 0.55}
REFUSED = "q07"
TIME = "2026-01-01T00-00-00.000000"
KEPT = ("results", "model_name", "n-samples", "higher_is_better")


def chance(model: str, *what) -> float:
    """Return a number in [0, 1] that is drawn from what it is for."""
    seed = [ord(letter) for letter in "/".join(map(str, (model, *what)))]
    return float(np.random.default_rng(seed).random())


def is_right(model: str, question: str, passage: str, epoch: int) -> bool:
    """Return whether a model's answer is right; passages are hard for both models."""
    hard = 0.5 * chance("all", passage) + 0.3 * chance("all", question) - 0.4
    return chance(model, question, epoch) < SKILL[model] - hard


def passage_of(i: int) -> str:
    """Return the passage of a question: passages have 2 to 6 questions."""
    return f"passage {np.searchsorted(np.cumsum([2, 3, 4, 4, 5, 6]), i, side='right')}"


def samples() -> list[Sample]:
    return [
        Sample(
            id=f"q{i:02}",
            input=f"What is {i} and {i + 1}?",
            target=str(2 * i + 1),
            metadata={"passage": passage_of(i)},
        )
        for i in range(QUESTIONS)
    ]


@solver
def drawn():
    """Answer by chance."""

    async def solve(state, generate):
        model = str(state.model).rpartition("/")[2]
        if str(state.sample_id) == REFUSED and model == "dreadnought" and fails["now"]:
            raise ValueError("the tool timed out")
        right = is_right(model, str(state.sample_id), state.metadata["passage"], state.epoch)
        state.output = ModelOutput.from_content(model, state.target.text if right else "no idea")
        return state

    return solve


fails = {"now": False}


@scorer(metrics=[accuracy(), stderr()])
def graded():
    """C, P, I or N by chance."""

    async def score(state, target):
        model = str(state.model).rpartition("/")[2]
        at = chance(model, state.sample_id, "graded")
        return Score(value="CCPIN"[int(5 * at)])

    return score


@scorer(metrics={"probability": [mean(), stderr()], "length": [mean()]})
def stated():
    """The probability of the right answer, and something else, in one score."""

    async def score(state, target):
        model = str(state.model).rpartition("/")[2]
        at = chance(model, state.sample_id, "stated")
        return Score(value={"probability": round(at, 4), "length": 7})

    return score


def inspect_logs() -> dict:
    """Run inspect_ai; return what its logs say of the standard errors."""
    by_passage = [accuracy(), stderr(), stderr(cluster="passage")]
    once = Task(
        MemoryDataset(samples()),
        name="sums",
        solver=drawn(),
        scorer=match("any"),
        metrics=by_passage,
    )
    thrice = Task(
        MemoryDataset(samples()[:18]),
        name="sums_thrice",
        solver=drawn(),
        scorer=match("any"),
        metrics=by_passage,
        epochs=Epochs(3, "mean"),
    )
    several = Task(
        MemoryDataset(samples()), name="several", solver=drawn(), scorer=[graded(), stated()]
    )
    reduced = Task(
        MemoryDataset(samples()[:12]),
        name="sums_reduced",
        solver=drawn(),
        scorer=match("any"),
        epochs=Epochs(3, REDUCERS),
    )
    told = {}
    for task in (once, thrice, several, reduced):
        fails["now"] = task is several
        for model in MODELS:
            (log,) = run(
                task,
                model=get_model(f"mockllm/{model}"),
                display="none",
                log_dir=str(LOGS / "made"),
                fail_on_error=False,
                log_samples=True,
            )
            name = f"{log.eval.task}_{model}.eval"
            log = read_eval_log(log.location)
            log.eval.revision = log.eval.task_file = None
            for sample in log.samples:
                if sample.error:
                    sample.error.traceback = sample.error.traceback_ansi = ""
                    sample.events = []
            write_eval_log(log, str(LOGS / name))
            told[name] = {
                " ".join([score.name, *([score.reducer] if task is reduced else [])]): {
                    key: each.value for key, each in score.metrics.items()
                }
                for score in read_eval_log(str(LOGS / name)).results.scores
            }
    return told


class Drawn(LM):
    """A model that answers by chance."""

    def __init__(self, name: str):
        """Say what it is called."""
        super().__init__()
        self.name = name

    def loglikelihood(self, requests, disable_tqdm=False):
        """State log-probabilities by chance."""
        return [(-5 * chance(self.name, *each.args), False) for each in requests]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        """Nobody asks for it."""
        raise NotImplementedError

    def generate_until(self, requests, disable_tqdm=False):
        """Write answers by chance."""
        found = []
        for each in requests:
            i = int(each.args[0].split()[2])
            answer = str(2 * i + 1) if chance(self.name, i) < SKILL[self.name] else "13"
            found.append(
                f"#### {answer}" if chance(self.name, i, "format") < 0.8 else f"It is {answer}"
            )
        return found


def harness_logs() -> dict:
    """Run lm-evaluation-harness; return what it says of the standard errors."""
    data = LOGS / "made.jsonl"
    rows = [
        {
            "question": f"What is {i} and {i + 1}?",
            "choices": [str(2 * i + 1), str(2 * i + 2), str(3 * i)],
            "answer": str(2 * i + 1),
            "passage": passage_of(i),
        }
        for i in range(QUESTIONS)
    ]
    data.write_text("\n".join(map(json.dumps, rows)))
    common = {
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "doc_to_text": "{{question}}",
    }
    chosen = {
        **common,
        "task": "sums_chosen",
        "output_type": "multiple_choice",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": 0,
    }
    patterns = {"strict": r"#### (\d+)", "flexible": r"(\d+)"}
    written = {
        **common,
        "task": "sums_written",
        "output_type": "generate_until",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"until": ["\n\n"]},
        "metric_list": [{"metric": "exact_match"}],
        "filter_list": [
            {
                "name": name,
                "filter": [
                    {"function": "regex", "regex_pattern": pattern},
                    {"function": "take_first"},
                ],
            }
            for name, pattern in patterns.items()
        ],
    }
    told = {}
    for model in MODELS:
        tracker = EvaluationTracker(output_path=str(LOGS / "made"))
        found = simple_evaluate(
            model=Drawn(model),
            tasks=[chosen, written],
            log_samples=True,
            evaluation_tracker=tracker,
            bootstrap_iters=1000,
        )
        rows = found.pop("samples")
        folder = LOGS / model
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        tracker.general_config_tracker.model_name = model
        tracker.general_config_tracker.model_name_sanitized = model
        tracker.save_results_aggregated(results=found, samples=rows)
        for name, own in rows.items():
            tracker.save_results_samples(task_name=name, samples=own)
        for path in (LOGS / "made").rglob(f"*{tracker.date_id}*"):
            shutil.move(path, folder / path.name.replace(tracker.date_id, TIME))
        results = folder / f"results_{TIME}.json"
        every = json.loads(results.read_text())
        results.write_text(json.dumps({key: every[key] for key in KEPT}, indent=1) + "\n")
        told[model] = {
            name: {key: value for key, value in own.items() if isinstance(value, float)}
            for name, own in found["results"].items()
        }
    data.unlink()
    return told


def statsmodels_says() -> dict:
    """Return standard errors of statsmodels: OLS on a constant, of scores that are drawn here."""
    generator = np.random.default_rng(4)
    clusters = np.repeat(np.arange(9), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    scores = np.round(generator.normal(size=9)[clusters] + generator.normal(size=45), 3)
    model = sm.OLS(scores, np.ones(45))
    groups = {"groups": clusters}
    return {
        "scores": scores.tolist(),
        "clusters": clusters.tolist(),
        "nonrobust": float(model.fit().bse[0]),
        "HC0": float(model.fit(cov_type="HC0").bse[0]),
        "HC1": float(model.fit(cov_type="HC1").bse[0]),
        "HC2": float(model.fit(cov_type="HC2").bse[0]),
        "cluster": float(model.fit(cov_type="cluster", cov_kwds=groups).bse[0]),
        "cluster uncorrected": float(
            model.fit(cov_type="cluster", cov_kwds={**groups, "use_correction": False}).bse[0]
        ),
        "cluster t": model.fit(cov_type="cluster", cov_kwds=groups, use_t=True)
        .conf_int()[0]
        .tolist(),
        "shared clusters": shared_clusters(generator),
    }


def shared_clusters(generator: np.random.Generator) -> dict:
    """Return two evals on common passages, and the errors of their means' means.

    By OLS on a dummy for each eval, without a correction for few clusters.
    """
    passages = [np.repeat(np.arange(9), 4), np.resize(np.arange(3, 14), 30)]
    hard = generator.normal(size=14)
    scores = [np.round(hard[own] + generator.normal(size=len(own)), 3) for own in passages]
    y, groups = np.concatenate(scores), np.concatenate(passages)
    of = np.repeat([0, 1], [36, 30])
    dummies = np.column_stack([of == 0, of == 1]) * 1.0
    fit = sm.OLS(y, dummies).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    told = {
        name: float(np.sqrt(weight @ fit.cov_params() @ weight))
        for name, weight in (
            ("pooled", np.array([36, 30]) / 66),
            ("macro", np.array([0.5, 0.5])),
        )
    }
    return {
        "scores": [each.tolist() for each in scores],
        "clusters": [each.tolist() for each in passages],
        **told,
    }


def main() -> None:
    """Make all of it anew."""
    told = {
        "inspect_ai": inspect_logs(),
        "lm_eval": harness_logs(),
        "statsmodels": statsmodels_says(),
    }
    shutil.rmtree(LOGS / "made", ignore_errors=True)
    (LOGS / "reference.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
