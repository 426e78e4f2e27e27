"""Parts of validators: types, allowed values and checks of rows, and how strictly the server applies them."""
