#!/bin/sh
# Tests the playground: its answers under Node, byte for byte, and, where Chromium is installed, all of
# it in a browser. Playwright and axe come from npm into out/page. PICTURES=DIR keeps what it looks like.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v node >/dev/null; then
	echo "make test-play: no node here; its tests are left out"
	exit 0
fi
PLAY_NODE=node go test -count=1 -v -run TestWasmAnswersAlike ./actors/play
mkdir -p out/page
if ! npm install --silent --no-audit --no-fund --prefix out/page playwright-core@1.65.1 axe-core@4.14.1 typescript@5.9.3 2>out/page/npm.log; then
	echo "make test-play: npm has nothing to give; tests in a browser are left out"
	exit 0
fi
rm -rf out/play-types
mkdir -p out/play-types
cp actors/page/assets/*.mjs actors/play/site/assets/*.mjs "$(go env GOROOT)/lib/wasm/wasm_exec.js" out/play-types/
sed -i '1i // @ts-nocheck' out/play-types/wasm_exec.js
types="out/page/node_modules/.bin/tsc --checkJs --allowJs --noEmit --target es2024 --module esnext --moduleDetection force"
$types --lib es2024,dom,dom.iterable out/play-types/play.mjs
$types --lib es2024,webworker out/play-types/worker.mjs
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$chromium" ]; then
	echo "make test-play: no Chromium here; its tests are left out"
	exit 0
fi
go generate ./actors/play/site
size=$(wc -c <actors/play/site/module/tarry.wasm.br)
[ "$size" -le 1500000 ] || { echo "make test-play: the module has $size bytes: what has it come to import?"; exit 1; }
go build -o bin/tarry ./cmd/tarry
bin/tarry sim --workload facebook-io --jobs 12 --nodes 10 --racks 2 -q --events out/page/recorded.jsonl >/dev/null
rm -rf out/page/play out/page/site
bin/tarry play --export out/page/site
bin/tarry play --listen 127.0.0.1:0 >out/page/play 2>out/page/play.log &
trap "kill $!" EXIT
tries=0
until [ -s out/page/play ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] || { cat out/page/play.log; exit 1; }
	sleep 0.2
done
SITE="$(cat out/page/play)" EXPORTED=out/page/site MODULES=out/page CHROMIUM=$chromium PICTURES=${PICTURES:-} node --test --test-concurrency=1 actors/play/tests/browser.test.mjs actors/play/tests/around.test.mjs
