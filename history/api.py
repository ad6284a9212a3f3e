"""What every REST view of the product shares: JSON in and out, and the one mapping of errors.

No view stands here: DRF reads these names from the settings while its own `views` module is still being imported.
"""

from history.json_body import IgnoreAccept, JSONRenderer, StrictJSONParser
from history.refusals import answer, exception_handler

__all__ = ["IgnoreAccept", "JSONRenderer", "StrictJSONParser", "answer", "exception_handler"]
