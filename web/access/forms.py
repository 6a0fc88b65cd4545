"""The fields of a form that a browser sent."""

from urllib.parse import parse_qsl

from starlette.requests import Request

_KIND = "application/x-www-form-urlencoded"
_MOST_FIELDS = 30


async def fields_of(request: Request) -> dict[str, str]:
    """Names and values, the last of each name; empty for a body that is no such form. It may be read again after."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _KIND:
        return {}
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        return {}
