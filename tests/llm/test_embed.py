"""Texts embedded through an endpoint: vectors beside tables, asked once, within a budget."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from chat_server import ChatServer

from fidelity_study.__main__ import main
from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request

pytest.importorskip("openai")


class EmbeddingServer(ChatServer):
    """Speaks the protocol of embeddings; what is said is the vector as JSON."""

    def completion(self, said) -> dict:
        """Return what is sent."""
        entry = {"object": "embedding", "index": 0, "embedding": json.loads(said)}
        usage = {"prompt_tokens": 5, "total_tokens": 5}
        return {"object": "list", "data": [entry], "model": "served", "usage": usage}


def letters(body) -> str:
    """Return how often some letters are in the text."""
    return json.dumps([float(body["input"].count(letter)) for letter in "aeu"])


@pytest.fixture
def server():
    running = EmbeddingServer(letters)
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture
def files(here):
    """Write texts: one of people's is empty, some are there several times."""
    wishes = ["a tree", "a bus", "safe streets", "the same"]
    rows = [
        {"scenario": name, "respondent": f"p{at}", "value": wishes[at % 4] + " more" * (at // 4)}
        for name in ("park", "street")
        for at in range(8)
    ]
    people, models = pd.DataFrame(rows), pd.DataFrame(rows).assign(simulator="gpt")
    people.loc[2, "value"] = None
    people.to_csv("people.csv", index=False)
    models.to_csv("models.csv", index=False)
    return people, models


def embed(server, *more):
    return main(["embed", "people.csv", "models.csv", "--model", "m/1", "--url", server.url, *more])


def test_vectors_stand_beside_the_tables_and_a_study_reads_them(server, files, capsys):
    assert embed(server) == 0
    printed = capsys.readouterr().out
    assert "people.npy: 15 vectors of 3 numbers" in printed
    assert "start people.csv models.csv --kind vector" in printed
    for table, name in zip(files, ("people", "models"), strict=True):
        vectors = np.load(f"{name}.npy")
        assert (vectors.dtype, vectors.shape) == (np.float32, (16, 3))
        texts = table["value"].fillna("")
        expected = [[text.count(letter) for letter in "aeu"] for text in texts]
        expected = np.where((texts == "").to_numpy()[:, None], np.nan, np.array(expected, float))
        np.testing.assert_array_equal(vectors, expected)
    request = Request.of("people.csv", ("models.csv",), options={"kind": "vector"})
    look = understood(request, lambda lines: None)
    outcomes, missing = look.responses.outcomes, look.responses.missing
    assert outcomes.groupby("source", observed=True)["count"].sum().to_dict() == {
        "human": 15,
        "gpt": 16,
    }
    assert missing["count"].to_list() == [1]


def test_no_text_is_asked_twice_and_no_file_is_lost(server, files, capsys):
    assert embed(server) == 0
    assert len(server.requests) == 8
    assert set(server.requests[0]) == {"model", "input", "encoding_format"}
    assert embed(server) == 1
    assert "is there already; to write over it: --force" in capsys.readouterr().err
    Path("models.npy").unlink()
    assert embed(server, "--force") == 0
    assert len(server.requests) == 8 and Path("models.npy").exists()


def test_the_budget_ends_asking_and_what_came_is_kept(server, files, capsys):
    assert embed(server, "--tokens", "50", "--concurrency", "1") == 1
    assert "the budget is used up" in capsys.readouterr().err
    asked = len(server.requests)
    assert 0 < asked < 8 and not Path("people.npy").exists()
    assert embed(server) == 0
    assert len(server.requests) == 8


@pytest.mark.parametrize("said", ["[]", "null", '["x"]', "[[1.0]]"])
def test_what_is_no_vector_is_refused(server, files, capsys, said):
    server.answer = lambda body: said
    assert embed(server) == 1
    assert "but not with an embedding" in capsys.readouterr().err


def test_vectors_of_other_sizes_are_refused(server, files, capsys):
    server.answer = lambda body: json.dumps([1.0] * (2 + ("bus" in body["input"])))
    assert embed(server) == 1
    assert "vectors of 2 and 3 numbers" in capsys.readouterr().err


def test_options_that_lack_something(server, files, capsys):
    assert embed(server, "--value", "said") == 1
    assert "has no column 'said'" in capsys.readouterr().err
    assert embed(server, "--cost", "1") == 2
    assert main(["embed", "people.csv", "--model", "m", "--url", "localhost"]) == 2
