"""What becomes of a value that is given for a parameter. Nestling converts with these functions, and the modules it writes carry
copies of those they need, and of what these use of `ir`, mostly of `ir/value_forms`: all that is copied, so all but
`conversion`, knows pymongo alone. `python_code/support.py` lists the modules that definitions are copied from.
"""
