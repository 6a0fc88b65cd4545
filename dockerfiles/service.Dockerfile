# The service itself: dashboard and command line. Engines run beside it, in containers of their own.
# Build from the project's root:  docker build -f dockerfiles/service.Dockerfile .
ARG BASE_IMAGE=python:3.12-slim-bookworm

FROM ${BASE_IMAGE} AS build
LABEL org.specmatrix.stage=service-build
# An extra CA bundle for indexes behind one's own certificate, and index settings, through build arguments.
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_CERT
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY dockerfiles ./dockerfiles
COPY reports ./reports
COPY sweeps ./sweeps
COPY matrix ./matrix
COPY web ./web
RUN python3 -m venv /opt/specmatrix && /opt/specmatrix/bin/pip install --no-cache-dir --compile ".[postgres]"

FROM ${BASE_IMAGE}
COPY --from=build /opt/specmatrix /opt/specmatrix
RUN useradd --create-home --uid 10001 specmatrix && mkdir /data && chown specmatrix /data
USER specmatrix
WORKDIR /data
ENV PATH=/opt/specmatrix/bin:$PATH MATRIX_DB=sqlite:////data/matrix.db MATRIX_HOME=/data/state MATRIX_CACHE=/data/cache \
    MPLCONFIGDIR=/tmp/matplotlib
EXPOSE 8000
CMD ["matrix", "serve", "--host", "0.0.0.0"]
