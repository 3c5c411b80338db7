"""The outcome of a regression test as JUnit XML, which every build server reads."""

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.errors import InputError
from arena.printable import in_one_line, printable
from arena.reports.verdict import progress_line
from arena.stats.sequential.betting import Verdict

if TYPE_CHECKING:
    from arena.runs.regression import Part, Regression


def write(path: Path, found: "Regression") -> None:
    """Write a suite with a case for each question. Raises: InputError.

    Weaker is a failure, undecided an error: build servers show the two separately, and they need different reactions.
    """
    try:
        path.write_bytes(tostring(suite(found), encoding="utf-8", xml_declaration=True) + b"\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def suite(found: "Regression") -> Element:
    """Return the suite."""
    verdicts = [part.outcome.verdict for part in found.parts]
    counts = {
        "tests": len(verdicts),
        "failures": verdicts.count(Verdict.NOT_AS_GOOD),
        "errors": verdicts.count(Verdict.UNDECIDED),
    }
    name = f"{found.candidate} {found.asked} than {found.baseline}"
    top = Element("testsuite", {"name": name, **{key: str(value) for key, value in counts.items()}})
    for part in found.parts:
        _add_case(top, name, part)
    indent(top)
    _make_printable(top)
    return top


def _make_printable(top: Element) -> None:
    """Escape what XML cannot say: control characters and surrogates, even as references. Source: XML 1.0, section 2.2."""
    for element in top.iter():
        element.attrib = {name: in_one_line(value) for name, value in element.attrib.items()}
        element.text = element.text and printable(element.text)


def _add_case(top: Element, name: str, part: "Part") -> None:
    case = SubElement(top, "testcase", {"classname": name, "name": part.question})
    kind = {Verdict.NOT_AS_GOOD: "failure", Verdict.UNDECIDED: "error"}.get(part.outcome.verdict)
    if kind:
        SubElement(case, kind, {"message": progress_line(part.outcome).strip(), "type": part.answer})
    records = f"records in {part.results}" if part.results else "the same program; nothing was played"
    SubElement(case, "system-out").text = f"{part.answer}\n{progress_line(part.outcome).strip()}\n{records}"
