"""The command ``arena my-part``, its page of the manual, and the kind of the runs that it makes."""
