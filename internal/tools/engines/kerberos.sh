# Functions of test.sh for Kerberos.
#   secured   makes a KDC and a ticket, and sets secure: the settings of a secured HDFS and YARN
# Node managers give out the shuffle of their own user's jobs only, so nobody, whose number is 65534, is the user.
# shellcheck shell=bash disable=SC2034,SC2154 # test.sh has the variables

secured() {
	[ -n "${TARRY_TEST_HOSTS:-}" ] || return 1 # it would replace krb5.conf of this machine
	export KRB5_CONFIG=$work/kdc/krb5.conf KRB5_KDC_PROFILE=$work/kdc/kdc.conf KRB5CCNAME=FILE:$work/kdc/ticket
	mkdir "$work/kdc"
	kdc >"$work/kdc/log" 2>&1 && native && kinit -k -t "$work/kdc/keytab" nobody || return 1
	mapfile -t secure < <(kerberized)
	javaOptions+=("-Djava.security.krb5.conf=$KRB5_CONFIG" "-Djava.library.path=$cache/hadoop/nativelib/Linux-$(uname -m | sed s/x86_64/amd64/)")
	local n
	for n in 1 2 3; do (on "$n" 0 mount --bind "$KRB5_CONFIG" /etc/krb5.conf); done
}

# native gets Hadoop's library in C, without which a secured node manager gives out no shuffle.
native() {
	[ -e "$cache/hadoop/nativelib" ] && return
	(cd "$cache/hadoop" && timeout 300 mvn -q -B dependency:unpack -Dartifact=io.trino.hadoop:hadoop-apache:3.3.5-3 \
		-Dmdep.unpack.includes='nativelib/Linux-*/*' -DoutputDirectory=. -DmarkersDirectory="$work/kdc/markers")
}

kdc() {
	command -v krb5kdc >/dev/null || { [ "$(id -u)" = 0 ] && apt-get install -y -q krb5-kdc krb5-admin-server krb5-user; } || return 1
	local at name
	at=$(address 254)
	cat >"$KRB5_CONFIG" <<-EOF
		[libdefaults]
			default_realm = TARRY
			dns_lookup_kdc = false
			dns_lookup_realm = false
			udp_preference_limit = 1
		[realms]
			TARRY = {
				kdc = $at:27088
			}
	EOF
	cat >"$KRB5_KDC_PROFILE" <<-EOF
		[kdcdefaults]
			kdc_listen = $at:27088
			kdc_tcp_listen = $at:27088
		[realms]
			TARRY = {
				database_name = $work/kdc/principal
				key_stash_file = $work/kdc/stash
			}
	EOF
	kdb5_util create -s -r TARRY -P tarry
	for name in hadoop/tarry HTTP/"$at" nobody; do
		kadmin.local -q "addprinc -randkey $name"
		kadmin.local -q "ktadd -k $work/kdc/keytab $name"
	done
	chmod 644 "$work/kdc/keytab" # node managers run as another user
	krb5kdc -P "$work/kdc/pid"
	stops+=('kill $(cat "$work/kdc/pid")')
}

kerberized() {
	local of
	property hadoop.security.authentication kerberos
	for of in dfs.namenode.{,kerberos.} dfs.datanode.{,kerberos.} yarn.resourcemanager. yarn.nodemanager. mapreduce.jobhistory.; do
		property "${of}principal" hadoop/tarry@TARRY
		property "${of}keytab" "$work/kdc/keytab"
		property "${of}keytab.file" "$work/kdc/keytab"
	done
	property hadoop.http.authentication.type kerberos # WebHDFS wants a ticket, too
	for of in hadoop.http dfs.web; do
		property $of.authentication.kerberos.principal "HTTP/$(address 254)@TARRY"
		property $of.authentication.kerberos.keytab "$work/kdc/keytab"
	done
	property dfs.block.access.token.enable true
	property dfs.data.transfer.protection authentication
	property ignore.secure.ports.for.testing true
}
