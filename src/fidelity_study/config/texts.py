"""What is said of settings that don't fit each other, by the code of the fault."""

from typing import Any

from fidelity_study.errors import Fault, fault

TEXTS = {
    # names
    "unknown-room": "{name!r} is not a folder; {there}",
    "unknown-cluster": "{name!r} is not known; {there}",
    "unknown-simulator": "{name!r} is not known; {there}",
    "unknown-figure": "{name!r} is unknown; {there}",
    "unknown-model": "{name!r} is not among models; {there}",
    "unknown-prompt": "{name!r} is not among prompts; {there}",
    "label-twice": "{other!r} and {name!r} have the same label, {label!r}; give one of them "
    "another",
    "same-name": "{what}; rename one of them",
    "same-name-but-capitals": "{other!r} and {name!r} differ in capitals only, and so are one "
    "folder on some systems; rename one of them",
    # grid and comparison
    "sets-of-other-discrepancies": "has lists for {used}, but grid.discrepancy is {named}; name "
    "the same ones",
    "set-does-not-bound": "{name} does not bound {discrepancy} of {kind} outcomes; {works}",
    "not-in-grid": "{value!r} is not in grid.{key}, {known}",
    "n-too-small": "1 is too few for real outcomes, whose sets are resampled; use 2",
    "sigma-missing": "must be given for {sets}, as real outcomes have no bounds: the σ of "
    "sub-Gaussian answers, such as the standard deviation of normal ones",
    "sigma-of-others": "is of real outcomes only, not of {outcome} ones",
    "k-above-draws": "{k} is more than draws, {draws}; raise draws",
    "more-replicates": "{wanted} is more than grid.replicates, {known}",
    "power-below-alpha": "{power} is not above {where}.alpha, {alpha}",
    "vacuous-tolerance": "{why}",
    "malformed-gamma": "{why}",
    "gamma-twice": "{label} appears twice",
    "target-groups": "questions do not go with groups; name each question and group by itself, or "
    "give shares of clusters",
    "shares-all-zero": "all shares are 0; give at least one cluster a share",
    "curves-of-numbers": "simulators state distributions of numbers (family), and curves need "
    "sampled answers; take curves away, or take family away and give sampled answers",
    "points-have-no-options": "outcomes of the kind {kind} have no options; take {key} away",
    # asking language models
    "model-called-baseline": "{name!r} is the name of a baseline; call the model otherwise",
    "simulate-numbers": "{kind} outcomes are numbers, and models can be asked to choose an option "
    "only; take simulate away, or use binary, ordinal or categorical",
    "no-price": "needs models.{model}.price",
    "draws-of-probabilities": "probabilities are stated once for each persona; take draws away",
    "no-token-limit": "is null, but {where}.budget needs a limit; put max_completion_tokens beside "
    "it",
    "no-logprobs": "{where} asks for probabilities, which need it; take {key} away, or use mode: "
    "answers",
    "no-placeholder": "does not say where {part} goes",
    "unknown-placeholder": "{part} is not known; {there}",
    "population-in-other-mode": "{who}has {{population}}, which only mode: population asks about; "
    "take it out, or ask in that mode",
    "prompt-twice": "{other!r} and {name!r} ask in the same words; take one away",
    "prompt-and-prompts": "prompts stand in its place; take one of the two away",
    "personas-of-population": "a population is asked about without personas; take personas away "
    "(draws says how often the model is asked)",
    "name-too-long": "{what}, which has more than {most} characters; shorten a name",
    "model-missing": "'model' is missing; name it as the endpoint does",
    "extra-not-json": "cannot be sent as JSON ({error}); put texts in quotes",
    # analyses
    "sequential-without-curves": "looks are at mean discrepancies; take sequential away, or "
    "curves: false",
    "sequential-real": "real outcomes have no largest value that is known before, and intervals "
    "that hold at every look need one; take sequential away, or make the outcome bounded",
    "sequential-unlimited": "{used} has no limits that are known before, and intervals that hold "
    "at every look need them; add one of {limited} to grid.discrepancy, or take sequential away",
    "correct-numbers": "{kind} outcomes are numbers, and options are corrected; take correct away",
    "correct-without-curves": "corrected simulators are judged by their discrepancies, which "
    "curves: false leaves out; take one of the two away",
    "correct-baselines": "all simulators are baselines, which corrected ones are held against; add "
    "a simulator to test, or take correct away",
    "stacked-alone": "stacked mixes simulators, and {alone} is the only one to test; take stacked "
    "away, or add a simulator",
    "hybrids-numbers": "{kind} outcomes are numbers, and hybrids are of options; take hybrids away",
    "hybrids-without-curves": "hybrids are for datasets with curves; take hybrids away, or curves: "
    "false",
    "hybrids-infinite": "a few people leave options out, where {used} can be infinite; add tv to "
    "grid.discrepancy, or take hybrids away",
    "plan-without-curves": "plans are for curves; take plan away, or curves: false",
    "plan-numbers": "{kind} outcomes are numbers, and plans are for options; take plan away",
    "plan-discrepancies": "plans are for {planned}, and grid.discrepancy is {named}; add one of "
    "them there, or take plan away",
    "plan-sets": "every confidence set of {chosen} in the grid draws random numbers; add one that "
    "does not, such as witness, to grid.confidence_set",
    "plan-gamma": "plans are for a coverage that is the same everywhere; add a number, such as "
    "0.9, to grid.gamma",
    "plan-costs": "all are 0; give at least one a price",
    "predict-real": "real outcomes are numbers without bounds, whose confidence sets hold "
    "approximately only, so that no bound on a new question does; take predict away, or use "
    "bounded outcomes",
    "predict-without-curves": "predictions need discrepancies; take predict away, or curves: false",
    "predict-nothing": "{used} with these confidence sets gives no range of what people answer; "
    "add one of {predicted} to grid.discrepancy, and a confidence set that does not draw, such as "
    "witness",
    "predict-files": "the folder {ingest} has people's answers to all its questions; name a file "
    "of simulators' answers to new ones, predict: {{questions: FILE}}",
    "predict-groups": "does not go with groups; name each question and group by itself, as in "
    "docs/howto/predict.md, or take predict away",
    "effects-two-designs": "has {other} and attributes; an experiment has conditions, a conjoint "
    "attributes; take one of them out",
    "effects-of-files": "attributes are columns of files of answers (ingest: tabular); take them "
    "out",
    "effects-bases": "{name!r} under bases is none of attributes; add it there",
    "effects-nothing": "names the condition and the control of an experiment, or the attributes of "
    "a conjoint",
    "effects-groups": "{name!r} is none of groups; add it there",
    "predict-gamma": "{gamma} is not above 1 - alpha, {least:g}, as it must be where people may "
    "have answered several questions; raise it",
    "predict-weights": "weighted needs the key weights, a column of the scenarios",
    # evaluations
    "margin-without-baseline": "needs a baseline, the model that others are no worse than",
    "effect-too-large": "{effect:g} is more than two scores can differ, {most:g}; state it in the "
    "unit of the scores, as 0.03 for 3 points",
    "no-file": "{pattern} names no file, seen from {folder}",
    "brace-in-path": "{path} has a brace, which Snakemake takes for a wildcard; rename the file",
    "range-not-ascending": "{range} is not from low to high",
    "no-such-model": "{name!r} is no model; {there}",
}


def said(code: str, key: str, /, **values: Any) -> Fault:
    """Return the fault at a key of the config, with values in its text."""
    return fault(code, TEXTS[code].format(**values), key=key)
