"""JSON Lines and lists of records that pandas wrote, and outputs of batches of requests."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tabular_step import answers, by, read

from fidelity_study.__main__ import main
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.reading import Reading

HUMAN = pd.DataFrame(
    {"scenario": ["s1", "s1", "s2", "s2"], "value": ["yes", "no", "yes", "no"]}
).assign(count=[6, 4, 3, 7])
IDS = "{scenario}|{simulator}|{replicate}"
LEVELS = {"kind": "categorical", "levels": ["yes", "no"]}


@pytest.fixture(autouse=True)
def in_a_folder(here):
    """Work in an empty folder of a user's."""

    HUMAN.to_csv("human.csv", index=False)


def cells(path, column):
    return opened(path).cells([column])[column].to_pylist()


def refused(text, *columns, path="made.jsonl"):
    Path(path).write_text(text)
    with pytest.raises(DataError) as error:
        sheet = opened(path)
        sheet.cells(columns or sheet.columns)
    return str(error.value)


# ---------------------------------------------------------------------- records


@pytest.mark.slow
def test_files_of_pandas_are_the_same_in_any_form():
    HUMAN.to_json("human.jsonl", orient="records", lines=True)
    HUMAN.to_json("human.ndjson.gz", orient="records", lines=True)
    HUMAN.to_json("human.json", orient="records", indent=2)
    expected = answers(read(human="human.csv", simulators=["uniform"]), "human")
    for path in ("human.jsonl", "human.ndjson.gz", "human.json"):
        assert answers(read(human=path, simulators=["uniform"]), "human") == expected


def test_cells_are_written_as_they_are_meant():
    lines = ['{"a": 1, "b": {"c": "x", "d": {"e": null}}}', '{"a": 1.0, "f": true}', '{"a": 0.5}']
    Path("made.jsonl").write_text("\n".join(lines))
    assert opened("made.jsonl").columns == ["a", "b.c", "b.d.e", "f"]
    assert cells("made.jsonl", "a") == ["1", "1", "0.5"]
    assert cells("made.jsonl", "b.c") == ["x", None, None]
    assert cells("made.jsonl", "f") == [None, "true", None]


@pytest.mark.parametrize("index", [{}, {"index": [7, 3]}])
def test_columns_beside_their_rows_are_a_table(index):
    table = {"columns": ["a/x", "b"], **index, "data": [[1, "x"], [2, None]], "ncols": 2}
    Path("made.json").write_text(json.dumps(table))
    assert opened("made.json").columns == ["id", "a/x", "b"][not index :]
    assert (cells("made.json", "a/x"), cells("made.json", "b")) == (["1", "2"], ["x", None])


def test_lists_of_objects_are_left_out_and_keys_may_be_named_in_full():
    record = {"raw": {"calls": [{"a": 1}]}, "parsed": {"reason": "so", "answer": "x"}}
    Path("made.jsonl").write_text(json.dumps({"raw": {"calls": []}}) + f"\n{json.dumps(record)}")
    assert opened("made.jsonl").columns == ["reason", "answer"]
    assert opened("made.jsonl").recognised[0].endswith("texts nor numbers: 'raw.calls'")
    named = Reading(columns={"value": "parsed.answer"})
    assert opened("made.jsonl", named).columns == ["reason", "parsed.answer"]


