# Stand in for the images that the compose file names: `--target postgres` and `--target registry`, of Debian's packages.
ARG BASE_IMAGE=debian:bookworm-slim
FROM ${BASE_IMAGE} AS registry
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends docker-registry && rm -rf /var/lib/apt/lists/*
USER docker-registry
ENV REGISTRY_STORAGE_FILESYSTEM_ROOTDIRECTORY=/var/lib/docker-registry
CMD ["docker-registry", "serve", "/etc/docker/registry/config.yml"]

FROM ${BASE_IMAGE} AS postgres
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /var/lib/postgresql/data /var/run/postgresql && chown postgres /var/lib/postgresql/data /var/run/postgresql \
    && printf '%s\n' '#!/bin/sh' 'set -e' 'PATH=$PATH:$(echo /usr/lib/postgresql/*/bin)' 'data=/var/lib/postgresql/data' \
    '[ -e $data/PG_VERSION ] || initdb --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync -D $data >/dev/null' 'shift' \
    'exec postgres -D $data "$@"' >/usr/local/bin/start && chmod +x /usr/local/bin/start
USER postgres
ENTRYPOINT ["/usr/local/bin/start"]
