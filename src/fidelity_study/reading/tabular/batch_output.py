"""The output of a batch of requests to a model, as OpenAI, Anthropic, Gemini or AWS write it.

Each line has the ``custom_id`` of a request, the ``key`` of Gemini or ``recordId`` of AWS, and the
model's answer to it in its own words. The answers are matched with the options where these are
known; see ``matched.py``.
"""

import json
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from functools import cache

import pyarrow as pa

from fidelity_study.errors import Remedy, refusal
from fidelity_study.reading.tabular.kept import as_cells
from fidelity_study.reading.tabular.reading import common_start
from fidelity_study.reading.tabular.words import MODEL, SCENARIO_LIKE, VALUE_LIKE

ID, KEY, VALUE, NAME = "custom_id", "key", "value", "model"
OF_BEDROCK = {"recordId": ID, "modelOutput": "response", "error": "error"}
REPLICATE, NOTHING, MOST_NAMES = "replicate", "_", 30
NO_WORDS = "\0"
ANSWER = "answer"
FILTERED = {"content_filter", "refusal", "safety", "prohibited_content", "blocklist", "spii"}
FILTERED |= {"recitation", "image_safety"}
PROMPTS = {"messages", "input", "prompt", "contents"}
OF_GEMINI = {"candidates", "promptFeedback", "prompt_feedback", "usageMetadata", "usage_metadata"}
OF_VERSION = ("modelVersion", "model_version")
OF_CALL = {"object", "created", "usage", "system_fingerprint", "service_tier", *OF_GEMINI}
OF_CALL |= {"responseId", "response_id", *OF_VERSION, "role", "thinking", "context"}
OF_CALL |= {"created_at", "done", "done_reason", "total_duration", "load_duration"}
OF_CALL |= {"eval_count", "eval_duration", "prompt_eval_count", "prompt_eval_duration"}
OF_CALL |= {"timings", "generation_settings", "stop", "tokens_predicted", "tokens_evaluated"}
OF_CALL |= {"prompt_logprobs", "prompt_token_ids", "kv_transfer_params"}
BARE = {"response": "done", "content": "stop"}
"""What a model of Ollama or llama.cpp generates without a chat, by a key that stands beside it."""
FIELD = re.compile(r"\{([^{}]*)\}")
COUNTED = re.compile(
    r"(persona?|p|r|id|i|s|hh|case|row|run|rep|replicate|sample|draw|iter|trial|agent|user"
    r"|respondent|resp|participant|subject)[-_]?\d+",
    re.IGNORECASE,
)
USUAL = "{scenario}|{simulator}|{replicate}"
LETTERS, DIGITS, FEWEST_IDS, OF_PEOPLE = re.compile(r"[^\W_]*$"), re.compile(r"\d*$"), 5, 0.8
BETWEEN = ("|", "::", "/", "#", ";", ":", "__", ",", ".", "-", "_")


def without_envelope(record: dict) -> dict:
    """Return a line of a batch of AWS Bedrock as other batches write it; others as they are."""
    is_batch_of_bedrock = "recordId" in record and {"modelOutput", "error"} & {*record}
    names = OF_BEDROCK if is_batch_of_bedrock else {}
    return {names[name]: record[name] for name in names if name in record} or record


def is_request(record: dict) -> bool:
    """Return whether a record is a request of a batch."""
    return bool(_prompts(record)) and not {ID, KEY}.isdisjoint(record)


def is_batch(record: dict) -> bool:
    """Return whether a record is a line of a batch's output."""
    parts = {name: record.get(name) for name in ("response", "error", "result")}
    names_question = SCENARIO_LIKE.intersection(map(str.casefold, record))
    if ID not in record:
        response = parts["response"] if isinstance(parts["response"], dict) else {}
        of_gemini = not OF_GEMINI.isdisjoint(response) and not names_question
        is_failed = KEY in record and isinstance(parts["error"], dict) and not response
        return is_failed or (of_gemini and (KEY in record or bool(_prompts(record))))
    is_bare = not names_question and _is_completion(record)
    is_answer = names_question and isinstance(parts["response"], str)
    return is_bare or (not is_answer and not parts.keys().isdisjoint(record))


