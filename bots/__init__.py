"""The bots that come with arena; each file is one."""
