"""The outcome of a regression test as JUnit XML, which every build server reads."""

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.compare.regression import Part, Regression
from arena.errors import InputError, naming_errors
from arena.reports.verdict import progress_line
from arena.stats.duels import Verdict
from arena.text import in_one_line, printable


def write_junit(path: Path, found: Regression) -> None:
    """Write a test suite with a case for each part. Raises: InputError.

    Weaker is a failure, undecided an error: build servers show the two separately, and they need different reactions.
    """
    _write_suite(path, _suite(found))


def write_problem(path: Path, problem: str) -> None:
    """Write a test suite of one case that is an error: there is no outcome. Raises: InputError."""
    top = Element("testsuite", {"name": "arena regress", "tests": "1", "failures": "0", "errors": "1"})
    case = SubElement(top, "testcase", {"classname": "arena regress", "name": "regress"})
    SubElement(case, "error", {"message": problem.splitlines()[-1], "type": "not tested"}).text = problem
    _write_suite(path, top)


def _write_suite(path: Path, top: Element) -> None:
    indent(top)
    _make_printable(top)
    with naming_errors(path, "cannot be written", InputError):
        path.write_bytes(tostring(top, encoding="utf-8", xml_declaration=True) + b"\n")


def _suite(found: Regression) -> Element:
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
    return top


def _make_printable(top: Element) -> None:
    """Escape what XML cannot contain, even as references: control characters and surrogates. Source: XML 1.0, section 2.2."""
    for element in top.iter():
        element.attrib = {name: in_one_line(value) for name, value in element.attrib.items()}
        element.text = element.text and printable(element.text)


def _add_case(top: Element, name: str, part: Part) -> None:
    case = SubElement(top, "testcase", {"classname": name, "name": part.question})
    kind = {Verdict.NOT_AS_GOOD: "failure", Verdict.UNDECIDED: "error"}.get(part.outcome.verdict)
    if kind:
        SubElement(case, kind, {"message": progress_line(part.outcome).strip(), "type": part.answer})
    records = f"records in {part.results}" if part.results else "the same program; nothing was played"
    SubElement(case, "system-out").text = f"{part.answer}\n{progress_line(part.outcome).strip()}\n{records}"
