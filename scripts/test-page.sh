#!/bin/sh
# Tests the page: its functions under Node, and, where Chromium is installed, all of it in a browser.
# Playwright and axe come from npm into out/page. PICTURES=DIR keeps what it looks like.
set -eu
cd "$(dirname "$0")/.."
if ! command -v node >/dev/null; then
	echo "make test-page: no node here; its tests are left out"
	exit 0
fi
node --test page/tests/page.test.mjs
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$chromium" ]; then
	echo "make test-page: no Chromium here; its tests are left out"
	exit 0
fi
mkdir -p out/page/runs
npm install --silent --no-audit --no-fund --prefix out/page playwright-core@1.65.1 axe-core@4.14.1
go build -o bin/tarry ./cmd/tarry
runs=out/page/runs
rm -f "$runs"/*
bin/tarry gen text --size 400KB --seed 1 -o out/page/text.txt --overwrite
bin/tarry run wordcount -q out/page/text.txt -o out/page/counts --overwrite --racks 3 --nodes 12 --block-size 8000 --reduces 6 --events "$runs/live.jsonl.zst"
bin/tarry sim --workload facebook-io --jobs 25 --nodes 20 --racks 4 -q --events "$runs/hfs.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 15 --nodes 10 --racks 2 -q --scheduler hfsp --events "$runs/hfsp.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 15 --nodes 10 --racks 2 -q --scheduler capacity --events "$runs/capacity.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 100 --nodes 1000 --racks 50 -q --events "$runs/large.jsonl.zst" >/dev/null
node -e 'import("./page/tests/run.mjs").then((m) => process.stdout.write(m.run().map((e) => JSON.stringify(e)).join("\n") + "\n"))' >"$runs/hostile.jsonl"
for run in "$runs"/*.jsonl*; do
	name=$(basename "$run" .zst)
	bin/tarry view "$run" -o "$runs/${name%.jsonl}.html" --overwrite
done
address=127.0.0.1:18088
bin/tarry serve --demo --listen "$address" 2>out/page/serve.log &
server=$!
trap 'kill "$server"' EXIT
tries=0
until bin/tarry job list --server "http://$address" >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ "$tries" -lt 30 ] || { cat out/page/serve.log; exit 1; }
	sleep 1
done
LIVE="http://$address/watch/" MODULES=out/page PAGES=$runs CHROMIUM=$chromium PICTURES=${PICTURES:-} node --test page/tests/browser.test.mjs
