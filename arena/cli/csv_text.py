"""Rows as the text of a CSV file."""

import csv
import io
from collections.abc import Sequence


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    """Return a line for each row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
