"""Index settings in each installer's spelling, and their credentials out of sight."""

import configparser

from matrix.core.index import IndexSettings

SECRET = "hunter2"
FULL = IndexSettings(
    index_url=f"https://user:{SECRET}@index.example/simple",
    extra_index_urls=("https://token-hunter2@extra.example/simple", "file:///srv/simple"),
    find_links=("/srv/wheels", f"https://user:{SECRET}@links.example/all"),
    constraints=("/srv/constraints.txt",),
    cert="/etc/ca.pem",
    trusted_hosts=("lab.example",),
    proxy=f"http://me:{SECRET}@proxy.example:3128",
    timeout_s=180,
)


def test_uv_gets_urls_by_environment_and_paths_by_argument() -> None:
    args = " ".join(FULL.uv_args())
    env = FULL.uv_env()
    assert SECRET not in args
    assert "--find-links /srv/wheels" in args
    assert "--constraints /srv/constraints.txt" in args
    assert "--index-strategy unsafe-best-match" in args
    assert "--allow-insecure-host lab.example" in args
    assert env["UV_DEFAULT_INDEX"] == FULL.index_url
    assert env["UV_INDEX"].split() == list(FULL.extra_index_urls)
    assert env["UV_FIND_LINKS"] == FULL.find_links[1]
    assert (env["SSL_CERT_FILE"], env["HTTPS_PROXY"], env["UV_HTTP_TIMEOUT"]) == ("/etc/ca.pem", FULL.proxy, "180")


def test_nothing_set_changes_nothing() -> None:
    assert IndexSettings().uv_env() == {}
    assert IndexSettings().pip_env() == {}
    assert IndexSettings(no_index=True).pip_env() == {"PIP_NO_INDEX": "1"}
    assert "--no-index" in IndexSettings(no_index=True).uv_args()


def test_pip_conf_holds_all_of_it() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(FULL.pip_conf_text())
    conf = parser["global"]
    assert conf["index-url"] == FULL.index_url
    assert conf["extra-index-url"].split() == list(FULL.extra_index_urls)
    assert conf["find-links"].split() == list(FULL.find_links)
    assert (conf["constraint"], conf["cert"], conf["timeout"]) == ("/srv/constraints.txt", "/etc/ca.pem", "180")
    assert FULL.pip_env()["PIP_EXTRA_INDEX_URL"].split() == list(FULL.extra_index_urls)


def test_credentials_are_never_shown() -> None:
    shown = (
        repr(FULL)
        + str(FULL)
        + f"{FULL}"
        + repr(FULL.redacted())
        + FULL.redact(f"see {FULL.index_url} and {FULL.proxy}")
    )
    assert "hunter2" not in shown
    assert "https://****@index.example/simple" in shown
    assert FULL.redacted().find_links == ("/srv/wheels", "https://****@links.example/all")


def test_redaction_leaves_other_text_alone() -> None:
    text = "thing @ file:///srv/a@b/thing.whl from https://index.example/simple/a@b mail me@example.org"
    assert IndexSettings().redact(text) == text
