"""Converts work to seconds: profiles of coefficients, prices, and the fit that makes a profile from measurements.

`profile` says what each quantity of `nestling.ir.paths.work` costs, `price` applies it, and `fit` finds the coefficients that
explain measured times best.
"""

from nestling.cost.price import price, prices
from nestling.cost.profile import Coefficient, Identity, Profile
from nestling.cost.profile_text import default_profile, profile_names, read_profile

__all__ = [
    "Coefficient",
    "Identity",
    "Profile",
    "default_profile",
    "price",
    "prices",
    "profile_names",
    "read_profile",
]
