"""From a relational schema and its workload to a verified MongoDB schema, with the reasons and the numbers."""

__version__ = "0.1.0"
