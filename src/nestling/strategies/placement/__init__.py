"""What the strategies share: what is known about each relationship, what may be embedded, and the design that follows."""
