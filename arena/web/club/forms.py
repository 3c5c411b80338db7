"""Forms: short bodies of names and values, as browsers and `curl -d` send them. A form of a browser must be one of our own."""

import asyncio
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena.web.responses import read_body

LARGEST_FORM = 8000  # bytes
MOST_FIELDS = 20
FORM_PATIENCE = 15.0  # seconds that a form may take
FORM_KEY = "form_key"  # the name of the field that only our own pages know


async def form_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form. Raises: HTTPException 413, 400, 408."""
    try:
        async with asyncio.timeout(FORM_PATIENCE):
            body = await read_body(request, LARGEST_FORM, f"the form is larger than {LARGEST_FORM} bytes")
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except TimeoutError:
        raise HTTPException(408, f"the form took more than {FORM_PATIENCE:.0f} seconds") from None
    except ValueError:
        raise HTTPException(400, "the form cannot be read") from None
