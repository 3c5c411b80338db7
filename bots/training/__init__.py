"""How the learned values were learned, and how strength is measured; no bot imports anything of this."""
