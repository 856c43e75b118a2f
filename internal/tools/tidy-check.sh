#!/usr/bin/env bash
# Fails when go.mod or go.sum is not tidy: those of the module or, where it is named, `tidy-check.sh contrib/beam`, those
# of Beam's. That one uses packages of the module around it without requiring it (docs/decisions/0010-beam.md), so its
# check has a copy that does, and takes its 300 modules. With -w the copy is written back.
set -euo pipefail
cd "$(dirname "$0")/../.."
export GOWORK=off
root=$(go list -m)
write=
if [ "${1:-}" = -w ]; then
	write=yes
	shift
fi
if [ $# = 0 ]; then
	exec go mod tidy $([ -n "$write" ] || echo -diff)
fi
tidy=$(mktemp -d)
trap 'rm -rf "$tidy"' EXIT
cp "$1/go.mod" "$1/go.sum" "$tidy"
go mod edit -require "$root@v0.0.0" -replace "$root=$PWD" "$tidy/go.mod"
(cd "$1" && go mod tidy -modfile "$tidy/go.mod")
go mod edit -droprequire "$root" -dropreplace "$root" "$tidy/go.mod"
if [ -n "$write" ]; then
	cp "$tidy/go.mod" "$tidy/go.sum" "$1"
	exit
fi
diff -u "$1/go.mod" "$tidy/go.mod"
diff -u "$1/go.sum" "$tidy/go.sum"
