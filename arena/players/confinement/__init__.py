"""How a bot is confined: the launcher, its policy, and the kernel's mechanisms that it uses. README.md gives an overview."""
