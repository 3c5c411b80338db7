"""How the numbers that arena ships or promises were made: commands to make them again. Nothing else imports this."""
