"""What a stranger may hand in besides a folder: archives and wheels, and the libraries that they require."""
