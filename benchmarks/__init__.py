"""Speed and power, shown by figures and never by timed tests."""
