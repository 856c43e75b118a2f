package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// ourFlags calls do for each flag of our own commands, with the path of the command.
func ourFlags(do func(path string, f *pflag.Flag)) {
	everyCommand(newRoot(new(program)), func(cmd *cobra.Command) {
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		if path == "" || strings.HasPrefix(path, "completion") || path == "help" {
			return
		}
		each := func(f *pflag.Flag) {
			if f.Name != "help" {
				do(path, f)
			}
		}
		cmd.LocalFlags().VisitAll(each)
		cmd.InheritedFlags().VisitAll(each)
	})
}

// idleFlags are command lines with a flag that has no effect. The program must reject each of them.
const idleFlags = `
run sort in -o out --counters -q
run sort in --overwrite
run top in -o out --reduces 3
run grep x in --output out --reduces 3
run sort in -o out --reduces 0 --reduce-slots 1
run sort in --json
run sort in -o out --on streaming-command --json
run sort in -o out --queue night
run sort in -o out --on processes:2 --task-cores 2
run sort in -o out --inline --nodes 4
run sort in -o out --inline --memory 1GiB
run sort in -o out --on processes:2 --seed 3
run sort in -o out --inline --task-timeout 1m
run sort in -o out --inline --node-link 1MB
run sort in -o out --inline --scheduler fifo
run sort in -o out --inline --set theta=0
run sort in -o out --inline --wait 1s
run sort in -o out --inline --chaos 1
run sort in -o out --inline --state d
run sort in -o out --inline --on processes:2
run sort in --on processes:2
run pagerank in -o out --on processes:2
run grep a in --state d
run sort in -o out -t ,
run distinct in -o out -t ,
run distinct in -o out --top 3
run histogram in -o out -t ,
run top in -o out --csv --tsv
run top in -o out --csv -t ;
run mean in -o out --tsv --jsonl a,b
run top in -o out --header
run top in -o out --jsonl a --columns 2
run pagerank in -o out --max-skips 3
run grep x in --output out --top 3
run grep x in --output out --count-matches -v
run grep x in --output out --only-matching -v
run grep x in --output out --count-matches -c
run grep x in --output out -c -l
run grep x in --output out -l -n
run grep x in -l -h
run grep x in -h -H
run grep x in -o -A 1
run grep x in -c -C 1
run sort in -o out --node-link 1MB
run sort in -o out --nodes 4 --oversubscription 2
run sort in -o out --nodes 4 --node-link 1MB --oversubscription 2
run sort in -o out --wait 1s
sim --workload facebook-io --nodes 1 --wait 1s
sim --workload facebook-io --trace swim:f
sim --workload facebook-io --cluster c.yaml --nodes 9
sim --workload facebook-io --submit serial --target-utilisation 80%
sim --trace swim:f --compute-spread 1
sim --workload facebook-io --series-interval 5s
sim --workload facebook-io --cluster c.yaml --oversubscription 5
sim --workload facebook-io --network flows --shuffle-rate 1GB
sim --workload facebook-io --link 1GB
sim --workload facebook-io --network flows --oversubscription 5
sim --workload facebook-io --time-scale 2
sim --trace swim:f --time-scale 2 --target-utilisation 1%
sim --workload facebook-io --compute-rate 1MB --compute-spread 1
sim --workload facebook-io --max-maps 3
sim --workload facebook-io --skew-zipf 1
whatif e.jsonl --search --events x
play --export d --listen 127.0.0.1:0
whatif e.jsonl --goal p95
delay --tasks 3 --nodes 9 --rate 2 --locality 0.9 --wait 9s
delay --tasks 3 --nodes 9 --rate 2 --racks 2 --locality 0.9 --rack-wait 9s
gen text -o - --overwrite
gen tera -o x --words 3
view e.jsonl -o - --overwrite
run wordcount in -o out --reduces 0 --top 3
`

// A command ignores an environment variable whose flag has no effect or contradicts given flags.
func TestEnvironmentWithoutEffectIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in", "b\na\n")
	for _, c := range []struct{ args, env string }{
		{"run sort in -o out1 -q --inline", "TARRY_NODES=4"},
		{"run sort in -o out8 -q", "TARRY_WAIT=5s"},
		{"run sort in -o out10 -q --nodes 2", "TARRY_VERSION=true"},
		{"run sort in -o out11 -q --nodes 2", "TARRY_INLINE=true"},
		{"run top in2 -o out7 -q", "TARRY_REDUCES=3"},
		{"run top in2 -o out12 -q", "TARRY_HEADER=true"},
		{"run top in2 -o out13 -q -t \\t", "TARRY_CSV=true"},
		{"gen tera --size 100 -o made", "TARRY_WORDS=5"},
	} {
		write(t, "in2", "a\t1\n")
		name, value, _ := strings.Cut(c.env, "=")
		w := runHere(t, strings.Fields(c.args), map[string]string{name: value})
		require.Equal(t, 0, w.code, "%s %s: %s", c.env, c.args, w.errs)
	}
}
