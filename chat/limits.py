"""Every limit a client may meet, in one place: published in the socket's first frame and in the docs."""

from django.conf import settings

from chat.protocol import MAX_FRAME_CHARS, MAX_IMAGES, MAX_MESSAGE_CHARS

SOCKETS_PER_USER = 50
FRAMES_PER_SECOND = 20
FRAMES_AT_ONCE = 60
SENDS_PER_MINUTE = 120
BAD_FRAMES_PER_MINUTE = 5


def published() -> dict[str, int]:
    """Return the limits of `hello`: characters, counts, bytes and rates as their names say."""
    return {
        "messageChars": MAX_MESSAGE_CHARS,
        "images": MAX_IMAGES,
        "frameChars": MAX_FRAME_CHARS,
        "bodyBytes": settings.KENNY_MAX_BODY,
        "rounds": settings.KENNY_MAX_ROUNDS,
        "sockets": SOCKETS_PER_USER,
        "framesPerSecond": FRAMES_PER_SECOND,
        "sendsPerMinute": SENDS_PER_MINUTE,
        "approvalSeconds": settings.KENNY_APPROVAL_TTL,
    }
