"""What a statement of the workload says that its options hang on."""
