"""What a bot may do: the sandboxes, and how the kernel enforces them."""
