"""Why something happened or cannot happen: what all may read of it, and what only the people whom it concerns may.

The two parts are apart from where a reason is made to where it is shown, so that no page has to find out where in a text the public
part ends.
"""

from typing import Annotated

from msgspec import Meta, Struct

Text = Annotated[str, Meta(max_length=10_000)]


class Reason(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A reason; an empty one is false."""

    public: Text = ""  # arena's own words and numbers, or what a person has written for the public
    detail: Text = ""  # for the organiser, and the author whose bot it is: it may quote the bot, an error or the machine

    def __bool__(self) -> bool:
        return bool(self.public or self.detail)

    def __str__(self) -> str:
        """Return both parts."""
        return "; ".join(filter(None, (self.public, self.detail)))


NO_REASON = Reason()
