"""Usual names of columns, and words for people and models."""

import re

SCENARIO_LIKE = {"item", "item_id", "question", "question_id", "qid", "story", "vignette", "prompt"}
SCENARIO_LIKE |= {"event", "event_id", "market", "market_id", "statement", "frage", "pregunta"}
SCENARIO_LIKE |= {"question_key", "series", "series_id", "dilemma", "dilemma_id"}
NAMES_OF_QUESTIONS = (
    *("variable", "variable name", "var", "column", "scenario", "name"),
    *("question name", "short name", "question id", "qid", "item id", "item"),
)
WORDINGS = ("question text", "question wording", "wording", "variable label")
WAVE_LIKE = {"wave", "welle", "v\u00e5g", "vag", "vague", "fala"}
COUNTRIES = {"country", "cntry", "ctry", "nation", "land", "pays", "pais", "pa\u00eds"}
COUNTRIES |= {"paese", "kraj"}
VALUE_LIKE = {"answer", "answers", "response", "responses", "choice", "label", "rating"}
VALUE_LIKE |= {"resolved", "judgment", "judgement", "decision", "verdict"}
VALUE_LIKE |= {"actual", "actuals", "actual_value", "observed", "realized", "realised"}
VALUE_LIKE |= {"outcome", "resolution", "antwort", "respuesta", "r\u00e9ponse", "reponse"}
VALUE_LIKE |= {"modalit\u00e9", "modalite", "odpowied\u017a", "odpowiedz", "risposta", "resposta"}
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
MODEL = re.compile(
    r"gpt|claude|llama|gemini|mistral|mixtral|qwen|deepseek|gemma|\bphi-?\d|grok|command-r|falcon"
    r"|vicuna|llm|\bai\b|model|simulat|synthetic|twin|silicon|\bbot\b|\bo\d\b",
    re.IGNORECASE,
)
UNWEIGHTED = ("unweightedbase", "unweightedn", "unweightedsample")
PLAIN = ("n", "base", "sample", "samplesize", "respondents", "fallzahl", "basis")
BASES = (*UNWEIGHTED, *PLAIN, "weightedbase", "weightedn", "weightedsample")