def _prompts(record: dict) -> set[str]:
    parts = {name: record.get(name) for name in ("body", "params", "request")}
    return {name for name, part in parts.items() if isinstance(part, dict) and PROMPTS & {*part}}


def id_of(record: dict) -> object:
    """Return what names a request of a batch."""
    return record.get(ID, record.get(KEY))


class BatchOutput:
    """The answers of a batch, all of them.

    Attributes:
        names: the columns: the parts of the ids, the answers, and unless ids name simulators, the
            models.
        ids: of all requests.
        is_raw: whether each text answers the question that its id names, in the model's own words.
    """

    def __init__(
        self,
        records: Iterator[tuple[int, dict]],
        custom_id: str | None,
        answer_several: Callable[[Sequence[str]], bool],
    ):
        """Take the records; raise DataError if ids are unclear.

        Args:
            records: with their numbers from 1.
            custom_id: what ids are made of; None if nobody says.
            answer_several: whether each of many texts answers several questions, so that ids name
                none.
        """
        rows: list[tuple[str, ...]] = []
        models: list[str] = []
        lines = [(number, *_line(number, record), _model(record)) for number, record in records]
        self.is_raw = not answer_several([text for _, _, texts, _ in lines for text in texts])
        if custom_id is None and self.is_raw:
            likely = _example([name for _, name, *_ in lines])
            raise refusal(
                "no-custom-id",
                f"is the output of a batch; say what the ids such as {lines[0][1]!r} are made of, "
                "as in ",
                Remedy({"custom_id": likely or USUAL}, is_offered=bool(likely)),
            )
        fields, pattern = _pattern(custom_id or f"{{{ID}}}")
        self.is_raw |= "scenario" in fields
        known: dict[str, int] = {}
        for number, name, texts, model in lines:
            parts = pattern.fullmatch(name)
            if parts is None:
                raise refusal(
                    "other-custom-id",
                    f"the custom_id {name!r} is not made as {custom_id!r}; mend custom_id",
                    row=number,
                )
            if name in known:
                raise refusal(
                    "custom-id-twice",
                    f"the custom_id {name!r} is in row {known[name]}, too; give each request "
                    "its own",
                    row=number,
                )
            known[name] = number
            rows += [(*parts.groups(), text) for text in texts]
            models += [model] * len(texts)
        self.ids = frozenset(known)
        self.names = [*fields, VALUE]
        columns = [*zip(*rows, strict=True)]
        named = {*models} - {""}
        if named and not {NAME, "simulator"} & {*fields}:
            self.names.append(NAME)
            only = "" if named - {max(named)} else max(named)  # also of requests that failed
            columns.append(tuple(model or only for model in models))
        self._columns = [as_cells(list(texts)) for texts in columns]

    @property
    def roles(self) -> dict[str, str]:
        """The column that names who answers, unless it is a part of the ids."""
        return {"simulator": NAME} if NAME in self.names else {}

    def columns(self, wanted: Sequence[int]) -> list[pa.DictionaryArray]:
        """Return columns at positions."""
        return [self._columns[position] for position in wanted]


def _line(number: int, record: dict) -> tuple[str, list[str]]:
    """Return the id of a request and the answers to it; raise DataError if it has none."""
    name = id_of(record)
    if is_batch(record) and isinstance(name, str):
        return name, said(record)
    what = "is no line of a batch's output; delete it"
    if is_batch(record):
        what = "has no custom_id or key; write one into each line that names the question of its "
        what += "request, as 'persona-12_Q1'"
    raise refusal("no-batch-line", what, row=number)


