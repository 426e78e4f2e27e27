"""What is said of a read that locks its rows at the source."""

READ_LOCKS = (
    "it locks rows at the source, and reads them without a lock here: MongoDB locks a row when it is written. Of two"
    " `Store.transaction`s that read a row and then change it, one begins anew; where a row is only read, change one that"
    " both change"
)