def test_lists_of_options_in_a_file_of_scenarios():
    records = [
        {"scenario": "s1", "options": ["no", "yes", "perhaps"]},
        {"scenario": "s2", "options": ["no", "yes"]},
    ]
    Path("scenarios.jsonl").write_text("\n".join(map(json.dumps, records)))
    found = read(human="human.csv", scenarios="scenarios.jsonl", simulators=["uniform"])
    assert found.scenarios["option"]["s1"] == ["no", "yes", "perhaps"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('{"a": 1}\n{"a": [1, [2]]}\n', ["made.jsonl, row 2, column 'a': holds a list"]),
        ('{"a": 1}\n\n{"a": 2}\n', ["row 2: an empty line"]),
        ('{"a": 1}\n[2]\n', ["row 2: is no JSON object"]),
        ('{"a": 1}\n{"a": 2\n', ["row 2: is no JSON object", "one record on each line"]),
        ('{"a": 1, "a": 2}\n', ["row 1: has 'a' twice"]),
        ('{"a.b": 1, "a": {"b": 2}}\n', ["row 1: has 'a.b' twice"]),
        ('{"options": ["a|b", "c"]}\n', ["row 1, column 'options'", "no | in it"]),
        ('{"a": 1}\n{"": 2}\n', ["column 2 has no name"]),
        ('{"a": "x"}\n{"a": "\\ud800"}\n', ["made.jsonl", "row 2,"]),
        ("", ["is empty"]),
        ("[" * 100_000, ["row 1: is no JSON object"]),
    ],
)
def test_what_is_no_table_is_refused(text, parts):
    told = refused(text)
    assert told.startswith("made.jsonl") and all(part in told for part in parts)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"a": {"0": 1}}', "is no list of records"),
        ('{"a": 1}\n{"a": 2}', "JSON Lines are called .jsonl"),
        ("[1, 2]", "orient='records'"),
        ("[", "is no JSON"),
    ],
)
def test_other_json_is_refused(text, part):
    assert part in refused(text, path="made.json")


def test_lines_that_are_not_utf_8_are_told_or_named():
    Path("made.jsonl").write_bytes(b'{"a": "x"}\n{"a": "\xe9"}\n')
    assert opened("made.jsonl").recognised == ("its text is no UTF-8, and read as Windows-1252",)
    Path("made.jsonl").write_bytes(b'{"a": "x"}\n{"a": "\x81"}\n')
    with pytest.raises(DataError, match=r"made\.jsonl, line 2: byte 0x81 is not UTF-8"):
        opened("made.jsonl")


# ---------------------------------------------------------------------- batches


def line(name, *texts, status=200, **message) -> str:
    """Return a line of a batch's output, as OpenAI's manual of the Batch API shows it."""
    choices = [
        {
            "index": at,
            "message": {"role": "assistant", "content": text, **message},
            "logprobs": None,
            "finish_reason": "stop",
        }
        for at, text in enumerate(texts)
    ]
    body = {"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": choices}
    if status != 200:
        body = {"error": {"message": "Too many requests"}}
    response = {"status_code": status, "request_id": "r", "body": body}
    return json.dumps({"id": "b", "custom_id": name, "response": response, "error": None}) + "\n"


BATCH = (
    line("s1|gpt|1", "Yes")
    + line("s1|gpt|2", "B) No\nbecause I would")
    + line("s1|gpt|3", "I am sorry, but as an AI I have no views.")
    + line("s1|gpt|4", "It depends")
    + line("s1|gpt|5", None, refusal="I can't help with that.")
    + line("s1|gpt|6", status=429)
    + line("s2|gpt|1", "yes.", "no", "no")
    + line("s2|gpt|2", "")
)


def batch(text=BATCH, **settings):
    Path("batch.jsonl").write_text(text)
    common = {"human": "human.csv", "simulated": "batch.jsonl", "simulators": ["gpt"]}
    return read(**{**common, "outcome": LEVELS, "custom_id": IDS, **settings})


def test_words_of_a_model_are_matched_with_the_options():
    found = batch()
    assert answers(found, "gpt") == {"s1": {"yes": 1, "no": 1}, "s2": {"yes": 1, "no": 2}}
    assert by(found.missing, "count") == {
        ("s1", "gpt", "refused"): 2,
        ("s1", "gpt", "unparsable"): 1,
        ("s1", "gpt", "failed"): 1,
        ("s2", "gpt", "unparsable"): 1,
    }
    told = "\n".join(map(str, found.notes))
    assert "'B) No\\nbecause I would' as 'no'" in told and "'It depends' (unparsable)" in told


