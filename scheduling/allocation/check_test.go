package allocation_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// source returns a file of that name and text, for Check.
func source(name, text string) allocation.Source {
	return allocation.Source{Name: name, Reader: strings.NewReader(text)}
}

// read reads files of one kind.
func read(kind string, sources ...allocation.Source) (allocation.Files, error) {
	for i := range sources {
		sources[i].Kind = kind
	}
	return allocation.Read(sources...)
}

// texts returns the messages of the problems in list.
func texts(list []*allocation.Problem) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Error())
	}
	return out
}

const (
	checkPools = `<allocations>
  <pool name="a"><minMaps>5</minMaps><maxMaps>4</maxMaps></pool>
  <pool name="b"/>
  <user name="ann"><maxRunningJobs>3</maxRunningJobs></user>
</allocations>`
	checkCapacities = `<configuration>
  <property><name>mapred.capacity-scheduler.queue.q1.capacity</name><value>60</value></property>
  <property><name>mapred.capacity-scheduler.queue.q2.capacity</name><value>40</value></property>
</configuration>`
	checkLists = `<configuration>
  <property><name>mapred.acls.enabled</name><value>true</value></property>
  <property><name>mapred.queue.q1.acl-submit-job</name><value>*</value></property>
</configuration>`
	checkSite = `<configuration>
  <property><name>mapred.jobtracker.taskScheduler</name><value>org.apache.hadoop.mapred.FairScheduler</value></property>
  <property><name>mapred.fairscheduler.preemption</name><value>true</value></property>
  <property><name>mapred.acls.enabled</name><value>true</value></property>
  <property><name>mapreduce.cluster.administrators</name><value>root ops</value></property>
  <property><name>mapred.queue.names</name><value>q1</value></property>
  <property><name>io.sort.mb</name><value>100</value></property>
</configuration>`
)

func TestCheckTellsKindsAndContents(t *testing.T) {
	files, err := allocation.Read(source("fair.xml", checkPools), source("queues.xml", checkCapacities), source("site.xml", checkSite), source("acls.xml", checkLists))
	require.NoError(t, err)
	list := files.Read
	var kinds, holds []string
	for _, c := range list {
		require.Empty(t, c.Errors, c.Name)
		kinds, holds = append(kinds, c.Name+" "+c.Kind), append(holds, c.Holds)
	}
	require.Equal(t, []string{"fair.xml pools", "queues.xml queues", "site.xml parameters", "acls.xml queues"}, kinds)
	nested, err := allocation.Read(source("nested.xml", `<queues><queue><name>n</name></queue></queues>`))
	require.NoError(t, err)
	require.Equal(t, []string{"queues", "1 queue"}, []string{nested.Read[0].Kind, nested.Read[0].Holds})
	require.Equal(t, "2 pools, 1 user", holds[0])
	require.Equal(t, "2 queues, access lists on", holds[1], "all files about queues together")
	require.Equal(t, "scheduler hfs, preemption on, access lists on", holds[2])
	require.Equal(t, []string{"fair.xml:2: pool a: minMaps 5 is above maxMaps 4 and counts as that"}, texts(list[0].Warnings))
	require.Equal(t, []string{"site.xml:6: mapred.queue.names has no effect here: it belongs in a file about queues, such as capacity-scheduler.xml"}, texts(list[2].Warnings))
}

func TestCheckGivesEachFileItsErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	files, err := allocation.Read(
		source("fair.xml", "<allocations>\n<pool name='a'><weight>0</weight></pool>\n<pol/>\n</allocations>"),
		source("q1.xml", strings.Replace(checkCapacities, "60", "-60", 1)),
		source("q2.xml", checkCapacities),
		source("site.xml", strings.Replace(checkSite, "true", "maybe", 1)),
		source("other.xml", "<beans/>"),
		source("cut.xml", "<allocations>\n<pool"),
		source("empty.xml", ""),
		allocation.Source{Name: "unread.xml", Reader: iotest.ErrReader(broken)})
	list := files.Read
	require.Equal(t, allocation.Files{Read: list}, files, "nothing of a bad file is used")
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"fair.xml:2: pool a: weight: 0 would give nothing; weights are above 0"}, texts(list[0].Errors))
	require.Contains(t, texts(list[1].Errors), "q1.xml:2: queue q1: capacity: -60 is negative")
	require.Contains(t, strings.Join(texts(list[2].Errors), "\n"), "q2.xml:2: property mapred.capacity-scheduler.queue.q1.capacity is repeated, first on line 2 of q1.xml")
	require.Equal(t, []string{`site.xml:3: mapred.fairscheduler.preemption: "maybe" is neither true nor false`}, texts(list[3].Errors))
	require.Equal(t, []string{"other.xml:1: the root element is <beans>, want <allocations>, <queues> or <configuration>"}, texts(list[4].Errors))
	require.Contains(t, texts(list[5].Errors)[0], "cut.xml:2: not well-formed XML")
	require.Equal(t, []string{"empty.xml: no root element: the file is empty"}, texts(list[6].Errors))
	require.ErrorIs(t, list[7].Errors[0], broken)
	for _, c := range list {
		require.Empty(t, c.Holds, c.Name)
	}
}

// Access lists apply once mapred-site.xml enables them; the administrators in it are exempt.
func TestParametersTurnListsOn(t *testing.T) {
	alone, err := allocation.Read(source("queues.xml", checkCapacities))
	require.NoError(t, err)
	both, err := allocation.Read(source("queues.xml", checkCapacities), source("site.xml", checkSite))
	require.NoError(t, err)
	eve, root := access.Principal{User: "eve"}, access.Principal{User: "root"}
	require.NoError(t, alone.Rules.Access.MaySubmit("q1", eve))
	lists := both.Rules.Access
	require.ErrorIs(t, lists.MaySubmit("q1", eve), access.ErrDenied)
	require.NoError(t, lists.MaySubmit("q1", root))
	require.NoError(t, lists.MaySubmit("q1", access.Principal{User: "x", Groups: []string{"ops"}}))
	require.Equal(t, []string{"root"}, lists.Admins.Users)
}
