"""Why a decision on a held call is refused; each changes nothing."""

from history.errors import Refused


class DigestMismatch(Refused):
    code = "digest_mismatch"
    status = 409
    default = "What you saw is not what would run. Look at the call again."


class DecidedAlready(Refused):
    """Facts: `decision`, `decidedBy`, `decidedAt`."""

    code = "decided"
    status = 409
    default = "This call was decided already."


class Expired(Refused):
    code = "expired"
    status = 409
    default = "The time to decide this call has run out. It was not run."
