"""Where packages come from: the user's own installer settings as data, and their spelling for each installer."""

import re
from dataclasses import dataclass, fields, replace

_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True, repr=False)
class IndexSettings:
    """Package index settings; empty means the installer's default.

    `constraints` are files or URLs, `find_links` folders or URLs, `cert` a CA bundle, `timeout_s` seconds a request.
    URLs may hold credentials: they are handed over by environment, and `repr`, `redacted` and `redact` hide them.
    """

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    cert: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    proxy: str | None = None
    timeout_s: int | None = None
    no_index: bool = False

    def beside(self, indexes: tuple[str, ...]) -> "IndexSettings":
        """The same settings with more indexes; `no_index` still rules them out."""
        return replace(self, extra_index_urls=tuple(dict.fromkeys((*indexes, *self.extra_index_urls))))

    def uv_args(self) -> tuple[str, ...]:
        """Arguments of `uv pip install` that hold no URL; the rest is in `uv_env`."""
        # As pip does it: the best version of all indexes, wherever it is. uv would stop at the first that has any.
        args = ["--index-strategy", "unsafe-best-match"] if self.extra_index_urls else []
        args += ["--no-index"] if self.no_index else []
        for folder in self.find_links:
            args += [] if "://" in folder else ["--find-links", folder]
        for file in self.constraints:
            args += [] if "://" in file else ["--constraints", file]
        for host in self.trusted_hosts:
            args += ["--allow-insecure-host", host]
        return tuple(args)

    def uv_env(self) -> dict[str, str]:
        """Environment of uv: what may hold credentials, and what uv reads from there only."""
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), self.proxy)
        return _present(
            {
                "UV_DEFAULT_INDEX": self.index_url,
                "UV_INDEX": " ".join(self.extra_index_urls),
                "UV_FIND_LINKS": ",".join(f for f in self.find_links if "://" in f),
                "UV_CONSTRAINT": " ".join(c for c in self.constraints if "://" in c),
                "UV_HTTP_TIMEOUT": self.timeout_s,
                "SSL_CERT_FILE": self.cert,
                **proxies,
            }
        )

    def pip_env(self) -> dict[str, str]:
        """Environment of pip; it outranks every configuration file that pip may find."""
        return {f"PIP_{key.upper().replace('-', '_')}": " ".join(values) for key, values in self._pip().items()}

    def pip_conf_text(self) -> str:
        """A whole `pip.conf`. It holds the credentials in clear: keep the file private and short-lived."""
        lines = [f"{key} = " + "\n    ".join(values) for key, values in self._pip().items()]
        return "\n".join(["[global]", *lines]) + "\n"

    def redacted(self) -> "IndexSettings":
        """The same settings without credentials, fit for printing and for hashing."""
        return replace(
            self,
            index_url=self.index_url and _hide(self.index_url),
            extra_index_urls=tuple(map(_hide, self.extra_index_urls)),
            find_links=tuple(map(_hide, self.find_links)),
            constraints=tuple(map(_hide, self.constraints)),
            proxy=self.proxy and _hide(self.proxy),
        )

    def redact(self, text: str) -> str:
        """`text` with the credentials of any URL hidden."""
        return _hide(text)

    def __repr__(self) -> str:
        hidden = self.redacted()
        return f"IndexSettings({', '.join(f'{f.name}={getattr(hidden, f.name)!r}' for f in fields(self))})"

    def _pip(self) -> dict[str, tuple[str, ...]]:
        keys: dict[str, tuple[str, ...]] = {
            "index-url": (self.index_url,) if self.index_url else (),
            "extra-index-url": self.extra_index_urls,
            "find-links": self.find_links,
            "constraint": self.constraints,
            "cert": (self.cert,) if self.cert else (),
            "trusted-host": self.trusted_hosts,
            "proxy": (self.proxy,) if self.proxy else (),
            "timeout": (str(self.timeout_s),) if self.timeout_s else (),
            "no-index": ("1",) if self.no_index else (),
        }
        return {key: values for key, values in keys.items() if values}


def _present(values: dict[str, str | int | None]) -> dict[str, str]:
    return {key: str(value) for key, value in values.items() if value}


def _hide(text: str) -> str:
    return _USERINFO.sub("****@", text)
