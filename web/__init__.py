"""The dashboard: server-rendered pages, their JSON twins, and nothing fetched from outside."""

from web.app import create_app

__all__ = ["create_app"]
