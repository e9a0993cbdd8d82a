"""The text of a file, plain or gzipped, in UTF-8 and with plain line ends.

UTF-16 is told by its first bytes. Other bytes that are no UTF-8 are read as Windows-1252, as Excel
writes in Western Europe, or where words would have signs such as \u00b3 in them, as Windows-1250,
as in Poland, or where they are kana, as Shift JIS, as in Japan: no two texts become one by that,
whatever the signs are.
"""

import codecs
import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fidelity_study.errors import DataError, refusal

MOST_UNPACKED, MOST_TIMES_PACKED = 1 << 28, 200
KINDS = {
    b"PK\x03\x04": "a spreadsheet or ZIP file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip file",
    b"\xd0\xcf\x11\xe0": "an Excel file",
}
WEB_PAGE = (b"<!doctype html", b"<html")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF16, WINDOWS, OF_THE_EAST = "utf-16", "1252", "1250"
IN_A_WORD = re.compile(
    r"[^\W\d_][\u00a3\u00a5\u00af\u00b3\u00b9\u00bc\u00be\u00bf][^\W\d_]|\b[\u00b3\u00b9][^\W\d_]"
)
"""What are letters in Windows-1250, and signs in Windows-1252."""
FEW_KANA = 0.2
KANA = re.compile("[\u3041-\u30f6]")
SIGN_OF_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
LOOKED_AT = 1 << 10


@dataclass(frozen=True)
class Plain:
    """The text of a file.

    Attributes:
        text: in UTF-8, without a byte order mark; lines end with ``\\n``.
        notes: what is told of a file that is not written in UTF-8.
    """

    text: bytes
    notes: tuple[str, ...]

    @classmethod
    def of(cls, path: str) -> "Plain":
        """Read a file; raise DataError if it is no text."""
        text, notes = _decoded(_bytes_of(path))
        text = _with_plain_ends(text)
        if b"\0" in text:
            raise refusal(
                "zero-byte",
                "holds a zero byte; save the file as CSV UTF-8",
                line=line_of(text, text.index(0)),
            )
        return cls(text, notes)


def line_of(text: bytes, position: int) -> int:
    """Return the number of the line that holds a byte of a text."""
    return 1 + text.count(b"\n", 0, position)


def _with_plain_ends(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def refuse_open_quote(text: bytes, separator: str) -> None:
    """Raise DataError if a double quote is opened and never closed."""
    if b'"' in text and _has_open_quote(text, separator):
        last = line_of(text, text.rindex(b'"'))
        raise refusal(
            "open-quote",
            f"a double quote is opened and never closed, the last one is in line {last}; close "
            "it, and write a quote inside text twice",
        )


def _has_open_quote(text: bytes, separator: str) -> bool:
    signs = np.frombuffer(text, np.uint8)
    quotes = np.flatnonzero(signs == ord('"'))
    if len(quotes) % 2:
        return True
    before = signs[quotes[::2][quotes[::2] > 0] - 1]
    if np.isin(before, [ord(separator), *b'\n"']).all():
        return False
    # Some quotes are plain signs within text.
    quoted = rb'(?:\A|[%s\n])"(?:[^"]++|"")*+("?)' % re.escape(separator.encode())
    return any(not cell[1] for cell in re.finditer(quoted, text))


def _bytes_of(path: str) -> bytes:
    """Return what a file holds, unpacked; raise DataError if it is of another kind."""
    is_packed = path.lower().endswith(".gz")
    most = max(MOST_UNPACKED, MOST_TIMES_PACKED * Path(path).stat().st_size)
    try:
        if is_packed:
            with gzip.open(path) as file:
                content = file.read(most + 1)
        else:
            content = Path(path).read_bytes()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise refusal(
            "no-gzip",
            "is no whole gzip file; compress it again, or take .gz off its name if it is "
            f"plain text ({error})",
        ) from error
    except OSError as error:
        raise refusal("unreadable", f"cannot be read: {error.strerror}") from error
    if is_packed and len(content) > most:
        raise refusal(
            "unpacks-too-large",
            f"unpacks to more than {most / 1000000000.0:.1f} GB, {MOST_TIMES_PACKED} times "
            "its size; if that is right, unpack it and name the unpacked file",
        )
    for magic, kind in KINDS.items():
        if content.startswith(magic):
            raise refusal(
                "other-kind-of-file", f"is {kind}, not text; save it as CSV UTF-8, or rename it"
            )
    if content[:LOOKED_AT].lstrip().lower().startswith(WEB_PAGE):
        raise refusal("web-page", "is a web page, not a table; download the file itself")
    return content


def _decoded(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a text in UTF-8, and what is told of how it is written."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode(UTF16).encode(), ("its text is UTF-16",)
        except UnicodeError as error:
            what = f"is no UTF-8; save it as UTF-8 ({error})"
            raise refusal("unreadable", what) from None
    text = content.removeprefix(BYTE_ORDER_MARK)
    try:
        if not text.isascii():
            text.decode()
        return text, ()
    except UnicodeDecodeError as error:
        japanese = text.decode("cp932", "replace")
        signs = sum(sign > "\x7f" for sign in japanese)
        if len(KANA.findall(japanese)) > FEW_KANA * signs and "\ufffd" not in japanese:
            return japanese.encode(), ("its text is no UTF-8, and read as Shift JIS",)
        page, other = WINDOWS, text.decode(f"cp{WINDOWS}", "replace")
        if IN_A_WORD.search(other):
            page, other = OF_THE_EAST, text.decode(f"cp{OF_THE_EAST}", "replace")
        if "\ufffd" not in other and not SIGN_OF_UTF8.search(text):
            return other.encode(), (f"its text is no UTF-8, and read as Windows-{page}",)
        raise refusal(
            "not-utf8",
            f"byte 0x{text[error.start]:02x} is not UTF-8; save the file as UTF-8 (in Excel: "
            "CSV UTF-8)",
            line=1 + _with_plain_ends(text[: error.start]).count(b"\n"),
        ) from None


def unreadable(what: str, error: Exception) -> DataError:
    """Return the error that a reader of files cannot read one as ``what``."""
    reason = " ".join(str(error).split())
    return refusal("unreadable", f"cannot be read as {what} ({reason})")
