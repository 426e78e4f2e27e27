"""What becomes of a value that is given for a parameter. Nestling converts with these functions, and the modules it writes carry
copies of those they need, so all but `conversion` know pymongo alone.
"""
