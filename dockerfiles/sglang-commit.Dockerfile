# One commit of SGLang: its Python over an image of the release it builds on, where what that release compiled
# still fits. `matrix` builds it; by hand, from the project's root, with a clone of SGLang beside it:
#   mkdir dockerfiles/inputs
#   git -C ../sglang archive --output "$PWD/dockerfiles/inputs/overlay.tar" COMMIT:python/sglang
#   docker build -f dockerfiles/sglang-commit.Dockerfile --build-arg BASE_IMAGE=IMAGE dockerfiles
ARG BASE_IMAGE
ARG PACKAGE="sglang"

# From here on the same in each engine's file, which a test checks: the classic builder knows no include.
# No wheels, settings or credentials are taken, so one stage does; ADD unpacks the tar.
FROM ${BASE_IMAGE}
ARG PACKAGE
USER root
ADD inputs/overlay.tar /opt/overlay/
# What a build makes (compiled files, _version.py) stays where the commit lacks it; all else is the commit's. A file
# that this Python cannot compile is the engine's own affair: the run will show it.
RUN set -eu; \
    find_it='import importlib.util as u, sys; print(list(u.find_spec(sys.argv[1]).submodule_search_locations)[0])'; \
    cd /; package="$(python3 -c "${find_it}" "${PACKAGE}")"; \
    find "${package}" ! -type d ! -name _version.py ! -name '*.so' ! -name '*.so.*' ! -name '*.pyd' ! -name '*.a' \
        ! -name '*.o' ! -name '*.cubin' ! -name '*.fatbin' -delete; \
    find "${package}" -mindepth 1 -depth -type d -empty -delete; \
    cp -a /opt/overlay/. "${package}/"; \
    rm -rf /opt/overlay; \
    python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash "${package}" || true
