"""XML as a tree of elements that know their lines; what could be an attack is refused.

The standard library's expat is used as it is, without namespaces: some formats have colons in their tags. A document
type declaration, where entities live, is refused, and size, depth and numbers of elements are capped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from anyjoint.errors import ModelError

MOST_BYTES = 64 << 20
MOST_ELEMENTS = 1_000_000
MOST_DEPTH = 200
MOST_TEXT = 16 << 20  # characters of one attribute or text
# What Python's "surrogateescape" makes of bytes that are no UTF-8, and what Windows means by them.
WINDOWS = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


@dataclass
class Element:
    """A tag with its attributes, children, text, and the line where it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list, repr=False)

    def find(self, tag: str) -> Element | None:
        """The first child of this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        """All children of this tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and everything inside, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)

    @property
    def text(self) -> str:
        """The characters between its tags, without spaces around them."""
        return "".join(self.pieces).strip()


class NoUtf8(ModelError):
    """A document with bytes of another encoding than it says."""

    def __init__(self, file: str, line: int, byte: int) -> None:
        self.line = line
        self.reason = f"the byte 0x{byte:02x} is no UTF-8; save the file as such, or say its encoding in line 1"
        super().__init__(f"{file}:{line}: {self.reason} [encoding]")


def parse(data: bytes, file: str, encoding: str | None = None) -> Element:
    """The root element of an XML document, or a ModelError that names file and line; the document says its encoding
    unless one is given.
    """
    if len(data) > MOST_BYTES:
        raise _refusal(file, 0, f"it has {len(data):,} bytes; at most {MOST_BYTES:,} are read")
    text = data.lstrip()
    if not text.startswith(b"<?xml"):
        return _Reader(file, encoding).read(data)
    # Blank lines before the declaration are no XML, but others read it.
    return _Reader(file, encoding, data[: len(data) - len(text)].count(b"\n")).read(text)


def mended(data: bytes) -> bytes:
    """The same in UTF-8; bytes that are none are taken for Windows-1252, as editors there save them."""
    return data.decode(errors="surrogateescape").translate(WINDOWS).encode()


def _refusal(file: str, line: int, message: str) -> ModelError:
    return ModelError(f"{file}{f':{line}' if line else ''}: {message} [xml]")


def _foreign(data: bytes, line: int) -> int | None:
    """The byte of another encoding that a line has, if expat stumbled over that."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if data.count(b"\n", 0, error.start) + 1 == line and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data[error.start]
    return None


class _Reader:
    """The handlers of one parse."""

    def __init__(self, file: str, encoding: str | None, above: int = 0) -> None:
        self.file, self.above, self.elements, self.root = file, above, 0, None
        self.open: list[Element] = []
        self.parser = parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._text, self._doctype

    root: Element | None

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            line, byte = error.lineno + self.above, _foreign(data, error.lineno)
            if byte is not None:
                raise NoUtf8(self.file, line, byte) from None
            reason = expat.ErrorString(error.code)
            raise _refusal(self.file, line, f"it is no XML that can be read: {reason}") from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or cannot decode
            raise _refusal(self.file, 1, f"it is no XML that can be read: {error}") from None
        assert self.root is not None  # expat refuses a document without an element
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        line = self.parser.CurrentLineNumber + self.above
        if self.elements > MOST_ELEMENTS:
            raise _refusal(self.file, line, f"it has more than {MOST_ELEMENTS:,} elements")
        if len(self.open) >= MOST_DEPTH:
            raise _refusal(self.file, line, f"elements stand more than {MOST_DEPTH} deep inside each other")
        if any(len(value) > MOST_TEXT for value in attributes.values()):
            raise _refusal(self.file, line, f"<{tag}> has an attribute of more than {MOST_TEXT:,} characters")
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, data: str) -> None:
        if self.open:
            self.open[-1].pieces.append(data)

    def _doctype(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber + self.above
        raise _refusal(self.file, line, "a DOCTYPE has no place in a model, and entities are not read; remove it")
