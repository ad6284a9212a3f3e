"""The one place that knows daphne and Twisted.

Daphne alone lets an answer pile up in memory for a client that does not read, cuts all connections at SIGTERM, reads
a body of any size, and takes its root path from any client. Its `Server` is used with those four mended here.
"""

# Daphne chooses Twisted's reactor, so it comes before any other import of Twisted.
import daphne.server  # noqa: F401  isort: skip

from kenny.serve.server import run

__all__ = ["run"]
