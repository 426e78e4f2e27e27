"""Why a proposal is as it is: the explanation, its scope, and its text for terminals and notebooks."""
