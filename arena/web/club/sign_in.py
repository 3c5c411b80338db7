"""The page on which an author or organiser signs in, and the end of a session."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.web.club.context import Context


class SignInPages:
    """Signing in and out."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/sign-in", self.sign_in_page),
            Route("/sign-in", self.sign_in, methods=["POST"]),
            Route("/sign-out", self.sign_out, methods=["POST"]),
        ]

    async def sign_in_page(self, request: Request) -> Response:
        """Return the page on which an author signs in."""
        return self._context.page(request, "club_sign_in.html", {"wrong": False})

    async def sign_in(self, request: Request) -> Response:
        """Begin a session."""
        found = await self._context.form(request)
        response = RedirectResponse("/me", 303)
        if self._context.callers.sign_in(found.get("token", ""), response) is None:
            return self._context.page(request, "club_sign_in.html", {"wrong": True}, 401)
        return response

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        await self._context.form(request)
        response = RedirectResponse("/", 303)
        self._context.callers.sign_out(self._context.caller(request), response)
        return response
