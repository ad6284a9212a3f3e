"""The names of what a person may prefer, and what is offered where that is fixed. Plain data."""

CHOICES: dict[str, tuple[str, ...]] = {
    "sendKey": ("enter", "ctrl"),
    "announcements": ("blocks", "ends"),
    "language": ("en", "de"),
}
NAMES = (*CHOICES, "model", "agentId")
