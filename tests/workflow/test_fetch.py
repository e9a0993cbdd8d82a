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


def test_a_broken_download_goes_on_where_it_stopped(host, tmp_path):
    fetch.download(url(host, "broken"), tmp_path / "room" / "file.csv", SHA256)
    assert (tmp_path / "room" / "file.csv").read_bytes() == CONTENT
    assert host.asked == [0, PIECE, 2 * PIECE, 3 * PIECE]
    assert files(tmp_path) == ["file.csv"]


def test_a_later_run_goes_on_where_a_killed_one_stopped(host, tmp_path):
    (tmp_path / ".file.csv.partial").write_bytes(CONTENT[:1000])
    fetch.download(url(host, "whole"), tmp_path / "file.csv", SHA256)
    assert host.asked == [1000]
    assert (tmp_path / "file.csv").read_bytes() == CONTENT


def test_a_download_that_only_lacked_its_last_step_is_not_repeated(host, tmp_path):
    (tmp_path / ".file.csv.partial").write_bytes(CONTENT)
    fetch.download(url(host, "whole"), tmp_path / "file.csv", SHA256)
    assert host.asked == [len(CONTENT)]
    assert (tmp_path / "file.csv").read_bytes() == CONTENT


def test_a_server_that_cannot_go_on_starts_anew(host, tmp_path):
    fetch.download(url(host, "simple"), tmp_path / "file.csv", SHA256)
    assert host.asked == [0, PIECE]
    assert (tmp_path / "file.csv").read_bytes() == CONTENT


def test_a_busy_server_is_asked_again(host, tmp_path, capsys):
    fetch.download(url(host, "busy"), tmp_path / "file.csv", SHA256)
    assert len(host.asked) == 3
    assert "503" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_not_asked_for_again(host, tmp_path):
    with pytest.raises(DataError, match=r"404.*data_mirror.*file\.csv"):
        fetch.download(url(host, "missing"), tmp_path / "file.csv", SHA256)
    assert len(host.asked) == 1
    assert files(tmp_path) == []


def test_without_a_network_nobody_waits(tmp_path, capsys):
    with pytest.raises(DataError, match=r"is this computer online.*data_mirror.*file\.csv"):
        fetch.download("http://nowhere.invalid/file.csv", tmp_path / "file.csv", SHA256)
    assert capsys.readouterr().err.count("trying again") == 1


def test_a_length_that_is_no_number_is_told(host, tmp_path):
    with pytest.raises(DataError, match="cannot be downloaded"):
        fetch.download(url(host, "garbled"), tmp_path / "file.csv", SHA256)
    assert files(tmp_path) == []


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


def test_a_file_that_comes_packed_is_not_unpacked(host, tmp_path):
    """A few MB may stand for a full disk; as it is, it was asked for."""
    with pytest.raises(DataError, match="it comes packed by gzip"):
        fetch.download(url(host, "packed"), tmp_path / "one.csv", SHA256)
    assert len(host.asked) == 1
    assert files(tmp_path) == []


def test_a_file_larger_than_any_is_not_kept(host, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "MOST_BYTES", len(CONTENT) // 2, raising=False)
    with pytest.raises(DataError, match="it has more than"):
        fetch.download(url(host, "whole"), tmp_path / "one.csv", SHA256)
    assert files(tmp_path) == []
