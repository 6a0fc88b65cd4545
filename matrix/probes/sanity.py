"""Is a text sane? Judged beside the same prompt's baseline, since healthy small models repeat themselves too."""

import unicodedata

LOOPS = "loops"
GARBAGE = "garbage"

_WINDOW = 12
_LOOP_SHARE, _LOOP_EXCESS = 0.5, 0.3
_ODD_SHARE, _ODD_EXCESS = 0.2, 0.1


def sanity_flags(text: str, baseline_text: str | None) -> tuple[str, ...]:
    """`loops` and `garbage` as they apply; without a baseline only what no baseline could excuse."""
    flags = [GARBAGE] if looks_garbage(text, baseline_text) else []
    if baseline_text is not None and looks_looped(text, baseline_text):
        flags.append(LOOPS)
    return tuple(flags)


def looks_looped(text: str, baseline_text: str) -> bool:
    """True when at least half of the text repeats itself, and much more of it than of the baseline's text."""
    share = repeated_share(text)
    return share >= _LOOP_SHARE and share - repeated_share(baseline_text) >= _LOOP_EXCESS


def repeated_share(text: str) -> float:
    """Share of the text's windows of 12 characters that occurred earlier in it, 0 to 1; 0 for shorter texts."""
    count = len(text) - _WINDOW + 1
    return 1 - len({text[i : i + _WINDOW] for i in range(count)}) / count if count > 0 else 0.0


def looks_garbage(text: str, baseline_text: str | None) -> bool:
    """True for a blank text, or one with many control and replacement characters, where the baseline's is neither."""
    if not text.strip():
        return bool(baseline_text is None or baseline_text.strip())
    return odd_share(text) >= max(_ODD_SHARE, odd_share(baseline_text or "") + _ODD_EXCESS)


def odd_share(text: str) -> float:
    """Share of characters that no healthy text holds: controls, unassigned, private, surrogates, replacement marks."""
    odd = sum(1 for c in text if c == "\ufffd" or (unicodedata.category(c)[0] == "C" and c not in "\n\t\r\u200d\u200c"))
    return odd / len(text) if text else 0.0
