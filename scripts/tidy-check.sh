#!/usr/bin/env bash
# Fails when go.mod or go.sum of the module or of the nested module bench is not tidy. bench uses packages of the
# module around it without requiring it (docs/decisions/0004-bench-module.md), so its check has a copy that does.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
root=$(go list -m)
go mod tidy -diff

tidy=$(mktemp -d)
trap 'rm -rf "$tidy"' EXIT
cp bench/go.mod bench/go.sum "$tidy"
go mod edit -require "$root@v0.0.0" -replace "$root=.." "$tidy/go.mod"
(cd bench && go mod tidy -modfile "$tidy/go.mod")
go mod edit -droprequire "$root" -dropreplace "$root" "$tidy/go.mod"
diff -u bench/go.mod "$tidy/go.mod"
diff -u bench/go.sum "$tidy/go.sum"
