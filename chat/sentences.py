"""What the server says of a refusal or a failure, in English on the wire, for the page to show in the reader's language.

Programs get one text, whatever language their user speaks; the page looks each of these up. A test holds the list to
the places where the sentences are said.
"""

from django.utils.translation import gettext_noop as _

SENTENCES = (
    # an upstream's fault
    _("Claude is overloaded right now."),
    _("Claude had a problem on its side and did not finish the answer."),
    _("Claude took too long to answer."),
    _("The connection to Claude broke before the answer was complete."),
    _("Too many requests to Claude at once."),
    _("The API key was refused. An administrator can set ANTHROPIC_API_KEY and restart."),
    _("The API key may not do this. An administrator can check its permissions."),
    _("This model is not available to the API key. Choose another one."),
    _(
        "The Anthropic account has no credit or has reached its spend limit. An administrator can raise it."
    ),
    _("Claude refused this request as malformed."),
    _("An image in this conversation is larger than Claude accepts."),
    _("This conversation has grown too long for the model. Go on in a new chat."),
    _("This conversation is too large to be sent. Go on in a new chat, or use fewer images."),
    _("Claude's earlier thinking does not fit this conversation any more."),
    _("Claude could not be reached. Check the server's network connection."),
    _("What answered is not the Claude API. An administrator can check ANTHROPIC_BASE_URL."),
    # how a turn ended
    _(
        "Claude has worked through as many steps as one message may take. Write “go on” to continue."
    ),
    _("The answer was cut off because it grew too long. Ask for it in smaller parts."),
    _("Claude declined to answer this. Change the message and send it again."),
    _("The model paused too many times without finishing."),
    _("Claude kept asking for what you had refused, so this turn was ended."),
    _("The model ended in a way that is not known here."),
    _("The server was restarted while Claude was answering. What had arrived is kept."),
    _("Something went wrong on the server. What had arrived is kept."),
    _("Something went wrong on the server, and this answer could not be kept."),
    # a refusal
    _("The request could not be understood."),
    _("The id may hold letters, digits, dot, dash and underscore, 128 at most."),
    _("The body holds fields that are not known here."),
    _("Sign in, or send a valid token."),
    _("You may not do that."),
    _("There is nothing here under that id."),
    _("Claude is still answering in this conversation."),
    _("A tool call waits for your decision in this conversation."),
    _("This browser is signed in as somebody else by now."),
    _("This conversation was deleted."),
    _("The conversation has changed since you read it."),
    _("The request is too large."),
    _("This turn id was used for another request."),
    _("Too many requests."),
    _("The server cannot take this right now; try again shortly."),
    _("This address does not take that method."),
    _("You are sending too fast."),
    _("Something went wrong on the server."),
    _("This tool is not available to you any more."),
    _("What you saw is not what would run. Look at the call again."),
    _("This call was decided already."),
    _("The time to decide this call has run out. It was not run."),
    _("This effort is not known."),
    _("This model is not offered here. Choose another."),
    _("This model does not take that effort."),
    _("There is no agent of that name here."),
    _("The message is empty."),
    _("This is no png, jpeg, gif or webp image."),
    _("The image could not be read."),
    # a call that was not run
    _("Refused by a person. The call was not run; do not repeat it."),
    _("Nobody decided in time, so the call was not run. Ask before you try it again."),
    _(
        "Refused without asking: a person has refused the same call in this turn. It was not run; do not repeat it."
    ),
    _(
        "Refused: the person may not use this tool any more. The call was not run; do not repeat it."
    ),
    _("This tool is not available any more. The call was not run."),
    _("The call is not what was shown and approved. It was not run."),
)
