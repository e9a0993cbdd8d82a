"""Files from elsewhere: downloaded, or copied from a local mirror, and always checked.

A file comes to its place only when it is whole and has its checksum. What a broken download left
is kept beside the place, hidden, and the next try goes on from there.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path
from socket import gaierror

import requests
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential

from fidelity_study.errors import DataError
from fidelity_study.progress import bar

TRIES = 6
CONNECT, READ = 20, 60
CHUNK = 1 << 18
WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}
NOTHING_LEFT = 416
PLAIN = "identity"
MOST_BYTES = 4_000_000_000


class _RefusedError(Exception):
    """What comes is no file that another try would bring."""


def download(url: str, target: Path, sha256: str) -> None:
    """Bring the file at ``url`` to ``target``; after a broken connection go on where it stopped.

    Raises:
        DataError: if the server does not give the file, or its SHA-256 is not ``sha256``; nothing
            is left at ``target``.
    """
    tries = Retrying(
        stop=lambda state: state.attempt_number >= (2 if _is_offline(_error_of(state)) else TRIES),
        wait=wait_exponential(multiplier=0.5, max=30),
        retry=retry_if_exception(_worth_another_try),
        before_sleep=lambda state: print(
            f"{target.name}: {_error_of(state)}; trying again", file=sys.stderr
        ),
        reraise=True,
    )
    try:
        partial = _partial(target)
        tries(_go_on, url, partial)
    except _RefusedError as error:
        partial.unlink(missing_ok=True)
        raise DataError(
            f"{url} is not what is to be downloaded: {error}; nothing is kept"
        ) from None
    except (requests.RequestException, OSError, ValueError) as error:
        why = "no such host is found; is this computer online?" if _is_offline(error) else error
        raise DataError(
            f"{url} cannot be downloaded ({why}); run again to go on from where it stopped, or "
            f"set data_mirror to a folder that holds {target.parent.name}/{target.name}"
        ) from None
    _put(partial, target, sha256, origin=url)


def copy(source: Path, target: Path, sha256: str) -> None:
    """Bring a file of the local mirror to ``target``.

    Raises:
        DataError: if it is not there, or its SHA-256 is not ``sha256``.
    """
    try:
        if not source.is_file():
            raise DataError(
                f"{source} is not in the data mirror; put the file there, or take data_mirror and "
                "FIDELITY_DATA_MIRROR away to download it"
            )
        partial = _partial(target)
        shutil.copyfile(source, partial)
    except OSError as error:
        raise DataError(f"{source} cannot be copied to {target} ({error})") from None
    _put(partial, target, sha256, origin=str(source))


def _partial(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.with_name(f".{target.name}.partial")


def _put(partial: Path, target: Path, sha256: str, *, origin: str) -> None:
    try:
        with partial.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest == sha256:
            os.replace(partial, target)
        else:
            partial.unlink()
    except OSError as error:
        raise DataError(
            f"{origin} cannot be saved as {target} ({error}); check what is at that path, and that "
            "no other run is fetching the file"
        ) from None
    if digest != sha256:
        raise DataError(
            f"{origin} is not the file this dataset was made for: its SHA-256 is {digest}, "
            f"expected {sha256}; nothing was kept"
        )


def _go_on(url: str, partial: Path) -> None:
    """Download the rest of a file, of which ``partial`` may hold the beginning."""
    there = partial.stat().st_size if partial.exists() else 0
    headers = {"Accept-Encoding": PLAIN} | ({"Range": f"bytes={there}-"} if there else {})
    with requests.get(url, headers=headers, stream=True, timeout=(CONNECT, READ)) as response:
        if there and response.status_code == NOTHING_LEFT:
            return
        response.raise_for_status()
        if (packed := response.headers.get("Content-Encoding", PLAIN).lower()) != PLAIN:
            raise _RefusedError(f"it comes packed by {packed}, though asked for as it is")
        if response.status_code != requests.codes.partial_content:
            there = 0
        total = there + int(response.headers.get("Content-Length", 0)) or None
        with (
            partial.open("ab" if there else "wb") as file,
            bar(
                partial.name.removeprefix(".").removesuffix(".partial"),
                initial=there,
                total=total,
                unit="B",
                unit_scale=True,
            ) as progress,
        ):
            for chunk in response.iter_content(CHUNK):
                file.write(chunk)
                progress.update(len(chunk))
                if file.tell() > MOST_BYTES:
                    raise _RefusedError(f"it has more than {MOST_BYTES / 1e9:g} GB")


def _worth_another_try(error: BaseException) -> bool:
    if isinstance(error, requests.HTTPError):
        return error.response is not None and error.response.status_code in WORTH_ANOTHER_TRY
    return isinstance(error, requests.RequestException)


def _error_of(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _is_offline(error: BaseException | None) -> bool:
    """Return whether the host's name is not known here: further tries would wait for nothing."""
    while error is not None and not isinstance(error, gaierror):
        error = error.__cause__ or error.__context__
    return error is not None


def main(snakemake):
    """Download a file that a dataset needs, or take it from the local mirror."""
    step, target = snakemake.params.step, Path(snakemake.output[0])
    if folder := os.environ.get("FIDELITY_DATA_MIRROR"):
        copy(Path(folder, step["room"], step["file"]), target, step["sha256"])
    else:
        download(step["url"], target, step["sha256"])
