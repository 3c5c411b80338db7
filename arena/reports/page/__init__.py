"""The pages that a browser shows: templates, styles, scripts, and the values that they are filled with."""
