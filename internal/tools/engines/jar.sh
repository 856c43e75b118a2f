#!/bin/sh
# Makes the jar of actors/worker/hadoop/HostedLines.java, with the same bytes each time: jar.sh OUT HADOOP-JARS
set -eu
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
cd "$(dirname "$0")/../../../actors/worker/hadoop"
javac --release 8 -Xlint:-options -g:none -cp "$2" -d "$classes" HostedLines.java
jar --create --file "$1" --date=2020-01-01T00:00:00Z --no-manifest -C "$classes" tarry
