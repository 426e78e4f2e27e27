"""What MySQL and MariaDB alone do: digits of numbers, comparisons of mixed types, zero dates."""
