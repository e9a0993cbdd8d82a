"""Files from elsewhere: over a connection that breaks, with a wrong checksum, from a mirror."""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fidelity_study.app.run import fetch
from fidelity_study.config.project import rooms, sources
from fidelity_study.errors import DataError

CONTENT = bytes(range(256)) * (fetch.CHUNK // 64)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PIECE = fetch.CHUNK


class Host(BaseHTTPRequestHandler):
    """Serves CONTENT as its path says; remembers what it was asked for."""

    def do_GET(self):
        """Answer as ``/<how>/...`` says."""
        start = int(re.sub(r"\D", "", self.headers.get("Range", "0")))
        self.server.asked.append(start)
        how = self.path.split("/")[1]
        if how == "missing" or (how == "busy" and len(self.server.asked) < 3):
            self.send_error(404 if how == "missing" else 503)
            return
        if start >= len(CONTENT):
            self.send_error(416)
            return
        start = 0 if how == "simple" else start
        self.send_response(206 if start else 200)
        told = "many" if how == "garbled" else str(len(CONTENT) - start)
        self.send_header("Content-Length", told)
        if how == "packed":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        whole = how == "simple" and len(self.server.asked) > 1
        self.wfile.write(CONTENT[start:] if whole else CONTENT[start : start + PIECE])
        if how in ("whole", "busy"):
            self.wfile.write(CONTENT[start + PIECE :])

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def host(monkeypatch):
    monkeypatch.setattr(fetch, "wait_exponential", lambda **_: lambda state: 0.0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.asked = []
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def url(server, how):
    return f"http://127.0.0.1:{server.server_port}/{how}/file%20one.csv"


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("how", "before", "asked"),
    [
        ("broken", 0, [0, PIECE, 2 * PIECE, 3 * PIECE]),
        ("whole", 1000, [1000]),  # a killed run left them
        ("whole", len(CONTENT), [len(CONTENT)]),  # that lacked its last step only
        ("simple", 0, [0, PIECE]),  # cannot go on, and starts anew
    ],
)
def test_a_download_goes_on_where_it_stopped(host, tmp_path, how, before, asked):
    folder = tmp_path / "room"
    if before:
        folder.mkdir()
        (folder / ".file.csv.partial").write_bytes(CONTENT[:before])
    fetch.download(url(host, how), folder / "file.csv", SHA256)
    assert (folder / "file.csv").read_bytes() == CONTENT
    assert (host.asked, files(tmp_path)) == (asked, ["file.csv"])


def test_a_busy_server_is_asked_again(host, tmp_path, capsys):
    fetch.download(url(host, "busy"), tmp_path / "file.csv", SHA256)
    assert len(host.asked) == 3
    assert "503" in capsys.readouterr().err


def test_without_a_network_nobody_waits(tmp_path, capsys):
    with pytest.raises(DataError, match=r"is this computer online.*data_mirror.*file\.csv"):
        fetch.download("http://nowhere.invalid/file.csv", tmp_path / "file.csv", SHA256)
    assert capsys.readouterr().err.count("trying again") == 1


@pytest.mark.parametrize(
    ("how", "told", "asked"),
    [
        ("missing", r"404.*data_mirror.*file\.csv", 1),
        ("garbled", "cannot be downloaded", None),
        ("packed", "it comes packed by gzip", 1),  # a few MB may stand for a full disk
    ],
)
def test_what_cannot_be_read_is_told_and_leaves_nothing(host, tmp_path, how, told, asked):
    with pytest.raises(DataError, match=told):
        fetch.download(url(host, how), tmp_path / "file.csv", SHA256)
    assert files(tmp_path) == []
    assert asked in (None, len(host.asked))


@pytest.mark.parametrize("way", ["download", "copy"])
def test_what_stands_in_the_files_place_is_told(host, tmp_path, way):
    (tmp_path / "file.csv").mkdir()
    (tmp_path / "mirror.csv").write_bytes(CONTENT)
    origin = url(host, "whole") if way == "download" else tmp_path / "mirror.csv"
    with pytest.raises(DataError, match=r"cannot be saved as .*file\.csv .*check what is at"):
        getattr(fetch, way)(origin, tmp_path / "file.csv", SHA256)


@pytest.mark.parametrize("way", ["download", "copy"])
def test_a_wrong_checksum_names_both_and_leaves_nothing(host, tmp_path, way):
    wrong, target = "0" * 64, tmp_path / "there" / "file.csv"
    (tmp_path / "mirror.csv").write_bytes(CONTENT)
    origin = url(host, "whole") if way == "download" else tmp_path / "mirror.csv"
    with pytest.raises(DataError) as refusal:
        getattr(fetch, way)(origin, target, wrong)
    assert {SHA256, wrong} <= set(re.findall(r"[0-9a-f]{64}", str(refusal.value)))
    assert files(tmp_path) == ["mirror.csv"]


def test_a_file_that_the_mirror_lacks_is_told(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv is not in the data mirror"):
        fetch.copy(tmp_path / "nowhere.csv", tmp_path / "file.csv", SHA256)


def test_every_source_is_pinned():
    known = {room: sources(room) for room in rooms() if sources(room)["files"]}
    assert len(known) == 7
    for room, source in known.items():
        assert re.search(r"/[0-9a-f]{40}/$", source["url"]), room
        for name, file in source["files"].items():
            assert re.fullmatch(r"[0-9a-f]{64}", file["sha256"]), (room, name)
            assert not {"..", ""} & set(name.split("/")), (room, name)
            assert not {"..", ""} & set(file["path"].split("/")), (room, name)


def test_a_file_larger_than_any_is_not_kept(host, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "MOST_BYTES", len(CONTENT) // 2, raising=False)
    with pytest.raises(DataError, match="it has more than"):
        fetch.download(url(host, "whole"), tmp_path / "one.csv", SHA256)
    assert files(tmp_path) == []
