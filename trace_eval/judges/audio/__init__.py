"""Judges that listen: recordings go to a model that hears, instead of blueprints."""
