"""Usual names of columns, and words for people and models."""

import re

YES, NO = {"yes", "ja", "oui", "s\u00ed", "si", "sim"}, {"no", "nein", "non", "n\u00e3o"}
TRUE_CELLS = YES | {"1", "true", "tak", "wahr", "vrai", "verdadero", "vero"}
FALSE_CELLS = NO | {"0", "false", "nee", "nie", "falsch", "faux", "falso"}
"""What programs write into a column that says whether something is so."""
IS_SO, IS_NOT = (re.compile("|".join(x), re.IGNORECASE) for x in (TRUE_CELLS, FALSE_CELLS))
SCENARIO_LIKE = {"item", "item_id", "question", "question_id", "qid", "story", "vignette", "prompt"}
SCENARIO_LIKE |= {"event", "event_id", "market", "market_id", "statement", "frage", "pregunta"}
SCENARIO_LIKE |= {"question_key", "series", "series_id", "dilemma", "dilemma_id", "item_code"}
SCENARIO_LIKE |= {"question_code", "q", "qkey", "q_key", "question_name"}
NAMES_OF_QUESTIONS = (
    *("variable", "variable name", "var", "column", "scenario", "name"),
    *("question name", "short name", "question id", "qid", "item id", "item"),
)
WORDINGS = ("question text", "question wording", "wording", "variable label")
BESIDE_NAMES = {*WORDINGS, "question", "question title", "title"}
"""Columns of wordings beside that of questions' names."""
WAVE_LIKE = {"wave", "welle", "v\u00e5g", "vag", "vague", "fala"}
CONTROL = re.compile("control|placebo|kontroll", re.IGNORECASE)
"""How the condition of an experiment begins that others are compared with."""
FIRST = ": first"
"""Behind a ranking's name: the question of the first choice."""
COUNTRIES = {"country", "cntry", "ctry", "nation", "land", "pays", "pais", "pa\u00eds"}
COUNTRIES |= {"paese", "kraj"}
VALUE_LIKE = {"answer", "answers", "response", "responses", "choice", "label", "rating"}
VALUE_LIKE |= {"resolved", "judgment", "judgement", "decision", "verdict"}
VALUE_LIKE |= {"actual", "actuals", "actual_value", "observed", "realized", "realised"}
VALUE_LIKE |= {"outcome", "resolution", "antwort", "respuesta", "r\u00e9ponse", "reponse"}
VALUE_LIKE |= {"modalit\u00e9", "modalite", "odpowied\u017a", "odpowiedz", "risposta", "resposta"}
VALUE_LIKE |= {"antworten", "respuestas", "r\u00e9ponses", "reponses", "risposte", "respostas"}
VALUE_LIKE |= {"message.content", "answer_code", "response_code"}
PARSED = {"parsed", "output_parsed", "structured_output", "structured_response"}
SIMULATOR_LIKE = {"simulator", "model", "models", "model_name", "llm", "source", "agent", "method"}
SIMULATOR_LIKE |= {"system", "mode", "run", "forecaster", "predictor", "bot", "provider"}
SIMULATOR_LIKE |= {"respondent_type", "modell", "modello", "modelo", "mod\u00e8le", "quelle"}
SIMULATOR_LIKE |= {"fuente"}
OF_MODELS = {"simulator", "model", "models", "model_name", "llm", "modell", "modello"}
OF_MODELS |= {"modelo", "mod\u00e8le"}
RUNS = re.compile(r"run|\brep|iter|draw|sample|seed|lauf|persona|profile|agent|twin", re.I)
PEOPLE = re.compile(
    r"(real )?(human|people|person|participant|respondent|subject|crowd|mensch|leute|humain|humano"
    r"|umano|persona|ground.?truth)s?(en|es)?\b.*",
    re.IGNORECASE,
)
RATER = re.compile(
    r"(.*[ _])?(rater|annotator|coder|labell?er|reviewer|evaluator|grader|bewerter)s?[ _.:#-]*"
    r"([a-z\d]|[ _.:#-].*)?|(human|expert|person)[ _.#-]*([a-z\d]|[ _]?[:-].+)",
    re.IGNORECASE,
)
"""Names of columns of a person's ratings."""
NAME_OF_MODEL = re.compile(
    r"gpt|claude|llama|gemini|mistral|mixtral|qwen|deepseek|gemma|\bphi-?\d|grok|command-r|falcon"
    r"|vicuna|\bo\d\b",
    re.IGNORECASE,
)
MODEL = re.compile(
    rf"{NAME_OF_MODEL.pattern}|llm|\bai\b|model|simulat|synthetic|twin|silicon|\bbot\b",
    re.IGNORECASE,
)
TRUTH = "ground truth"
SURELY_TRUE = {"y_true", "true_label", "true_class", "ground_truth", "truth", "actual"}
TRUTHS = SURELY_TRUE | {"resolution", "resolved_to", "outcome", "happened"}
"""Names of columns that say what came true."""
UNWEIGHTED = ("unweightedbase", "unweightedn", "unweightedsample")
PLAIN = ("n", "base", "sample", "samplesize", "respondents", "fallzahl", "basis")
BASES = (*UNWEIGHTED, *PLAIN, "weightedbase", "weightedn", "weightedsample")
KNOWN_HIGHER = {
    *("acc", "accuracy", "exact_match", "em", "f1", "precision", "recall", "correct"),
    *("acc_norm", "acc_mutual_info", "acc_all", "mcc", "bleu", "chrf", "rouge"),
    *("rouge1", "rouge2", "rougel", "rougelsum", "meteor", "bertscore"),
    *("right", "passed", "solved", "score"),
}
LOSSES = {
    *("error", "errors", "err", "loss", "losses", "nll", "perplexity", "ppl", "brier", "crps"),
    *("mae", "mse", "rmse", "mape", "wer", "cer", "ter", "ece", "rps", "logloss", "deviance"),
}
WORDS_OF_LOSSES = LOSSES | {
    *("bits", "surprisal", "distance", "edit", "toxic", "toxicity", "divergence"),
    *("hallucination", "hallucinations", "refusal", "refusals", "refused"),
    *("latency", "cost", "violation", "violations", "failure", "failures", "wrong", "incorrect"),
    *("mistake", "mistakes", "hallucinated", "hallucinates", "harm", "harmful", "failed"),
    *("misses", "regret", "penalty", "noise", "harmfulness", "maliciousness"),
}
GAINS = {
    *("accuracy", "acc", "correct", "right", "pass", "passed", "solved", "score", "scores"),
    *("correctness", "success", "resolved", "recall", "precision", "similarity"),
    *("faithfulness", "relevancy", "relevance", "groundedness"),
}
COSTS = {
    *("latency", "token", "tokens", "cost", "costs", "price", "time", "runtime", "duration", "dur"),
    *("second", "seconds", "sec", "secs", "ms", "usd", "length", "chars", "calls", "retries"),
}
OF_CALLS = re.compile(
    r"(.*[_ .])?(tokens?|letter|logits?|log_?p(rob(ability|s)?)?|latency|costs?|usd|ms|errors?)"
    r"([_ ].*)?",
    re.IGNORECASE,
)
"""Columns on a call, or on one token of it: neither runs nor groups of people."""
MEASURES = KNOWN_HIGHER | WORDS_OF_LOSSES | GAINS | COSTS
MEASURES |= {"confidence", "certainty", "uncertainty", "std", "sd", "se", "weight", "difficulty"}


def is_measure(name: str) -> bool:
    """Return whether a name has a word of a metric, a cost, a time or a confidence.

    >>> is_measure("gpt-4o_brier"), is_measure("Claude tokens"), is_measure("Crowd median")
    (True, True, False)
    """
    return not MEASURES.isdisjoint(re.split(r"[\W_]+", name.casefold()))
