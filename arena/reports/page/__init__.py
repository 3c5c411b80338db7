"""Web pages: templates, styles, scripts, and the values that fill them."""
