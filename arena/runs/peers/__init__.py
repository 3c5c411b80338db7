"""The engine and its protocol beside other programs that do the same work, for ``arena bench --peers``.

Each peer is a program of its own, a module of this package, so that none shares a process or an import with another.
"""