def likely_pattern(
    ids: Iterable[str],
    asked: Collection[str],
    persons: dict[str, set[str]] | None = None,
    numbered: dict[str, set[str]] | None = None,
) -> str | None:
    """Return what ids are made of, if one of their parts has names of questions; None if unknown.

    Others have names of models, or number the answers, or are cells of a column of ``persons``; of
    what is not known nothing is kept. Or ids are cells of one of ``numbered`` behind a beginning.

    Examples:
        >>> likely_pattern(["trust|gpt-4|1", "vote|gpt-4|2"], {"trust", "vote"})
        '{scenario}|{simulator}|{replicate}'
        >>> likely_pattern(["persona-12_trust_run1", "persona-13_vote_run1"], {"trust", "vote"})
        '{replicate}_{scenario}_{replicate}'
        >>> likely_pattern(["p-1_Q4_1", "p-2_Q4_2"], {"Q4_1", "Q4_2"})
        '{replicate}_{scenario}'
        >>> likely_pattern(["persona-12_trust-run1", "persona-13_vote-run1"], {"trust", "vote"})
        '{replicate}_{scenario}-{replicate}'
        >>> likely_pattern([f"gpt-4o_p{i}-trust" for i in range(99)], {"trust"})
        '{simulator}_{replicate}-{scenario}'
        >>> likely_pattern(["trust|left|1", "vote|right|2"], {"trust", "vote"})
        '{scenario}|{_}|{replicate}'
        >>> likely_pattern([f"gss22-{i}_trust" for i in range(99)], {"trust"})
        '{replicate}_{scenario}'
        >>> likely_pattern([f"RESP{i:05}" for i in range(9)], {"a"}, {}, {"id": {*"12345678"}})
        'RESP0{id}'
        >>> likely_pattern([f"id-{i}_trust" for i in range(9)], {"trust"}, {"id": {*"12345678"}})
        'id-{id}_{scenario}'
    """
    ids = [*dict.fromkeys(ids)]
    pattern = _best(ids, asked)
    if "{scenario}" not in pattern:
        whole = _in_braces({*ids}, REPLICATE, numbered or {})
        return None if whole.startswith("{") else whole
    names, parts = _pattern(pattern)
    at = 1 + names.index("scenario")
    named = [match[at] for name in ids if (match := parts.fullmatch(name))]
    if len(named) < len(ids) or not _are_named({*named}, asked):
        return None
    every = re.compile("(.+?)".join(map(re.escape, FIELD.split(pattern)[::2])) + "$", re.DOTALL)
    texts = zip(*(match.groups() for match in map(every.match, ids) if match), strict=True)
    fields = (
        _in_braces({*some}, field[1], persons or {})
        for some, field in zip(texts, FIELD.finditer(pattern), strict=True)
    )
    return FIELD.sub(lambda _: next(fields), pattern)


def _in_braces(texts: set[str], field: str, persons: dict[str, set[str]]) -> str:
    """Return a part of a pattern; numbers may be cells of persons, behind what all begin with."""
    shared = common_start(texts)
    starts = ("", LETTERS.sub("", shared), DIGITS.sub("", shared))
    for begun in starts if field in (REPLICATE, NOTHING) else ():
        rest = {text.removeprefix(begun) for text in texts}
        bare = {text.lstrip("0") or "0" for text in rest}
        for name, cells in persons.items():
            for zeros, some in (("", rest), ("0", bare)):
                if len(some & cells) >= max(FEWEST_IDS, OF_PEOPLE * len(rest)):
                    return f"{begun}{zeros}{{{name}}}"
    return f"{{{field}}}"


def _best(texts: Sequence[str], asked: Collection[str] | None) -> str:
    """Return what texts are made of, as a whole or in parts between signs: the most that is known.

    The question first, if it is known what may be ``asked``.
    """
    likely = [f"{{{_field({*texts}, asked) or NOTHING}}}"]
    for sign in (sign for sign in BETWEEN if all(sign in text for text in texts)):
        rows = [_split(text, sign, asked or ()) for text in texts]
        if len({*map(len, rows)}) == 1 < len(rows[0]) and all(map(all, rows)):
            parts = zip(*rows, strict=True)
            likely.append(sign.join(_best([*dict.fromkeys(part)], asked) for part in parts))
    once = [one for one in likely if max(map(one.count, ("{scenario}", "{simulator}"))) < 2]

    def rank(one: str) -> tuple:
        unknown, fields = one.count(f"{{{NOTHING}}}"), one.count("{")
        names, parts = _pattern(one)
        match, simulator = parts.fullmatch(texts[0]), "simulator" in names
        length = len(match[1 + names.index("simulator")]) if match and simulator else 0
        return "{scenario}" not in one, unknown == fields, unknown, -fields, -length

    return min(once, key=rank)


