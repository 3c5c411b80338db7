"""What a stranger may hand in: folders, archives and wheels, and the libraries that they require."""
