"""What a statement says, with every habit of its dialect resolved: relations, expressions, conditions, writes."""
