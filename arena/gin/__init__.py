"""The game of gin rummy, pure: it knows no clock, file, process or chance."""
