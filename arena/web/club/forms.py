"""Forms: short bodies of names and values, as browsers and `curl -d` send them. A form of a browser must be one of our own."""

import asyncio
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from arena.web.club.context import Caller, Callers

LARGEST = 8000  # bytes
MOST_FIELDS = 20
PATIENCE = 15.0  # seconds that a form may take
KEY = "form_key"  # the name of the field that only our own pages know


async def fields(request: Request) -> dict[str, str]:
    """Return the fields of a form. Raises: HTTPException 413, 400, 408."""
    body = b""
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST:
                    raise HTTPException(413, f"the form is larger than {LARGEST} bytes")
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except TimeoutError:
        raise HTTPException(408, f"the form took more than {PATIENCE:.0f} seconds") from None
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed") from None
    except ValueError:
        raise HTTPException(400, "the form cannot be read") from None


async def own_fields(request: Request, callers: Callers, caller: Caller) -> dict[str, str]:
    """Return the fields of a form from one of our pages, or from a program. Raises: HTTPException 403, 413, 400."""
    found = await fields(request)
    check_own(callers, caller, found.pop(KEY, ""))
    return found


def check_own(callers: Callers, caller: Caller, key: str) -> None:
    """Raise HTTPException 403, if a request of a browser does not have the key of our own pages."""
    if not callers.is_own_form(caller, key):
        raise HTTPException(403, "this form is not from this browser, or it is too old; reload the page and send it again")
