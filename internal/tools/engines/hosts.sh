#!/bin/sh
# Hosts made of Linux namespaces, on which engines are tested: node1, node2, … at 10.77.0.1, 10.77.0.2, … Each has its
# own name, address and disk for temporary files, and sees all other folders of this machine. It needs root.
#   hosts.sh start DIR NUMBER SIZE       starts hosts, which keep their state in DIR; each has a disk of SIZE at DIR/tmp
#   hosts.sh join DIR                    joins them by a network, to which this machine belongs as 10.77.0.254
#   hosts.sh run DIR HOST USER COMMAND…  runs a command on host 1, 2, … as the user with this number
#   hosts.sh cut DIR HOST SECONDS        disconnects a host for this time
#   hosts.sh kill DIR HOST               kills all processes of a host but the one that keeps it
#   hosts.sh stop DIR                    ends the hosts
set -eu
command=$1 dir=$2
shift 2
bridge=tarry0
root() { cat "$dir/pid$1"; } # the process that keeps host $1

# keep is the first process of host $1, in its namespaces; it ends with the script that starts the hosts.
keep() {
	hostname "node$1"
	mount --make-rprivate /
	mount -t tmpfs -o "size=$2,mode=1777" disk "$dir/tmp"
	mount --bind "$dir/names" /etc/hosts
	mount -t tmpfs view "$dir/view" # another user can enter the home folder of this one, where programs may be
	mkdir "$dir/view/upper" "$dir/view/work"
	mount -t overlay -o "lowerdir=$HOME,upperdir=$dir/view/upper,workdir=$dir/view/work" view "$HOME" || true
	ip link set lo up
	exec sleep infinity
}

case $command in
start)
	mkdir -p "$dir/tmp" "$dir/view"
	echo 127.0.0.1 localhost >"$dir/names"
	for n in $(seq "$1"); do echo "10.77.0.$n node$n" >>"$dir/names"; done
	echo "10.77.0.254 $(hostname)" >>"$dir/names"
	for n in $(seq "$1"); do
		unshare -m -u -n sh "$0" keep "$dir" "$n" "$2" >"$dir/log$n" 2>&1 &
		echo $! >"$dir/pid$n"
		until [ "$(cat "/proc/$!/comm")" = sleep ]; do
			kill -0 $!
			sleep 0.02
		done
	done
	;;
join)
	touch "$dir/joined"
	ls /sys/class/net/$bridge/brif/* >/dev/null 2>&1 || ip link del $bridge 2>/dev/null || true # of hosts that were killed
	ip link add $bridge type bridge
	ip addr add 10.77.0.254/24 dev $bridge
	ip link set $bridge up
	for file in "$dir"/pid*; do
		n=${file#"$dir"/pid}
		ip link add "tarry$n" type veth peer name eth0 netns "$(root "$n")"
		ip link set "tarry$n" master $bridge up
		nsenter -n -t "$(root "$n")" sh -c "ip addr add 10.77.0.$n/24 dev eth0 && ip link set eth0 up"
	done
	;;
keep) keep "$1" "$2" ;;
run)
	n=$1 user=$2
	shift 2
	export TMPDIR="$dir/tmp" WD="$PWD"
	# shellcheck disable=SC2016 # the inner shell expands it, where the host's folders are mounted
	exec nsenter -m -u -n -t "$(root "$n")" sh -c 'cd "$WD" && exec setpriv --reuid="$0" --regid="$0" --clear-groups "$@"' "$user" "$@"
	;;
cut)
	ip link set "tarry$1" down
	sleep "$2"
	ip link set "tarry$1" up
	;;
kill)
	here=$(readlink "/proc/$(root "$1")/ns/net")
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/net" 2>/dev/null)" = "$here" ] && [ "${p#/proc/}" != "$(root "$1")" ] && kill -9 "${p#/proc/}" || true
	done
	;;
stop)
	for file in "$dir"/pid*; do
		n=${file#"$dir"/pid}
		sh "$0" kill "$dir" "$n"
		[ ! -e "$dir/joined" ] || ip link del "tarry$n" || true
		kill -9 "$(root "$n")" || true
	done
	[ ! -e "$dir/joined" ] || ip link del $bridge
	;;
esac
