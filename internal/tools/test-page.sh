#!/bin/sh
# Tests the page: its functions under Node, and, where Chromium is installed, all of it in a browser.
# Playwright and axe come from npm into out/page. PICTURES=DIR keeps what it looks like.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v node >/dev/null; then
	echo "make test-page: no node here; its tests are left out"
	exit 0
fi
node --test actors/page/tests/page.test.mjs actors/page/tests/server.test.mjs actors/page/tests/true.test.mjs
mkdir -p out/page/runs
if npm install --silent --no-audit --no-fund --prefix out/page playwright-core@1.65.1 axe-core@4.14.1 typescript@5.9.3 2>out/page/npm.log; then
	out/page/node_modules/.bin/tsc --checkJs --allowJs --noEmit --target es2024 --module esnext --lib es2024,dom,dom.iterable actors/page/assets/main.mjs
else
	echo "make test-page: npm has nothing to give; types are not checked, and tests in a browser are left out"
	exit 0
fi
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$chromium" ]; then
	echo "make test-page: no Chromium here; its tests are left out"
	exit 0
fi
[ -s actors/play/site/module/tarry.wasm.br ] || go generate ./actors/play/site
go build -o bin/tarry ./cmd/tarry
runs=out/page/runs
rm -f "$runs"/*
bin/tarry gen text --size 400KB --seed 1 -o out/page/text.txt --overwrite
bin/tarry run wordcount -q out/page/text.txt -o out/page/counts --overwrite --racks 3 --nodes 12 --block-size 8000 --reduces 6 --events "$runs/live.jsonl.zst"
bin/tarry sim --workload facebook-io --jobs 25 --nodes 20 --racks 4 -q --events "$runs/hfs.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 15 --nodes 10 --racks 2 -q --scheduler hfsp --events "$runs/hfsp.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 15 --nodes 10 --racks 2 -q --scheduler capacity --events "$runs/capacity.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 20 --nodes 100 --racks 10 -q --events "$runs/hundred.jsonl" >/dev/null
bin/tarry sim --workload facebook-io --jobs 100 --nodes 1000 --racks 50 -q --events "$runs/large.jsonl.zst" >/dev/null
for events in run:hostile moving:moving; do
	node -e 'import("./actors/page/tests/run.mjs").then((m) => process.stdout.write(m[process.argv[1]]().map((e) => JSON.stringify(e)).join("\n") + "\n"))' "${events%:*}" >"$runs/${events#*:}.jsonl"
done
for run in "$runs"/*.jsonl*; do
	name=$(basename "$run" .zst)
	bin/tarry view "$run" -o "$runs/${name%.jsonl}.html" --overwrite
done
export CHROMIUM=$chromium MODULES=out/page PICTURES=${PICTURES:-}
bin/tarry gen text --size 2MiB --words 5000 --overwrite -q -o out/page/book.txt
PAGES=$runs node --test actors/page/tests/browser.test.mjs
TARRY=bin/tarry BOOK=out/page/book.txt node --test actors/page/tests/lost.test.mjs
printf 'anns-secret-0123456789 ann\nbobs-secret-0123456789 bob\n' >out/page/tokens
chmod 600 out/page/tokens
# serve NAME FLAG... starts a server at any free address, which is then in out/page/NAME.
servers=
trap 'kill $servers' EXIT
serve() {
	name=$1
	shift
	rm -f "out/page/$name"
	bin/tarry serve --listen 127.0.0.1:0 "$@" >"out/page/$name" 2>"out/page/$name.log" &
	servers="$servers $!"
	tries=0
	until [ -s "out/page/$name" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { cat "out/page/$name.log"; exit 1; }
		sleep 0.2
	done
}
# A cluster at work: four racks with slow links, jobs of three users, reduces of which one gets most, and maps that let
# only one slot pass for their data.
bin/tarry gen pairs --size 1MiB --seed 2 --words 40 --skew 1.6 --overwrite -q -o out/page/pairs.txt
for i in 1 2 3 4 5 6 7 8; do printf '300ms\n600ms\n1.2s\n'; done >out/page/naps.txt
for i in 1 2 3 4; do echo 10m; done >out/page/long.txt
serve demo --racks 4 --nodes 8 --map-slots 2 --reduce-slots 1 --replication 2 --block-size 64KiB --node-link 4MB --oversubscription 4 --parallelism 24 \
	--set locality.rule=skips --set locality.skips=1
while read -r user job; do
	# shellcheck disable=SC2086
	(n=0; while :; do # a job that a test kills fails, and another one follows
		bin/tarry submit --server "$(cat out/page/demo)" --wait -q --user $user $job --output "dfs:$user/${job%% *}/$n" || true
		sleep 0.5
		n=$((n + 1))
	done) 2>/dev/null &
	servers="$servers $!"
done <<-JOBS
	ann grep a.*e out/page/book.txt
	cat sleep out/page/naps.txt --reduce-time 1s
	dan sleep out/page/long.txt
	bob secondarysort out/page/pairs.txt --reduces 6
	ann wordcount out/page/book.txt --reduces 2
	bob index out/page/book.txt --reduces 4
JOBS
serve guarded --nodes 3 --tokens out/page/tokens --admins ann
LIVE="$(cat out/page/demo)/watch/" GUARDED="$(cat out/page/guarded)/watch/" node --test actors/page/tests/live.test.mjs
