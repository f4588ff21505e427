#!/usr/bin/env bash
# Prints the path of a Chromium; installs Debian's when there is none. Tests of pages need it.
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
  if path=$(command -v "$name"); then echo "$path"; exit 0; fi
done
apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >&2
command -v chromium
