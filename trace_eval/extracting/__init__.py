"""Clips into blueprints: one clip, its cache, and the engines that run many."""
