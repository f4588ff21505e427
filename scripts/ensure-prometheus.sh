#!/usr/bin/env bash
# Prints the path of a promtool; installs Debian's package prometheus when there is none. Tests of alerts, and of what
# a real Prometheus makes of our metrics, need both. The service that the package may start is not wanted.
set -euo pipefail
if ! command -v promtool >/dev/null || ! command -v prometheus >/dev/null; then
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends prometheus >&2
  if [ -d /run/systemd/system ]; then systemctl disable --now prometheus >&2; fi
fi
command -v promtool
