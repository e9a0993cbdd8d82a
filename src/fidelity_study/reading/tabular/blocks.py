"""The rows of a text file, plain or gzipped, as blocks of whole rows in UTF-8.

UTF-16 is told by its first bytes. Other bytes that are no UTF-8 are read as Windows-1252, as Excel
writes in Western Europe: no two texts become one by that, whatever the signs are.

``_pieces`` reads bytes, ``_normalized`` makes all line ends equal, and ``blocks`` cuts where a row
ends. Memory holds no more than one block and one unfinished row.
"""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fidelity_study.errors import DataError, refusal

LONGEST_ROW = 1 << 24
MOST_UNPACKED, MOST_TIMES_PACKED = 1 << 31, 200
KINDS = {
    b"PK\x03\x04": "a spreadsheet or ZIP file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip file",
    b"\xd0\xcf\x11\xe0": "an Excel file",
}
WEB_PAGE = (b"<!doctype html", b"<html")
PIECE = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF8, UTF16, WINDOWS = "utf-8", "utf-16", "cp1252"
SIGN_OF_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
NEWLINE, QUOTE = b'\n"'


@dataclass(frozen=True)
class Block:
    """Whole rows of a file.

    Attributes:
        text: the rows, separated by ``\\n``; none below the last one.
        line: the number of the first line.
    """

    text: bytes
    line: int

    def line_of(self, position: int) -> int:
        """Return the number of the line that holds a byte of the text."""
        return self.line + self.text.count(b"\n", 0, position)


def blocks(path: str, separator: str, size: int) -> Iterator[Block]:
    """Yield rows, ``size`` bytes at a time; raise DataError if bytes are not UTF-8 or not rows."""
    rest, line, quotes, last_quote = b"", 1, 0, 0
    for piece in _normalized(_pieces(path, size)):
        text = rest + piece
        whole = text[: max(_last_break(text, separator), 0)].rstrip(b"\n")
        rest = text[len(whole) + 1 :] if whole else text
        if whole:
            block = _checked(path, Block(whole, line))
            if b'"' in whole:
                quotes += whole.count(b'"')
                last_quote = block.line_of(whole.rindex(b'"'))
            yield block
            line += int(np.count_nonzero(np.frombuffer(whole, np.uint8) == NEWLINE)) + 1
        if len(rest) > LONGEST_ROW:
            raise refusal(
                "row-too-long",
                f"a row, or empty lines, of more than {LONGEST_ROW >> 20} MB begin there; close "
                "the double quote, delete them, or write the answers as a long file, a row for "
                "each",
                file=path,
                line=line,
            )
    rest = rest.rstrip(b"\n")
    block = _checked(path, Block(rest, line))
    if b'"' in rest:
        quotes += rest.count(b'"')
        last_quote = block.line_of(rest.rindex(b'"'))
    if quotes % 2 or _last_break(rest + b"\n", separator) < len(rest):
        raise refusal(
            "open-quote",
            "a double quote is opened and never closed, the last one is in line "
            f"{last_quote}; close it, and write a quote inside text twice",
            file=path,
        )
    if rest:
        yield block


