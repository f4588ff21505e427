# Sourced by the runs beside it: counts what passed and failed, and says so in one line at the end.
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check <name> <command…>: one more check; its output shows when it fails.
check() {
  local name=$1 from=$SECONDS
  shift
  if "$@" </dev/null >"$work/output" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $name ($((SECONDS - from)) s)"
  else
    failed=$((failed + 1))
    cat "$work/output"
    echo "not ok: $name ($((SECONDS - from)) s)"
  fi
}

# jest_run <command…>: runs the tests and adds up what they count.
jest_run() {
  local from=$SECONDS status=0 p=0 f=0 s=0
  TEST_COUNTS=$work/counts "$@" </dev/null || status=$?
  if [ -f "$work/counts" ]; then read -r p f s <"$work/counts"; fi
  # a run that failed without a failed test did not get to them, or was broken off
  if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  passed=$((passed + p))
  failed=$((failed + f))
  echo "tests: $p passed, $f failed, $s skipped ($((SECONDS - from)) s)"
}

# The one line that whoever started the run reads.
sum_up() {
  echo
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