def test_the_responses_api_is_read_too():
    content = [{"type": "output_text", "text": "no"}]
    output = [{"type": "reasoning"}, {"type": "message", "content": content}]
    record = {"custom_id": "s1|gpt|1", "response": {"status_code": 200, "body": {"output": output}}}
    found = batch(json.dumps(record) + "\n" + line("s2|gpt|1", "yes"))
    assert answers(found, "gpt") == {"s1": {"no": 1}, "s2": {"yes": 1}}


RAW = json.loads(line("", "yes", "B) no"))["response"]["body"]
MESSAGE = {
    "id": "msg_1",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "yes"}],
}
SPOKEN = {"role": "assistant", "content": "yes"}
OF_OLLAMA = {"model": "m", "created_at": "2026", "done": True, "eval_count": 5}
OF_LLAMA = {"model": "m", "content": "yes", "stop": True, "timings": {"prompt_n": 4}}
OF_TEXTS = {"model": "m", "choices": [{"text": "yes"}], "usage": {"total_tokens": 9}}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"question": "s1", **RAW}, ["yes", "B) no"]),
        ({"question": "s1", "response": RAW}, ["yes", "B) no"]),
        ({"question": "s1", "custom_id": "c", **RAW}, ["yes", "B) no"]),
        ({"question": "s1", **MESSAGE}, ["yes"]),
        ({"question": "s1", "run": 0, "completion": RAW}, ["yes", "B) no"]),
        ({"question": "s1", "raw": MESSAGE}, ["yes"]),
        ({"question": "s1", "run": 1, "message": SPOKEN, **OF_OLLAMA}, ["yes"]),
        ({"question": "s1", "raw": {"message": SPOKEN, **OF_OLLAMA}}, ["yes"]),
        ({"question": "s1", "response": "yes", **OF_OLLAMA}, ["yes"]),
        ({"question": "s1", "raw": {"response": "yes", **OF_OLLAMA}}, ["yes"]),
        ({"question": "s1", **OF_LLAMA}, ["yes"]),
        ({"question": "s1", **OF_TEXTS}, ["yes"]),
        ({"question": "s1", "answer": "no", "raw": RAW}, ["no"]),
        ({"question": "s1", "model": "m", "answer": "no", "choices": ["yes", "no"]}, ["no"]),
    ],
)
def test_completions_outside_a_batch_are_read(record, expected):
    Path("made.jsonl").write_text(json.dumps(record) + "\n")
    assert cells("made.jsonl", "answer") == expected
    assert cells("made.jsonl", "question") == ["s1"] * len(expected)
    assert record.get("answer") == "no" or cells("made.jsonl", "model") == ["m"] * len(expected)
    of_call = {"usage", "created", "object", "eval_count", "timings", "done"}
    assert not of_call & {name.partition(".")[0] for name in opened("made.jsonl").columns}


def test_two_completions_in_a_record_are_refused():
    told = refused(json.dumps({"question": "s1", "first": RAW, "second": RAW}) + "\n")
    assert "column 'first.choices': holds a list" in told


OF_MODELS = "{scenario}|{_}"


def test_a_batch_is_of_the_models_that_its_answers_name():
    text = BATCH.replace("|gpt", "")  # a failed request of the only model names none
    found = batch(text, simulators=["m"], custom_id=OF_MODELS)
    assert answers(found, "m") == answers(batch(), "gpt")
    assert by(found.missing, "count")["s1", "m", "failed"] == 1
    two = line("s1|1", "yes") + line("s2|1", "no") + line("s1|2", "no").replace('"m"', '"k"')
    two += line("s2|2", "no").replace('"m"', '"k"')
    found = batch(two, simulators=["m", "k"], custom_id=OF_MODELS)
    assert answers(found, "m") == {"s1": {"yes": 1}, "s2": {"no": 1}}
    assert answers(found, "k") == {"s1": {"no": 1}, "s2": {"no": 1}}
    with pytest.raises(DataError, match="row 5, column 'model': is empty"):
        batch(two + line("s1|3", status=429), simulators=["m", "k"], custom_id=OF_MODELS)


