"""What the library's users and the commands call: judge, rate, doctor; and what they get back."""
