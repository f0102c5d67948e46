"""Chat models: the judge over them, its calls and clients, cached replies, the cost."""
