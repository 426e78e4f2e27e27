"""What people read of one noun: its sentences, table rows and notebook view. Numbers in words are in `ir/quantity_words.py`."""
