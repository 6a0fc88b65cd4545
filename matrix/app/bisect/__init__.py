"""Bisections carried out: bounds, points, runs at them, answers kept, a report at the end."""
