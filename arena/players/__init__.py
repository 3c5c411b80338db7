"""The harness's end of a bot: it can be asked, told and closed."""
