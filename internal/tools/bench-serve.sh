#!/bin/sh
# Submits 1,000 tiny jobs a second for a minute to a server that forgets and to one that keeps its state:
# how long a client waits for the answer, and that every job has run. ARGS='-rate 500 -seconds 10'.
# Five minutes should lie between two runs: ext4 looks long for a place for new files where many were
# removed a short while ago.
set -eu
cd "$(dirname "$0")/../.."
go build -o bin/ ./cmd/tarry ./internal/bench/cmd/submissions
mkdir -p out/submissions
rm -rf out/submissions/*
echo "a few words" >out/submissions/in.txt
server=
trap 'kill $server 2>/dev/null || true' EXIT
for kept in no yes; do
	rm -f out/submissions/address
	state=
	[ $kept = no ] || state="--state out/submissions/state"
	# shellcheck disable=SC2086
	bin/tarry serve -q --nodes 4 --racks 2 --listen 127.0.0.1:0 --root out/submissions $state \
		>out/submissions/address 2>out/submissions/log.$kept &
	server=$!
	until [ -s out/submissions/address ]; do sleep 0.2; done
	echo "state kept: $kept"
	# shellcheck disable=SC2086
	bin/submissions ${ARGS:-} "$(cat out/submissions/address)" "$PWD/out/submissions/in.txt"
	awk -v hz="$(getconf CLK_TCK)" '{ printf "the server took %.1f s of a core in all\n", ($14 + $15) / hz }' "/proc/$server/stat"
	kill $server
	wait $server || true
done
