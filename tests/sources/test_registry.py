"""Digests and tags from Debian's docker-registry on loopback, with and without tokens, and from registries gone wrong."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from matrix.core.errors import ConfigError, InfraError
from matrix.sources.registry import digest, reference, tags
from matrix.sources.registry_auth import stored_login
from tests.fakes.image_registry import LIST, OCI_INDEX, image_registry, put_image, put_index

Answer = tuple[int, dict[str, str], bytes]
LOGIN = base64.b64encode(b"me:hunter2").decode()


@pytest.fixture(autouse=True)
def _no_login_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "nothing"))


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with image_registry(tmp_path_factory.mktemp("registry")) as host:
        yield host


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], Answer]) -> Iterator[str]:
    """`host:port` of a server that answers every request as the function says."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answer(self)
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(body))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the name that the server calls

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("vllm/vllm-openai:v0.11.0", ("registry-1.docker.io", "vllm/vllm-openai", "v0.11.0")),
        ("docker.io/lmsysorg/sglang:v0.5.2-cu126", ("registry-1.docker.io", "lmsysorg/sglang", "v0.5.2-cu126")),
        ("debian", ("registry-1.docker.io", "library/debian", "latest")),
        ("localhost/x/y:1", ("localhost", "x/y", "1")),
        ("127.0.0.1:5000/x:1", ("127.0.0.1:5000", "x", "1")),
        ("registry.example/a/b/c", ("registry.example", "a/b/c", "latest")),
    ],
)
def test_names_are_taken_apart_as_docker_does(image: str, expected: tuple[str, str, str]) -> None:
    ref = reference(image)
    assert (ref.host, ref.repository, ref.tag) == expected


def test_plain_http_is_for_loopback_only() -> None:
    assert reference("127.0.0.1:5000/x:1").url == "http://127.0.0.1:5000/v2/x"
    assert reference("registry.example:5000/x:1").url == "https://registry.example:5000/v2/x"


@pytest.mark.parametrize("image", ["", "Upper/case:1", "a/b:", "a b:1", "a/b:t/g", "a/b@sha256:0", "../x:1"])
def test_what_is_no_name(image: str) -> None:
    with pytest.raises(ConfigError, match="is no name of an image"):
        reference(image)


def test_the_digest_is_that_of_what_was_put_there(registry: str) -> None:
    assert digest(f"{registry}/vllm/vllm-openai:v1") is None
    put = put_image(registry, "vllm/vllm-openai", "v1")
    assert digest(f"{registry}/vllm/vllm-openai:v1") == put
    assert digest(f"{registry}/vllm/vllm-openai:v2") is None


@pytest.mark.parametrize("kind", [LIST, OCI_INDEX])
def test_an_image_of_many_architectures_has_the_lists_digest(registry: str, kind: str) -> None:
    put = put_index(registry, "lmsysorg/sglang", "many", kind)
    assert digest(f"{registry}/lmsysorg/sglang:many") == put
    assert digest(f"{registry}/lmsysorg/sglang:many-amd64") not in (None, put)


def test_all_tags_of_a_repository(registry: str) -> None:
    for number in range(3):
        put_image(registry, "some/tags", f"v{number}")
    assert sorted(tags(f"{registry}/some/tags") or []) == ["v0", "v1", "v2"]
    assert tags(f"{registry}/no/such") is None


def test_a_digest_that_no_header_tells_is_computed() -> None:
    with answering(lambda _: (200, {}, b"{}")) as host:
        expected = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        assert digest(f"{host}/x:1") == expected


def test_tags_go_on_over_pages_of_the_registry_itself_and_each_once() -> None:
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        asked.append(request.path)
        last = parse_qs(urlsplit(request.path).query).get("last", [""])[0]
        after = {"": "a", "a": "b", "b": ""}[last]
        where = f"/v2/x/tags/list?n=1000&last={after}" if after else "http://elsewhere.example/v2/x/tags/list"
        body = json.dumps({"tags": [f"after-{last}"] if last != "b" else None})
        return 200, {"Link": f'<{where}>; rel="next"'}, body.encode()

    with answering(answer) as host:
        assert tags(f"{host}/x") == ["after-", "after-a"]
    assert len(asked) == 3


