"""Every limit a client may meet, in one place: published in the socket's first frame and in the docs."""

from django.conf import settings

from chat import effects, images
from chat.protocol import MAX_FRAME_CHARS, MAX_IMAGES, MAX_MESSAGE_CHARS

SOCKETS_PER_USER = 50
FRAMES_PER_SECOND = 20
FRAMES_AT_ONCE = 60
BAD_FRAMES_PER_MINUTE = 5
CALLS_PER_REPLY = 128
"""Calls of one assistant message that are run or asked about; further ones are answered with an error."""


def published() -> dict[str, int]:
    """Return the limits of `hello`: characters, counts, bytes and rates as their names say."""
    return {
        "messageChars": MAX_MESSAGE_CHARS,
        "images": MAX_IMAGES,
        "frameChars": MAX_FRAME_CHARS,
        "bodyBytes": settings.KENNY_MAX_BODY,
        "imageBytes": images.MAX_BYTES,
        "turns": settings.KENNY_MAX_TURNS,
        "rounds": settings.KENNY_MAX_ROUNDS,
        "callsPerReply": CALLS_PER_REPLY,
        "toolResultChars": effects.LONGEST_TEXT,
        "sockets": SOCKETS_PER_USER,
        "framesPerSecond": FRAMES_PER_SECOND,
        "sendsPerMinute": settings.KENNY_SENDS_PER_MINUTE,
        "approvalSeconds": settings.KENNY_APPROVAL_TTL,
    }
