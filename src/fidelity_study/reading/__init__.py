"""From files, releases and logs to counts, shares and scores: what each says is never guessed."""
