"""Planning the next study: scenarios, people and draws, what they find and what they cost."""
