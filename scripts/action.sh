#!/usr/bin/env bash
# The step of action.yml: runs probelint with the action's inputs, which come as environment variables, and keeps the number of
# findings as an output. ARGS is split at blanks and expands nothing.
set -uo pipefail

rm -f "$RUNNER_TEMP/probelint.json" # of an earlier step of the job
command=("${PROBELINT:-$RUNNER_TEMP/probelint/probelint}" check --format "$FORMAT" --output "json=$RUNNER_TEMP/probelint.json")
if [ -n "$SARIF" ]; then
  command+=(--output "sarif=$SARIF")
fi
if [ "$FAIL_ON" = never ]; then
  command+=(--exit-zero)
else
  command+=(--fail-on "$FAIL_ON")
fi
if [ "$ONLY_NEW" = true ] && [ -n "$BASE" ]; then
  # A checkout of one commit does not hold the base.
  git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE" || exit 2
  command+=(--new-from "$BASE")
fi
read -r -a further <<<"$ARGS"
"${command[@]}" "${further[@]}"
code=$?
if [ -n "${GITHUB_OUTPUT:-}" ] && [ -s "$RUNNER_TEMP/probelint.json" ]; then
  # one finding, one fingerprint
  echo "findings=$(grep -o '"fingerprint"' "$RUNNER_TEMP/probelint.json" | wc -l | tr -d ' ')" >>"$GITHUB_OUTPUT"
fi
exit $code