@pytest.mark.parametrize(
    "request_of",
    [
        {"method": "POST", "body": {"model": "m", "messages": [{"role": "user", "content": "?"}]}},
        {"method": "POST", "body": {"model": "m", "input": "?"}},
        {"params": {"model": "m", "messages": [{"role": "user", "content": "?"}]}},
        {"key": "s1", "request": {"contents": [{"parts": [{"text": "?"}]}]}},
    ],
)
def test_requests_of_a_batch_are_no_answers(request_of):
    told = refused(json.dumps({"custom_id": "s1|gpt|1", **request_of}) + "\n")
    assert told == "made.jsonl: holds the requests of a batch, and no answers; leave it out"


def test_completions_with_ids_of_requests_are_a_batch():
    record = json.loads(line("s1|gpt|1", "no"))
    bare = {**record["response"]["body"], "custom_id": record["custom_id"]}
    for first in (bare, {**record, "response": record["response"]["body"]}):
        found = batch(json.dumps(first) + "\n" + line("s2|gpt|1", "yes"))
        assert answers(found, "gpt") == {"s1": {"no": 1}, "s2": {"yes": 1}}


@pytest.mark.slow
def test_one_simulators_batch_may_leave_its_name_out():
    text = BATCH.replace("|gpt", "")
    found = batch(text, simulated={"gpt": "batch.jsonl"}, custom_id="{scenario}|{_}")
    assert answers(found, "gpt") == answers(batch(), "gpt")


def test_numbers_are_found():
    rows = "scenario,value\n" + "s1,1\ns1,5\ns2,2\ns2,3\n"
    Path("numbers.csv").write_text(rows)
    text = line("s1|gpt|1", "**3.5**.") + line("s1|gpt|2", "four") + line("s2|gpt|1", "2")
    found = batch(text, human="numbers.csv", outcome={"kind": "bounded", "bounds": [0, 10]})
    assert found.outcomes[found.outcomes["source"] == "gpt"]["value"].tolist() == [3.5, 2]
    assert by(found.missing, "count") == {("s1", "gpt", "unparsable"): 1}


WITHOUT_KEY = '{"request": {"contents": []}, "response": {"candidates": []}}\n'


@pytest.mark.parametrize(
    ("settings", "code", "keys"),
    [
        ({"custom_id": None}, "no-custom-id", ["custom_id"]),
        ({"custom_id": "{scenario}-{simulator}"}, "other-custom-id", []),
        ({"custom_id": "{scenario}{simulator}"}, "malformed-custom-id", []),
        ({"text": BATCH + line("s1|gpt|1", "no")}, "custom-id-twice", []),
        ({"text": BATCH + '{"a": 1}\n'}, "no-batch-line", []),
        ({"text": BATCH + WITHOUT_KEY}, "no-batch-line", []),
        ({"human": "batch.jsonl"}, "people-in-own-words", []),
    ],
)
def test_what_is_unclear_in_a_batch_is_refused(settings, code, keys):
    with pytest.raises(DataError) as error:
        batch(**settings)
    (fault,) = error.value.faults
    assert fault.code == code
    assert [key for remedy in fault.remedies for key in remedy.settings] == keys
    assert fault.place.row == {"custom-id-twice": 9, "no-batch-line": 9, "other-custom-id": 1}.get(
        code
    )


STARTED = ["start", "human.csv", "batch.jsonl", "--levels", "yes | no"]


@pytest.mark.slow
@pytest.mark.parametrize("given", [(), ("--custom-id", IDS)])
def test_start_sees_the_ids_or_takes_them(capsys, given):
    Path("batch.jsonl").write_text(BATCH)
    assert main([*STARTED, *given, "--accept"]) == 0
    told = capsys.readouterr().out
    assert given or f"--custom-id '{IDS}'" in told
    assert "missing answers, unparsable: gpt 2" in told  # a text that is asked about, an empty one
    assert "missing answers, refused: gpt 2" in told and "missing answers, failed: gpt 1" in told
    assert yaml.safe_load(Path("human.yaml").read_text())["datasets"]["human"]["custom_id"] == IDS
