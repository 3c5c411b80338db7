"""How strong each entrant is, and how sure that is; one file a rating."""
