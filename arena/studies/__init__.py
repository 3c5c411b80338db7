"""Commands that reproduce the numbers arena ships or documents. No other package imports this one."""
