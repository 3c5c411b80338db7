"""The outcome of a regression test as JUnit XML, which every build server reads."""

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.cli.outcomes import line
from arena.errors import InputError
from arena.stats.sequential import Verdict

if TYPE_CHECKING:
    from arena.cli.regression import Part, Regression


def write(path: Path, found: "Regression") -> None:
    """Write a suite with a case for each question; weaker is a failure, undecided an error. Raises: InputError."""
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
    return top


def _add_case(top: Element, name: str, part: "Part") -> None:
    case = SubElement(top, "testcase", {"classname": name, "name": part.question})
    kind = {Verdict.NOT_AS_GOOD: "failure", Verdict.UNDECIDED: "error"}.get(part.outcome.verdict)
    if kind:
        SubElement(case, kind, {"message": line(part.outcome).strip(), "type": part.outcome.verdict.value})
    SubElement(case, "system-out").text = f"{line(part.outcome).strip()}\nrecords in {part.results}"