def _example(ids: Sequence[str]) -> str | None:
    """Return what ids may be made of, by their parts; the last that tells nothing is the question.

    None if all do.

    >>> _example(["4o|p000|min_wage"]), _example(["persona-045_perks", "persona-018_stay"])
    ('{_}|{replicate}|{scenario}', '{replicate}_{scenario}')
    """
    before, unknown, behind = _best(ids, None).rpartition(f"{{{NOTHING}}}")
    return f"{before}{{scenario}}{behind}" if unknown else None


def _split(name: str, sign: str, asked: Iterable[str]) -> list[str]:
    """Return the parts of an id between signs; a question's name is one, also with signs in it."""
    around = f"{sign}{name}{sign}"
    for question in sorted((one for one in asked if sign in one), key=len, reverse=True):
        before, there, behind = around.partition(f"{sign}{question}{sign}")
        if there:
            sides = [side.strip(sign) for side in (before, behind)]
            left, right = (side.split(sign) if side else [] for side in sides)
            return [*left, question, *right]
    return name.split(sign)


def _field(texts: set[str], asked: Container[str] | None) -> str:
    """Return what a part of ids is: question, model or number; nothing if that is unknown.

    Numbers may be years, and a question, unless nothing is ``asked``.
    """
    if asked is not None and _are_named(texts, asked):
        return "scenario"
    if all(text.isdecimal() for text in texts):
        return REPLICATE if asked is None or min(map(int, texts)) <= 1 else ""
    if all(map(COUNTED.fullmatch, texts)):
        return REPLICATE
    if all(map(MODEL.search, texts)):
        return "simulator"
    return (
        REPLICATE if len(texts) > MOST_NAMES and all(text[-1:].isdigit() for text in texts) else ""
    )


def _are_named(texts: set[str], asked: Container[str]) -> bool:
    """Return whether most texts are names of questions; of others nobody knows."""
    return 2 * sum(text in asked for text in texts) > len(texts)


@cache
def _pattern(custom_id: str) -> tuple[list[str], re.Pattern]:
    """Return the columns that ids have, and the pattern that finds them."""
    parts = FIELD.split(custom_id)
    names = parts[1::2]
    kept = [name for name in names if name not in (REPLICATE, NOTHING)]
    wrong = (
        "has a name in braces twice"
        if len(set(kept)) < len(kept)
        else "has nothing between two names in braces"
        if "" in parts[2:-1:2]
        else "has no name in its braces"
        if "" in names
        else f"names {VALUE!r}, which is the answer"
        if VALUE in names
        else ""
    )
    if wrong:
        raise refusal(
            "malformed-custom-id",
            f"{custom_id!r} {wrong}; write it as in {USUAL!r}",
            key="custom_id",
        )
    groups = ["(?:.+?)" if name not in kept else "(.+?)" for name in names]
    between = [re.sub(r"0+$", "0*", re.escape(text)) for text in parts[:-1:2]]  # fill up numbers
    between.append(re.escape(parts[-1]))
    pattern = "".join(map(str.__add__, between, [*groups, ""]))
    return kept, re.compile(pattern, re.DOTALL)


def _model(record: dict) -> str:
    """Return the model that answers a request; nothing if none does."""
    name = next((record[key] for key in (NAME, *OF_VERSION) if record.get(key)), None)
    inside = (record.get(key) for key in ("response", "body", "result", "message"))
    within = (_model(part) for part in inside if isinstance(part, dict))
    return name if isinstance(name, str) else next(filter(None, within), "")


def said(record: dict) -> list[str]:
    """Return a model's answers to a request, or a zero sign and the reason why it gave none."""
    if isinstance(result := record.get("result"), dict):  # of Anthropic
        message = result.get("message") or {}
        return [_words(message, message) if message else NO_WORDS + "failed"]
    response = record.get("response") or record
    if isinstance(response, str):
        return [response]
    if record.get("error") or response.get("status_code", 200) != 200:
        return [NO_WORDS + "failed"]
    return _of_completion(response.get("body") or response) or [NO_WORDS + "failed"]


