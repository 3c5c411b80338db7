"""The colours of pages: text is readable on every surface, and lines of a chart differ for the colour-blind too."""

import re
from collections.abc import Iterable
from itertools import combinations, pairwise

import numpy as np
import pytest

from arena.reports.page.assets import FOLDER, text
from arena.stats.games import Array

SURFACES = ("paper", "raised")
INKS = ("ink", "soft", "accent", "good", "bad", "red", "warn")
SERIES = tuple(f"s{number}" for number in range(1, 9))
ENDS = tuple(f"e{number}" for number in range(1, 10))
APART = 0.08  # distance in OKLab: about four times the least that is seen side by side

# What is left of red, green and blue in linear light. Source: Machado, Oliveira and Fernandes (2009), severity 1.0.
EYES = {
    "usual": np.eye(3),
    "red-blind": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "green-blind": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "blue-blind": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
# From light to cones, and from their cube roots to OKLab. Source: Ottosson (2020).
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def schemes() -> dict[str, dict[str, str]]:
    """Return the colours of the light scheme and of the dark one by name."""
    light, dark, *_ = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", text("style.css"), re.DOTALL)
    )
    return {"light": light, "dark": light | dark}


def linear(colour: str) -> Array:
    """Return red, green and blue as shares of light. Source: IEC 61966-2-1."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21. Source: WCAG 2.2."""
    low, high = sorted(float(linear(colour) @ (0.2126, 0.7152, 0.0722)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, eye: Array) -> Array:
    """Return a colour in OKLab, as an eye sees it."""
    lab: Array = TO_LAB @ np.cbrt(TO_CONES @ np.clip(eye @ linear(colour), 0, 1))
    return lab


def near(pairs: Iterable[tuple[str, str]], colours: dict[str, str], eye: Array) -> dict[tuple[str, str], float]:
    """Return the pairs that an eye may confuse, with their distance."""
    found = {pair: float(np.linalg.norm(np.subtract(*(seen(colours[one], eye) for one in pair)))) for pair in pairs}
    return {pair: round(distance, 3) for pair, distance in found.items() if distance < APART}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_on_every_surface(scheme: str) -> None:
    colours = schemes()[scheme]
    found = {(ink, on): contrast(colours[ink], colours[on]) for ink in INKS for on in SURFACES}
    found["accent-ink", "accent"] = contrast(colours["accent-ink"], colours["accent"])
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("eye", EYES)
def test_eight_lines_differ_from_the_page_and_from_each_other(scheme: str, eye: str) -> None:
    colours = schemes()[scheme]
    assert min(contrast(colours[one], colours["paper"]) for one in SERIES) >= 4.5
    assert near(combinations(SERIES, 2), colours, EYES[eye]) == {}


@pytest.mark.parametrize("eye", EYES)
def test_ends_of_hands_side_by_side_differ(eye: str) -> None:
    assert near(pairwise(ENDS), schemes()["light"], EYES[eye]) == {}


def test_scripts_take_their_colours_from_the_style() -> None:
    literal = re.compile(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b(?!\w)", re.IGNORECASE)
    assert {path.name: found for path in FOLDER.glob("*.js") if (found := literal.findall(path.read_text()))} == {}
