#!/bin/sh
# Measures a server with 10,000 running tasks on 1,000 nodes: what its page costs the browser, and what
# 200 clients that watch cost the server. make test-page has fetched the browser's driver before.
set -eu
cd "$(dirname "$0")/../.."
go build -o bin/ ./cmd/tarry
mkdir -p out/live
rm -rf out/live/*
seconds=${SECONDS_EACH:-30}
awk 'BEGIN { for (i = 0; i < 40000; i++) print 20 + i % 20 "s" }' >out/live/naps.txt
bin/tarry serve -q --nodes 1000 --racks 50 --map-slots 10 --reduce-slots 1 --scheduler hfs --wait 0s \
	--listen 127.0.0.1:0 --root out/live >out/live/address 2>out/live/log &
server=$!
clients=
trap 'kill $server $clients 2>/dev/null || true' EXIT
until [ -s out/live/address ]; do sleep 0.2; done
address=$(cat out/live/address)
for n in 1 2 3; do
	bin/tarry submit --user "user$n" --server "$address" sleep "$PWD/out/live/naps.txt" -o "dfs:out$n" >/dev/null
done
until [ "$(bin/tarry node list --server "$address" --json | awk -F'"running_maps":' '{ split($2, n, ","); sum += n[1] } END { print sum + 0 }')" -ge 9900 ]; do sleep 1; done
echo "10,000 maps run"
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
events() { curl -s "$address/metrics" | awk '/^tarry_events_total/ { sum += $2 } END { print sum + 0 }'; }
# cost NAME prints what the server takes of a core.
cost() {
	a=$(ticks)
	b=$(events)
	sleep "$seconds"
	awk -v a="$a" -v b="$(ticks)" -v c="$b" -v d="$(events)" -v s="$seconds" -v hz="$(getconf CLK_TCK)" -v name="$1" \
		'BEGIN { printf "server, %s: %.1f %% of a core, %.0f events a second\n", name, 100 * (b - a) / hz / s, (d - c) / s }'
}
sleep 25 # from then on as many end as begin
cost "nobody watches"
n=0
while [ "$n" -lt 200 ]; do
	curl -sSN "$address/api/v1/events?state=true" >/dev/null &
	clients="$clients $!"
	n=$((n + 1))
done
sleep 15 # each takes in the state first
cost "200 clients watch"
echo "$(curl -s "$address/metrics" | awk '/^tarry_event_streams/ { print $2 }') of them are still there"
kill $clients 2>/dev/null || true
clients=
LIVE=$address MODULES=out/page SECONDS=$seconds node actors/page/tests/measure.mjs