def with_words(record: dict) -> list[dict]:
    """Return a record with a model's words in place of a completion, one for each of its answers.

    It is the completion itself with more keys, or has it under one of its keys, if it has no answer
    beside it. What else a completion says is kept, but for what it says of the call.
    """
    record, bare = _without({"request"} & _prompts(record), record), _bare(record)
    answers = [
        name
        for name, value in record.items()
        if name.casefold() in VALUE_LIKE and not isinstance(value, list) and name not in bare
    ]
    completions = [name for name, value in record.items() if _is_completion(value)]
    for name in answers[:1] or (completions if not completions[1:] else ()):
        is_within = name in completions
        return with_words({**record[name], **_without({name}, record)}) if is_within else [record]
    if not _is_completion(record):
        return [record]
    parts = (name for name in ("choices", "output", "content") if _parts(record, name))
    left = _without({*OF_CALL, *parts, *bare, "message"}, record)
    left |= {NAME: model} if (model := _model(record)) else {}
    return [{**left, ANSWER: text} for text in _of_completion(record)]


def _without(names: set[str], record: dict) -> dict:
    return {name: value for name, value in record.items() if name not in names}


def _is_completion(record: object) -> bool:
    """Return whether a record is a completion, a response or a message of a language model."""
    return isinstance(record, dict) and (
        any({"message", "text"} & {*choice} for choice in _parts(record, "choices"))
        or any("content" in candidate for candidate in _parts(record, "candidates"))
        or any(output.get("type") == "message" for output in _parts(record, "output"))
        or (record.get("role") == "assistant" and bool(_parts(record, "content")))
        or _is_message(record.get("message"))
        or bool(_bare(record))
    )


def _is_message(part: object) -> bool:
    return isinstance(part, dict) and part.get("role") == "assistant"


def _bare(record: dict) -> list[str]:
    """Return the key of the text that a model generated, if a record has it without a chat."""
    beside = [name for name, sign in BARE.items() if sign in record]
    return [name for name in beside if isinstance(record.get(name), str)]


def _of_completion(body: dict) -> list[str]:
    """Return what a model says in a completion, or a zero sign and the reason why it is silent."""
    if body.get("role") == "assistant":
        return [_words(body, body)]
    feedback = body.get("promptFeedback") or body.get("prompt_feedback") or {}
    if feedback.get("blockReason") or feedback.get("block_reason"):
        return [NO_WORDS + "refused"]
    texts = [_words({"content": body[name]}, body) for name in _bare(body)]
    texts += [_words(body["message"], body)] if _is_message(body.get("message")) else []
    for choice in _parts(body, "choices"):
        texts.append(_words(choice.get("message") or {"content": choice.get("text")}, choice))
    said = _parts(body, "candidates")
    texts += [_words(candidate.get("content") or {}, candidate) for candidate in said]
    messages = [part for part in _parts(body, "output") if part.get("type") == "message"]
    return [*texts, *(_words(message, message) for message in messages)]


def _parts(record: dict, name: str) -> list[dict]:
    parts = record.get(name)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _words(message: dict, choice: dict) -> str:
    content = message.get("content", message.get("parts"))
    parts = [content] if isinstance(content, str) else content or []
    texts = [
        part if isinstance(part, str) else "" if part.get("thought") else part.get("text") or ""
        for part in parts
    ]
    refusals = [part for part in parts if isinstance(part, dict) and part.get("refusal")]
    text = "".join(texts).replace(NO_WORDS, "")
    if text.strip():
        return text
    if isinstance(parsed := message.get("parsed"), dict):
        return json.dumps(parsed, ensure_ascii=False)
    ends = ("finish_reason", "stop_reason", "finishReason")
    filtered = not FILTERED.isdisjoint(str(choice.get(end)).casefold() for end in ends)
    is_refused = message.get("refusal") or refusals or filtered
    return NO_WORDS + ("refused" if is_refused else "unparsable")
