"""The longer texts of the demo model. Each says or implies that no Claude is behind it."""

INTRODUCTION = """\
Hello. I am kenny's built-in **demo model**: a small program that follows fixed rules. There is no Claude behind me, \
and nothing you write leaves this server. I am here so that you can see how kenny works before an API key is set.

Everything around me is real: the stream, the tools, the approval, your history. Things to try:

- `give me a tour`: three steps through files, a picture and an approval
- `what is in my workspace?`, `read README.txt`, `search approve`
- `show me welcome.png`
- `write a packing list to lists/weekend.txt`: this one waits for your **Approve**
- `move lists/weekend.txt to lists/done.txt`, `delete lists/done.txt`
- `what time is it?`, `find tour in my chats`
- `show me some markdown`, `write something long` (and press **Stop**)

With `ANTHROPIC_API_KEY` set, Claude answers instead of me.
"""

LOST = """\
I am the demo model and do not understand free text; there is no Claude behind me. I react to a few words, such as \
**tour**, **files**, **read**, **search**, **write**, **picture**, **time**, **chats**, **markdown** and **long**.

Say `hello` for the list with examples, or ask an administrator to set `ANTHROPIC_API_KEY`, and Claude will answer \
what you just asked.
"""

MARKDOWN = """\
This is a fixed text of the demo model, to show how answers look.

## Lists and emphasis

1. **Bold**, *italic*, ~~struck out~~ and `code`
2. A list in a list:
   - with a [link](https://example.org/)
   - and a second item

> A quotation stands apart.
> It may have several lines.

## A table

| Gauge | Reading | Unit | Fine? |
|:------|--------:|:----:|-------|
| Inlet | 4.20 | bar | yes |
| Outlet | 3.95 | bar | yes |
| Boiler | 71 | °C | look again |

## Code

```python
def mean(readings: list[float]) -> float:
    \"\"\"Return the mean of at least one reading.\"\"\"
    return sum(readings) / len(readings)
```

---

Text in other scripts stays whole: Grüße, здравствуйте, 你好, שלום, 🙂.
"""

_PARAGRAPHS = (
    (
        "A pump does not know why it runs. It has an inlet, an outlet and a motor, and the water arrives whether or not "
        "anybody thinks about it. The people who look after pumps learn early to listen: a bearing that is going dry "
        "sounds different weeks before it fails, and nobody who has heard it once mistakes it for anything else."
    ),
    (
        "The same is true of a room full of gauges. Most of them say the same thing every day, and that is their work. "
        "What matters is the needle that has moved a little since last week, in the corner where nobody needs to go, and "
        "the habit of walking there all the same with a notebook and a pencil on a string."
    ),
    (
        "Writing it down is the other half. A reading that stands in somebody's memory is gone with the shift; a reading "
        "on paper can be compared, and three of them make a line. Whoever reads that line in a year will not know the "
        "weather of that morning, but will see that something began there."
    ),
    (
        "So the old hands keep the notebooks, all of them, on a shelf above the door. They are not tidy. There are coffee "
        "rings and crossed-out numbers, and on one page a drawing of the cat that used to sleep on the warm side of the "
        "boiler. But when the question comes, as it always does, the answer is up there."
    ),
)


def long_text(*, parts: int = 8) -> str:
    """Return a text of some minutes' reading, in numbered parts."""
    opening = "Here is something long from the demo model; it is a fixed text, not Claude's. Press **Stop** whenever you like.\n"
    chapters = (
        f"\n### Part {n + 1}\n\n{_PARAGRAPHS[n % len(_PARAGRAPHS)]}\n" for n in range(parts)
    )
    return opening + "".join(chapters) + "\nThat was all of it."


PACKING_LIST = """\
Packing list

[ ] Rain jacket
[ ] Two pairs of socks
[ ] Water bottle
[ ] Charger
[ ] Something to read
"""

TOUR_NOTE = """\
# Tour of kenny

Written by the demo model after a person pressed Approve.

- Reading ran at once.
- Writing waited for a yes.
- This conversation is kept, and can be found with the search box.
"""