class Tokens:
    """A registry that wants a token, and the place that gives it; `seen` holds what each was sent."""

    def __init__(self, answer: bytes = b'{"token": "t0ken"}') -> None:
        self.seen: list[tuple[str, str | None]] = []
        self.answer = answer

    def __call__(self, request: BaseHTTPRequestHandler) -> Answer:
        sent = request.headers["Authorization"]
        self.seen.append((request.path, sent))
        if request.path.startswith("/token"):
            return 200, {}, self.answer
        if sent == "Bearer t0ken":
            return 200, {"Docker-Content-Digest": "sha256:ab"}, b"{}"
        host = request.headers["Host"]
        wanted = f'Bearer realm="http://{host}/token",service="registry.test",scope="repository:x:pull"'
        return 401, {"WWW-Authenticate": wanted}, b"{}"


@pytest.mark.parametrize("key", ["token", "access_token"])
def test_a_token_is_fetched_where_the_registry_wants_one(key: str) -> None:
    tokens = Tokens(json.dumps({key: "t0ken"}).encode())
    with answering(tokens) as host:
        assert digest(f"{host}/x:1") == "sha256:ab"
    assert parse_qs(urlsplit(tokens.seen[1][0]).query) == {"service": ["registry.test"], "scope": ["repository:x:pull"]}
    assert [sent for _, sent in tokens.seen] == [None, None, "Bearer t0ken"]


def test_a_login_in_dockers_config_is_used_for_its_registry_alone(tmp_path: Path) -> None:
    tokens = Tokens()
    with answering(tokens) as host:
        auths = {host: {"auth": LOGIN}, "https://index.docker.io/v1/": {"auth": "aHViOng="}}
        (tmp_path / "config.json").write_text(json.dumps({"auths": auths}))
        assert digest(f"{host}/x:1", tmp_path) == "sha256:ab"
    assert [sent for _, sent in tokens.seen] == [None, f"Basic {LOGIN}", "Bearer t0ken"]
    assert stored_login("registry-1.docker.io", tmp_path) == "aHViOng="
    assert stored_login("other.example", tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"auths": {"h": null}}', '{"auths": {"h": {}}}', '{"credsStore": "x"}']
)
def test_a_config_without_a_login_is_no_login(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert stored_login("h", tmp_path) is None


def test_a_real_registry_that_wants_tokens_refuses_one_that_it_did_not_sign(tmp_path: Path) -> None:
    certificate = Path(__file__).with_name("registry-token.pem")
    tokens = Tokens()
    with answering(tokens) as realm:
        place = f"http://{realm}/token"
        closed = image_registry(tmp_path / "closed", token_realm=place, certificate=certificate)
        refused = pytest.raises(InfraError, match="wants a login, or there is no such repository")
        with closed as host, refused:
            digest(f"{host}/vllm/vllm-openai:v1")
    query = parse_qs(urlsplit(tokens.seen[0][0]).query)
    assert query == {"service": ["registry.test"], "scope": ["repository:vllm/vllm-openai:pull"]}


@pytest.mark.parametrize(
    ("answer", "said", "hint"),
    [
        ((401, {"WWW-Authenticate": 'Basic realm="x"'}, b""), "wants a login of the kind 'basic'", "docker login"),
        ((401, {}, b""), "wants a login of the kind 'unnamed'", "docker login"),
        (
            (401, {"WWW-Authenticate": 'Bearer realm="http://elsewhere.example/token"'}, b""),
            "wants a login of the kind 'bearer'",
            "docker login",
        ),
        ((403, {}, b""), "wants a login, or there is no such repository", "docker login"),
        ((429, {"Retry-After": "60"}, b""), "limits requests (HTTP 429", "wait 60 s"),
        ((503, {}, b""), "failed (HTTP 503", "later"),
    ],
)
def test_refusals_name_the_next_step(answer: Answer, said: str, hint: str) -> None:
    with answering(lambda _: answer) as host, pytest.raises(InfraError) as caught:
        digest(f"{host}/x:1")
    assert said in caught.value.cause
    assert f"{host}/x:1" in caught.value.cause or host in caught.value.cause
    assert hint in caught.value.hint


@pytest.mark.parametrize("body", [b"<html>log in</html>", b"[]", b'{"tags": "all"}', b"\xff\xfe"])
def test_an_answer_that_is_no_list_of_tags(body: bytes) -> None:
    with answering(lambda _: (200, {}, body)) as host, pytest.raises(InfraError, match="answers with"):
        tags(f"{host}/x")


@pytest.mark.parametrize("body", [b"nothing", b"[]", b'{"token": 5}'])
def test_an_answer_without_a_token(body: bytes) -> None:
    with answering(Tokens(body)) as host, pytest.raises(InfraError, match="answers with"):
        digest(f"{host}/x:1")


def test_a_registry_that_is_not_there() -> None:
    with pytest.raises(InfraError, match="cannot be reached"):
        digest("127.0.0.1:9/x:1")
