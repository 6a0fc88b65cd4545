"""The words of the domain as frozen dataclasses: no file, no network, no clock."""
