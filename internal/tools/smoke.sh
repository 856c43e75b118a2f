#!/usr/bin/env bash
# Runs every benchmark once, but for two that simulate a million tasks and more: proves that they run,
# measures nothing. The packages named, those that are tested under the race detector, run under it,
# so that no test is compiled twice.
set -euo pipefail
cd "$(dirname "$0")/../.."
raced=() others=()
for dir in $(git grep -l '^func Benchmark' -- '*_test.go' | xargs -n 1 dirname | sort -u); do
	if [[ " $* " == *" ./$dir "* ]]; then raced+=("./$dir"); else others+=("./$dir"); fi
done
smoke=(go test -vet=off -run '^$' -bench . -skip 'Facebook2010|Sim/10000nodes' -benchtime 1x -timeout 10m)
"${smoke[@]}" -race "${raced[@]}"
"${smoke[@]}" "${others[@]}"
