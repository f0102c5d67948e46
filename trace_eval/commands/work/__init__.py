"""What commands do once their options are read; imported when one of them is called.

A help page is made from a command's own module alone, so it need not wait for this.
"""
