"""Slow, plain reference implementations of the games, written from their rules alone."""
