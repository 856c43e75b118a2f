package allocation_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// seed adds the named files of testdata to the fuzzer's inputs.
func seed(f *testing.F, names ...string) {
	for _, name := range names {
		content, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		f.Add(content)
	}
}

// requireProblems fails unless each error of a parser is a Problem with a line and a reason.
func requireProblems(t *testing.T, err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok, "%T", err)
	for _, e := range joined.Unwrap() {
		var p *allocation.Problem
		require.True(t, errors.As(e, &p))
		require.NotEmpty(t, p.Reason)
		require.GreaterOrEqual(t, p.Line, 0)
	}
}

// No file makes ParseFair panic, and a Core runs under every file that it accepts.
func FuzzParseFair(f *testing.F) {
	seed(f, "guide.xml", "mapred-queues.xml")
	f.Add([]byte("<allocations><pool name='a'><weight>1e3</weight><maxMaps>0</maxMaps></pool></allocations>"))
	f.Add([]byte("<allocations><queue name='a'/></allocations>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		fair, err := read(allocation.PoolFile, allocation.Source{Name: "f", Reader: bytes.NewReader(content)})
		if err != nil {
			require.Empty(t, fair.Pools)
			requireProblems(t, err)
			return
		}
		policy, err := scheduling.Preset("hfs")
		require.NoError(t, err)
		fair.Apply(&policy)
		_, err = scheduling.NewCore(scheduling.Config{}, policy)
		require.NoError(t, err)
	})
}

// No file makes ParseQueues panic, and the queues that it accepts fit into their parents.
func FuzzParseQueues(f *testing.F) {
	seed(f, "capacity-scheduler.xml", "mapred-queue-acls.xml", "mapred-queues.xml", "guide.xml")
	f.Add([]byte(capacity("a.capacity=25", "b.maximum-capacity=75", "b:c.supports-priority=true")))
	f.Fuzz(func(t *testing.T, content []byte) {
		queues, err := read(allocation.QueueFile, allocation.Source{Name: "q", Reader: bytes.NewReader(content)})
		if err != nil {
			require.Empty(t, queues.Queues)
			requireProblems(t, err)
			return
		}
		require.NotEmpty(t, queues.Queues)
		sums := map[string]float64{}
		seen := map[string]bool{"": true}
		for _, q := range queues.Queues {
			require.True(t, q.Name != "" && !seen[q.Name], "%q", q.Name)
			require.True(t, seen[q.Parent], "%q before its parent %q", q.Name, q.Parent)
			seen[q.Name] = true
			require.True(t, q.Capacity >= 0 && q.Capacity <= 100 && q.Max >= 0 && q.Max <= 100, "%+v", q)
			require.True(t, q.Max == 0 || q.Max >= q.Capacity, "%+v", q)
			require.True(t, q.UserLimit >= 0 && q.UserLimit <= 100 && q.InitJobs >= 0, "%+v", q)
			sums[q.Parent] += q.Capacity
		}
		for _, parent := range queues.Queues {
			require.LessOrEqual(t, sums[parent.Name], 100.001)
		}
		require.LessOrEqual(t, sums[""], 100.001)
		for _, q := range queues.Rules.Access.Queues {
			require.True(t, seen[q.Name])
		}
	})
}

// No file makes ParseParameters panic, and a Core accepts every policy that it accepts.
func FuzzParseParameters(f *testing.F) {
	f.Add([]byte("<configuration><property><name>mapred.fairscheduler.preemption</name><value>true</value></property></configuration>"))
	f.Add([]byte("<configuration><property><name>mapred.fairscheduler.locality.delay</name><value>-1</value></property></configuration>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := read(allocation.ParameterFile, allocation.Source{Name: "f", Reader: bytes.NewReader(content)})
		if err != nil {
			requireProblems(t, err)
			return
		}
		policy, err := scheduling.Preset("hfs")
		require.NoError(t, err)
		p.Apply(&policy)
		require.NoError(t, policy.Validate())
	})
}
