"""Plots as files of their own: with the colours of light and dark that a page would give them."""

import base64
import hashlib

_DARK = {
    "ink": "#e4e7ea", "muted": "#9da7b1", "grid": "#2a3037", "accept": "#7fb0f5", "speed": "#55bcc2", "base": "#9aa4ae",
    "healthy": "#6fc595", "degraded": "#e2b25a", "collapsed": "#f09a62", "broken": "#ff8f8f", "slower": "#cfbb55",
    "wrong-output": "#de99e0", "suspicious-high": "#b6a4f7", "unknown": "#9da7b1", "not-applicable": "#98a2ac",
}  # fmt: skip
# In light the fallback of each variable holds. The ground is drawn, as nobody knows what the file will stand on.
_PLOTS = ";".join(f"--plot-{role}:{value}" for role, value in _DARK.items())
STYLE = (
    "svg{background:#fff;font-family:system-ui,sans-serif}"
    f"@media(prefers-color-scheme:dark){{svg{{background:#191d21;color-scheme:dark;{_PLOTS}}}}}"
)
STYLE_HASH = f"'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"
"""Lets this one style through the page policy when a file is opened by itself."""


def standalone(svg: str) -> str:
    """The SVG with its style inside, behind its first tag."""
    head, _, rest = svg.partition(">")
    return f"{head}><style>{STYLE}</style>{rest}"
