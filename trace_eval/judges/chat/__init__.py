"""The judge over a chat model: its steps, its calls and their replies, and the clients below."""
