#!/usr/bin/env bash
# Installs the servers that the tests of idempotency start for themselves, where they are missing.
set -euo pipefail
missing=()
[ -n "${REDIS_URL:-}" ] || command -v redis-server >/dev/null || missing+=(redis-server)
[ -n "${DATABASE_URL:-}" ] || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
