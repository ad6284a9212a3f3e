"""Who may come in: pages to sign in, tokens, sessions, and the end of both on open sockets."""
