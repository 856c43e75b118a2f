#!/bin/sh
# Draws the README's picture, docs/wait.svg, from a simulated run.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p out
rm -f out/wait.jsonl
go run ./cmd/tarry sim --workload internal/tools/picture.yaml --nodes 8 --racks 2 --map-slots 4 --seed 3 --set locality.auto=false --set locality.waits=5s/10s -q --events out/wait.jsonl >/dev/null
node internal/tools/picture.mjs out/wait.jsonl >docs/wait.svg