def lines(path: str, *, may_be_long: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file and their numbers; raise DataError if bytes are not UTF-8.

    Args:
        path: the file, plain or gzipped.
        may_be_long: whether a line may have more than 16 MB.
    """
    rest, number = b"", 1
    for piece in _pieces(path, PIECE):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield number, _checked(path, Block(line.removesuffix(b"\r"), number)).text.decode()
            number += 1
        if len(rest) > LONGEST_ROW and not may_be_long:
            raise refusal(
                "line-too-long",
                f"has more than {LONGEST_ROW >> 20} MB; write one record on each line",
                file=path,
                line=number,
            )
    if rest:
        yield number, _checked(path, Block(rest, number)).text.decode()


def _last_break(text: bytes, separator: str) -> int:
    """Return the position of the last line break that ends a row, outside of quotes; -1 if none."""
    if b'"' not in text:
        return text.rfind(b"\n")
    buffer = np.frombuffer(text, np.uint8)
    quotes = np.flatnonzero(buffer == QUOTE)
    opening = quotes[::2]
    before = buffer[opening[opening > 0] - 1]
    if not np.isin(before, [ord(separator), NEWLINE, QUOTE]).all():
        return _last_break_among_stray_quotes(text, separator)
    end = text.rfind(b"\n")
    while end >= 0 and (count := np.searchsorted(quotes, end)) % 2:
        end = text.rfind(b"\n", 0, quotes[count - 1])
    return end


def _last_break_among_stray_quotes(text: bytes, separator: str) -> int:
    """Return the same where some quotes are plain characters within text; this takes longer."""
    quoted = rb'(?:\A|[%s\n])("(?:[^"]++|"")*+"?)' % re.escape(separator.encode())
    end, last_break = 0, -1
    for cell in re.finditer(quoted, text):
        last_break = max(last_break, text.rfind(b"\n", end, cell.start(1)))
        end = cell.end()
    return max(last_break, text.rfind(b"\n", end))


def _checked(path: str, block: Block) -> Block:
    text = block.text
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise refusal(
                "not-utf8",
                f"byte 0x{text[error.start]:02x} is not UTF-8; save the file as UTF-8 (in Excel: "
                "CSV UTF-8)",
                file=path,
                line=block.line_of(error.start),
            ) from None
    if b"\0" in text:
        raise refusal(
            "zero-byte",
            "holds a zero byte; save the file as CSV UTF-8",
            file=path,
            line=block.line_of(text.index(0)),
        )
    return block


def _normalized(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """End all lines by ``\\n``."""
    held = b""
    for piece in pieces:
        text = held + piece
        held = b"\r" if text.endswith(b"\r") else b""
        text = text.removesuffix(held)
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield text
    if held:
        yield b"\n"


def _pieces(path: str, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file in UTF-8, unpacked, without a byte order mark."""
    packed = path.lower().endswith(".gz")
    unpacked, most = 0, max(MOST_UNPACKED, MOST_TIMES_PACKED * Path(path).stat().st_size)
    with _opened(path) as file:
        piece = _read(path, file, size)
        _refuse_other_kinds(path, piece)
        written = encoding(path)
        decoder = codecs.getincrementaldecoder(written)()
        plain = piece.removeprefix(BYTE_ORDER_MARK)
        while piece:
            yield plain if written == UTF8 else _decoded(path, decoder, piece)
            unpacked += len(piece)
            if packed and unpacked > most:
                raise refusal(
                    "unpacks-too-large",
                    f"unpacks to more than {most / 1000000000.0:.1f} GB, {MOST_TIMES_PACKED} times "
                    "its size; if that is right, unpack it and name the unpacked file",
                    file=path,
                )
            plain = piece = _read(path, file, size)
        if written != UTF8:
            yield _decoded(path, decoder, b"")


def _decoded(path: str, decoder: codecs.IncrementalDecoder, piece: bytes) -> bytes:
    """Return a piece in UTF-8, nothing after the last one."""
    try:
        return decoder.decode(piece, final=not piece).encode()
    except UnicodeError as error:
        raise refusal("unreadable", f"is no UTF-8; save it as UTF-8 ({error})", file=path) from None


def encoding(path: str) -> str:
    """Return how a file's signs are written: in UTF-8, UTF-16 or Windows-1252."""
    with _opened(path) as file:
        return _encoding_of(_read(path, file, PIECE))


def notes_on_signs(path: str) -> tuple[str, ...]:
    """Return what is told of a file that is not written in UTF-8."""
    said = {UTF16: "UTF-16", WINDOWS: "no UTF-8, and read as Windows-1252"}.get(encoding(path))
    return (f"its text is {said}",) if said else ()


def _encoding_of(start: bytes) -> str:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return UTF16
    try:
        codecs.getincrementaldecoder(UTF8)().decode(start)
    except UnicodeDecodeError:
        try:
            start.decode(WINDOWS)
        except UnicodeDecodeError:
            return UTF8  # refused where the rows are read
        return UTF8 if SIGN_OF_UTF8.search(start) else WINDOWS
    return UTF8


def unreadable(path: str, what: str, error: Exception) -> DataError:
    """Return the error that a reader of files cannot read one as ``what``."""
    reason = " ".join(str(error).split())
    return refusal("unreadable", f"cannot be read as {what} ({reason})", file=path)


def _opened(path: str) -> gzip.GzipFile | io.FileIO:
    packed = path.lower().endswith(".gz")
    return gzip.open(path) if packed else io.FileIO(path)


def _read(path: str, file: io.IOBase, size: int) -> bytes:
    try:
        return file.read(size)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise refusal(
            "no-gzip",
            "is no whole gzip file; compress it again, or take .gz off its name if it is "
            f"plain text ({error})",
            file=path,
        ) from error
    except OSError as error:
        raise refusal("unreadable", f"cannot be read: {error.strerror}", file=path) from error


def _refuse_other_kinds(path: str, start: bytes) -> None:
    for magic, kind in KINDS.items():
        if start.startswith(magic):
            raise refusal(
                "other-kind-of-file",
                f"is {kind}, not text; save it as CSV UTF-8, or rename it",
                file=path,
            )
    if start.lstrip().lower().startswith(WEB_PAGE):
        raise refusal("web-page", "is a web page, not a table; download the file itself", file=path)
