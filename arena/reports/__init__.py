"""What is shown, one file a renderer."""
