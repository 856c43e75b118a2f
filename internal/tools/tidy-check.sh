#!/usr/bin/env bash
# Fails when go.mod or go.sum of the module or of a nested module is not tidy. The nested ones use packages of the
# module around them without requiring it (docs/decisions/0004-bench-module.md), so their check has a copy that does.
# With -w it tidies the nested ones. Beam's is looked at only where it is named, `tidy-check.sh contrib/beam`: that takes its
# 300 modules.
set -euo pipefail
cd "$(dirname "$0")/../.."
export GOWORK=off
root=$(go list -m)
tidy=$(mktemp -d)
trap 'rm -rf "$tidy"' EXIT
write=
if [ "${1:-}" = -w ]; then
	write=yes
	shift
else
	go mod tidy -diff
fi
[ $# -gt 0 ] || set -- bench

for nested; do
	cp "$nested/go.mod" "$nested/go.sum" "$tidy"
	go mod edit -require "$root@v0.0.0" -replace "$root=$PWD" "$tidy/go.mod"
	(cd "$nested" && go mod tidy -modfile "$tidy/go.mod")
	go mod edit -droprequire "$root" -dropreplace "$root" "$tidy/go.mod"
	if [ -n "$write" ]; then
		cp "$tidy/go.mod" "$tidy/go.sum" "$nested"
		continue
	fi
	diff -u "$nested/go.mod" "$tidy/go.mod"
	diff -u "$nested/go.sum" "$tidy/go.sum"
done
