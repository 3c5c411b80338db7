"""my-bot and its adapter: the whole folder is the bot."""
