# vLLM for GPUs, one release, nightly or wheel of a commit an image. `matrix` builds it; by hand:
#   docker build -f dockerfiles/vllm.Dockerfile --build-arg REQUIREMENTS=vllm==0.32.0 dockerfiles
#
# The wheels bring CUDA's libraries, the driver's come from the GPU runtime. Triton compiles with gcc at start, and
# FlashInfer and DeepGEMM with nvcc: take a BASE_IMAGE with it, such as nvidia/cuda:13.0.2-devel-ubuntu24.04.
# The base image's python3 must fit the release; Python's headers (python3-dev) must be those of that python3.
#
# Optional inputs, in a folder `inputs` of the build context, none of which reaches the final image:
#   inputs/wheels/*.whl   offered before any index
#   inputs/index.sh       shell lines that set index variables of uv and pip, and UV_ARGS
#   inputs/ca.pem         certificates to trust besides the base image's own
ARG BASE_IMAGE=debian:bookworm-slim
ARG APT="gcc libc6-dev libnuma1 python3-dev"
ARG REMOVE=""
ARG TORCH_BACKEND=""

# From here on the same in each engine's file, which a test checks: the classic builder knows no include.
# REQUIREMENTS: one a line. OVERRIDES: one a line, instead of what packages ask for. REMOVE: uninstalled at the end.
# INDEXES: the project's own, besides those of index.sh.
# FIRST: taken from INDEXES alone. PRERELEASE: 1 to allow them. BEFORE: a date (YYYY-MM-DD) that hides later packages.
FROM ${BASE_IMAGE} AS system
ARG APT
RUN set -eu; \
    python3 -c 'import ensurepip' 2>/dev/null || APT="python3 python3-venv ca-certificates ${APT}"; \
    [ -z "${APT}" ] || { apt-get update && apt-get install -y --no-install-recommends ${APT}; }; \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb

# The classic builder keeps this stage as an untagged image. The labels let it be found and removed; since they come
# first and differ in every build, they also keep what follows (it may hold credentials) out of the build cache.
FROM system AS build
ARG OWNER=""
ARG BUILD=""
LABEL org.specmatrix.managed=1 org.specmatrix.stage=build org.specmatrix.owner=${OWNER} org.specmatrix.build=${BUILD}
COPY *Dockerfile input[s] /inputs/
ARG REQUIREMENTS
ARG REMOVE
ARG TORCH_BACKEND
ARG INDEXES=""
ARG FIRST=""
ARG PRERELEASE=""
ARG BEFORE=""
ARG OVERRIDES=""
# Bytecode checked by neither time nor hash: a copy may change the times, and the image never changes.
ENV PYC_INVALIDATION_MODE=UNCHECKED_HASH UV_NO_CACHE=1 UV_PYTHON_DOWNLOADS=never PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1
RUN set -eu; \
    UV_ARGS=""; [ ! -f /inputs/index.sh ] || . /inputs/index.sh; \
    mkdir -p /inputs/wheels; touch /inputs/ca.pem; \
    cat /etc/ssl/certs/ca-certificates.crt /inputs/ca.pem > /inputs/trusted.pem; \
    export SSL_CERT_FILE=/inputs/trusted.pem PIP_CERT=/inputs/trusted.pem; \
    printf '%s\n' "${REQUIREMENTS:?name what to install}" > /inputs/requirements.txt; \
    printf '%s\n' "${OVERRIDES}" > /inputs/overrides.txt; \
    python3 -m venv /opt/uv; \
    /opt/uv/bin/pip install --quiet --find-links /inputs/wheels uv; \
    export PATH="/opt/uv/bin:${PATH}" VIRTUAL_ENV=/opt/engine; \
    uv venv --quiet --python "$(command -v python3)" /opt/engine; \
    [ -z "${FIRST}" ] || env -u UV_FIND_LINKS UV_DEFAULT_INDEX="${INDEXES%% *}" UV_INDEX="${INDEXES}" \
        uv pip install --no-progress --no-deps --prerelease allow ${FIRST}; \
    [ -z "${INDEXES}" ] || export UV_INDEX="${INDEXES} ${UV_INDEX:-}" UV_INDEX_STRATEGY=unsafe-best-match; \
    install() { \
        said=0; \
        uv pip install --no-progress --compile-bytecode --find-links /inputs/wheels ${UV_ARGS} \
            ${PRERELEASE:+--prerelease allow} ${BEFORE:+--exclude-newer ${BEFORE}} \
            ${OVERRIDES:+--override /inputs/overrides.txt} "$@" -r /inputs/requirements.txt \
            > /inputs/said.txt 2>&1 || said=$?; \
        cat /inputs/said.txt; \
        return ${said}; \
    }; \
    undated() { [ -n "${BEFORE}" ] && grep -q 'missing an upload date' /inputs/said.txt; }; \
    install || { undated && echo "the index tells no upload dates: installing without the date ${BEFORE}" && \
        BEFORE="" && install; } || { \
        [ -n "${TORCH_BACKEND}" ] && grep -q '\btorch' /inputs/said.txt || exit 1; \
        echo "no fitting torch in the index: trying the torch index for ${TORCH_BACKEND}"; \
        install --torch-backend "${TORCH_BACKEND}"; \
    }; \
    [ -z "${REMOVE}" ] || uv pip uninstall ${REMOVE}; \
    uv pip freeze | LC_ALL=C sort > /opt/engine/lock.txt

FROM system
COPY --from=build /opt/engine /opt/engine
# The server runs as the user who starts it, a number without an entry in /etc/passwd: name and home come from here.
ENV PATH=/opt/engine/bin:${PATH} HOME=/home/engine USER=engine LOGNAME=engine \
    PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /home/engine
