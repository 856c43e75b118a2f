#!/usr/bin/env bash
# Runs the tests of the page, of the playground and on Hadoop Streaming, each if what it tests has
# changed since the commit on which it last passed, which out/passed remembers. Without one, and with
# FULL=1, it runs. FULL=1 has Hadoop run a job of a thousand maps, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p out/passed
# stage NAME FOLDERS COMMAND…
stage() {
	local name=$1 folders=$2 passed
	shift 2
	passed=$(cat "out/passed/$name" 2>/dev/null || true)
	# shellcheck disable=SC2086
	if [ -z "${FULL:-}" ] && [ -n "$passed" ] && git diff --quiet "$passed" -- $folders 2>/dev/null &&
		[ -z "$(git ls-files -o --exclude-standard -- $folders)" ]; then
		echo "$name: nothing has changed since $passed"
		return
	fi
	"$@"
	# shellcheck disable=SC2086
	if [ -z "$(git status --porcelain -- $folders)" ]; then git rev-parse HEAD >"out/passed/$name"; fi
}
tools=internal/tools
[ -z "${FULL:-}" ] || export TARRY_TEST_THOUSAND=all
stage page "actors scheduling $tools/test-page.sh" $tools/test-page.sh
# A browser waits for much of its time, so Hadoop runs beside it.
stage play "actors/play actors/page scheduling $tools/test-play.sh" $tools/test-play.sh &
play=$!
stage engines "actors/worker contrib mapreduce jobs $tools/engines" $tools/engines/test.sh light >out/engines.log 2>&1 &
engines=$! failed=
wait $play || failed=1
wait $engines || failed=1
cat out/engines.log
[ -z "$failed" ]
