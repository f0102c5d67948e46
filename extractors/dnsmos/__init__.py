"""DNSMOS P.835 and P.808: the models inside speechmos, with shared windows."""
