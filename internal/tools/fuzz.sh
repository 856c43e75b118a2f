#!/usr/bin/env bash
# Runs every fuzz test of all modules for the given time each (default 20s).
set -euo pipefail
time="${1:-20s}"
go list ./... | while read -r pkg; do
	go test -list '^Fuzz' "$pkg" </dev/null | grep '^Fuzz' | while read -r name; do
		echo "== $pkg $name"
		go test -run '^$' -fuzz "^${name}\$" -fuzztime "$time" "$pkg" </dev/null
	done || [ $? -eq 1 ]
done
