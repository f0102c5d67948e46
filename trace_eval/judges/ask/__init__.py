"""Chat models: the judge over them, its calls and clients, the reply cache, and the cost."""
