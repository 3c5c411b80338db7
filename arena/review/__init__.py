"""Prices decisions: the points a hand that each gives up, judged from what its seat knew. Pure: no clock, file or process."""
