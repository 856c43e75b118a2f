package allocation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// open returns the named files of testdata as sources for a parser.
func open(t *testing.T, names ...string) []allocation.Source {
	t.Helper()
	var list []allocation.Source
	for _, name := range names {
		file, err := os.Open(filepath.Join("testdata", name))
		require.NoError(t, err)
		t.Cleanup(func() { file.Close() })
		list = append(list, allocation.Source{Name: name, Reader: file})
	}
	return list
}

// text returns a source "q.xml" with the given text.
func text(s string) allocation.Source {
	return source("q.xml", s)
}

// conf returns a <configuration> of NAME=VALUE properties, one per line, from line 2 on.
func conf(properties ...string) string {
	s := "<configuration>\n"
	for _, p := range properties {
		name, value, _ := strings.Cut(p, "=")
		s += "<property><name>" + name + "</name><value>" + value + "</value></property>\n"
	}
	return s + "</configuration>"
}

// capacity returns a <configuration> of Capacity Scheduler queues; each key gets its prefix.
func capacity(settings ...string) string {
	for i, s := range settings {
		settings[i] = "mapred.capacity-scheduler.queue." + s
	}
	return conf(settings...)
}

func TestQueueProperties(t *testing.T) {
	queues, err := read(allocation.QueueFile, open(t, "capacity-scheduler.xml", "mapred-queue-acls.xml")...)
	require.NoError(t, err)
	require.Empty(t, queues.Warnings)
	want := []scheduling.QueueConfig{
		{Name: "sch", Capacity: 60, Max: 80},
		{Name: "sch:prod", Parent: "sch", Capacity: 80, Priorities: true, UserLimit: 50, InitJobs: 3},
		{Name: "sch:misc", Parent: "sch", UserLimit: 25, InitJobs: 3},
		{Name: "gta", Capacity: 40, UserLimit: 50, InitJobs: 4},
	}
	require.Empty(t, cmp.Diff(want, queues.Queues))
	require.Empty(t, cmp.Diff(wantAccess(), queues.Rules.Access))
}

func wantAccess() access.Control {
	return access.Control{
		Enabled: true,
		Admins:  access.List{Users: []string{"root"}, Groups: []string{"wheel"}},
		Queues: []access.Queue{
			{Name: "sch:prod", Submit: access.List{Users: []string{"ann", "bob"}, Groups: []string{"ops"}}, Administer: access.List{Groups: []string{"ops"}}},
			{Name: "sch:misc", Submit: access.List{Everybody: true}},
			{Name: "gta", Stopped: true},
		},
	}
}

// mapred-queues.xml yields the same queues as capacity-scheduler.xml with mapred-queue-acls.xml.
func TestQueuesElement(t *testing.T) {
	sources := append(open(t, "mapred-queues.xml"), text(conf(
		"mapred.capacity-scheduler.default-minimum-user-limit-percent=50",
		"mapred.capacity-scheduler.default-maximum-initialized-jobs-per-user=3",
		"mapreduce.cluster.administrators=root wheel",
	)))
	got, err := read(allocation.QueueFile, sources...)
	require.NoError(t, err)
	want, err := read(allocation.QueueFile, open(t, "capacity-scheduler.xml", "mapred-queue-acls.xml")...)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want.Queues, got.Queues))
	require.Empty(t, cmp.Diff(want.Rules, got.Rules))
}

// Without a configured queue there is one, "default", with all slots.
func TestNoQueues(t *testing.T) {
	queues, err := read(allocation.QueueFile, text(conf("mapred.capacity-scheduler.default-supports-priority=true")))
	require.NoError(t, err)
	require.Equal(t, []scheduling.QueueConfig{{Name: "default", Priorities: true}}, queues.Queues)
	require.False(t, queues.Rules.Access.Enabled)
}

// A queue's part of the unassigned capacity must not exceed its maximum, as in Hadoop 0.21.
func TestLeftoverAboveMaximum(t *testing.T) {
	_, err := read(allocation.QueueFile, text(capacity("default.capacity=25", "q1.maximum-capacity=40")))
	require.EqualError(t, err, "q.xml:3: queue q1: the 75 % left for it are above its maximum-capacity of 40 %")
	_, err = read(allocation.QueueFile, text(capacity("default.capacity=25", "q1.maximum-capacity=75")))
	require.NoError(t, err)
	_, err = read(allocation.QueueFile, text(capacity("default.capacity=25", "q1.maximum-capacity=40", "q2.maximum-capacity=-1")))
	require.NoError(t, err, "half of the 75 % fits")
	_, err = read(allocation.QueueFile, text(capacity("a.capacity=60", "b.capacity=60", "c.maximum-capacity=40")))
	require.EqualError(t, err, "q.xml:4: the capacities of the topmost queues add up to 120 %, more than 100", "one error is enough")
}

// The queues have the order of mapred.queue.names, not that of their properties.
func TestQueueNamesGiveTheOrder(t *testing.T) {
	queues, err := read(allocation.QueueFile, text(conf("mapred.capacity-scheduler.queue.a.capacity=10", "mapred.capacity-scheduler.queue.p:c.capacity=10",
		"mapred.capacity-scheduler.queue.p:b.capacity=10", "mapred.capacity-scheduler.queue.p.capacity=10", "mapred.queue.names=p:b,p:c,z,a")))
	require.NoError(t, err)
	var names []string
	for _, q := range queues.Queues {
		names = append(names, q.Name)
	}
	require.Equal(t, []string{"p", "p:b", "p:c", "z", "a"}, names)
}

func TestStoppedParentStopsItsQueues(t *testing.T) {
	queues, err := read(allocation.QueueFile, text(`<queues><queue><name>a</name><state>STOPPED</state><queue><name>b</name><state>running</state></queue></queue>
		<queue><name>c</name></queue></queues>`))
	require.NoError(t, err)
	require.Equal(t, []access.Queue{{Name: "a:b", Stopped: true}, {Name: "c"}}, queues.Rules.Access.Queues)
}

func TestQueueWarnings(t *testing.T) {
	files, err := read(allocation.QueueFile, text(conf("mapred.acls.enabled=true", "mapred.capacity-scheduler.init-poll-interval=5000",
		"mapred.capacity-scheduler.queue.a.supports-priority=true", "mapred.capacity-scheduler.queue.a:b.capacity=50")))
	require.NoError(t, err)
	var all []string
	for _, w := range files.Warnings {
		all = append(all, w.Error())
	}
	require.Equal(t, []string{
		"q.xml:3: mapred.capacity-scheduler.init-poll-interval has no effect: jobs are initialized without threads or polling",
		"q.xml:4: queue a: supports-priority has no effect: jobs are in the queues within it",
		"q.xml:5: queue a:b has no acl-submit-job: only administrators may submit to it",
	}, all)
}

func TestQueueFileErrors(t *testing.T) {
	queue := func(inside string) string { return "<queues>\n<queue><name>q</name>\n" + inside + "</queue></queues>" }
	for name, c := range map[string]struct{ text, want string }{
		"empty":                 {"", "q.xml: no root element: the file is empty"},
		"not well-formed":       {"<configuration>", "q.xml:1: not well-formed XML"},
		"wrong root":            {"<config/>", "q.xml:1: the root element is <config>, want <configuration> or <queues>"},
		"the fair scheduler's":  {"<allocations/>", "want <configuration> or <queues>; this looks like the file of another scheduler"},
		"no property":           {"<configuration>\n<queue/></configuration>", "q.xml:2: unknown element <queue> in <configuration>, want <property>"},
		"no name":               {"<configuration>\n<property><value>1</value></property></configuration>", "q.xml:2: <property> without a <name>"},
		"empty name":            {"<configuration>\n<property><name/><value>1</value></property></configuration>", "q.xml:2: <name> is empty"},
		"no value":              {"<configuration>\n<property><name>mapred.queue.names</name></property></configuration>", "q.xml:2: property mapred.queue.names has no <value>"},
		"value twice":           {"<configuration>\n<property><name>n</name><value>1</value><value>2</value></property></configuration>", "q.xml:2: value is repeated, first on line 2"},
		"unknown in property":   {"<configuration>\n<property><name>mapred.queue.names</name><value>a</value><default/></property></configuration>", "q.xml:2: unknown element <default> in <property>"},
		"final":                 {"<configuration>\n<property><name>mapred.queue.names</name><value>a</value><final>yes</final></property></configuration>", "q.xml:2: final: \"yes\" is neither true nor false"},
		"text":                  {"<configuration>\nx</configuration>", "text \"x\" directly inside <configuration>"},
		"unknown property":      {conf("mapred.color=red"), "q.xml:2: unknown property mapred.color"},
		"property twice":        {capacity("a.capacity=10", "a.capacity=10"), "q.xml:3: property mapred.capacity-scheduler.queue.a.capacity is repeated, first on line 2"},
		"unknown setting":       {capacity("a.capacty=10"), "q.xml:2: queue a: unknown setting \"capacty\""},
		"no queue in name":      {capacity("capacity=10"), "names no queue"},
		"empty queue name":      {capacity(".capacity=10"), "q.xml:2: the queue name \"\" is empty"},
		"empty part of path":    {capacity("a:.capacity=10"), "q.xml:2: the queue name \"a:\" is empty"},
		"too deep":              {capacity(strings.Repeat("a:", 99999) + "a.capacity=10"), "leads through more than 32 queues"},
		"parent missing":        {capacity("a:b.capacity=10"), "q.xml:2: queue a is the parent of others but is not configured itself"},
		"empty value":           {capacity("a.capacity="), "q.xml:2: queue a: capacity is empty"},
		"not a number":          {capacity("a.capacity=half"), "q.xml:2: queue a: capacity: \"half\" is not a number"},
		"NaN":                   {capacity("a.capacity=NaN"), "q.xml:2: queue a: capacity: \"NaN\" is not a number"},
		"negative":              {capacity("a.capacity=-5"), "q.xml:2: queue a: capacity: -5 is negative"},
		"zero":                  {capacity("a.capacity=0"), "q.xml:2: queue a: capacity: 0 would give nothing"},
		"above 100":             {capacity("a.capacity=101"), "q.xml:2: queue a: capacity: 101 is more than 100"},
		"infinite":              {capacity("a.capacity=Inf"), "q.xml:2: queue a: capacity: +Inf is more than 100"},
		"maximum negative":      {capacity("a.maximum-capacity=-2"), "q.xml:2: queue a: maximum-capacity: -2 is negative"},
		"maximum zero":          {capacity("a.maximum-capacity=0"), "maximum-capacity: 0 would give nothing"},
		"maximum too small":     {capacity("a.capacity=50", "a.maximum-capacity=40"), "q.xml:3: queue a: maximum-capacity: 40 % are below the capacity of 50 %"},
		"more than everything":  {capacity("a.capacity=60", "b.capacity=60"), "q.xml:3: the capacities of the topmost queues add up to 120 %, more than 100"},
		"more than the parent":  {capacity("p.capacity=60", "p:a.capacity=60", "p:b.capacity=41"), "q.xml:4: the capacities of the queues in p add up to 101 %, more than 100"},
		"nothing left":          {capacity("a.capacity=100", "b.supports-priority=true"), "q.xml:3: queue b has no capacity of its own, and its siblings leave nothing"},
		"not a boolean":         {capacity("a.supports-priority=yes"), "q.xml:2: queue a: supports-priority: \"yes\" is neither true nor false"},
		"user limit":            {capacity("a.minimum-user-limit-percent=0"), "q.xml:2: queue a: minimum-user-limit-percent: must be 1 or more, not 0"},
		"user limit above 100":  {capacity("a.minimum-user-limit-percent=101"), "q.xml:2: queue a: minimum-user-limit-percent: 101 % are more than 100"},
		"no jobs":               {capacity("a.maximum-initialized-jobs-per-user=0"), "must be 1 or more, not 0"},
		"default wrong":         {conf("mapred.capacity-scheduler.default-minimum-user-limit-percent=x"), "q.xml:2: mapred.capacity-scheduler.default-minimum-user-limit-percent: \"x\" is not a whole number"},
		"threads":               {conf("mapred.capacity-scheduler.init-worker-threads=0"), "must be 1 or more, not 0"},
		"no jobs of all":        {conf(capacityPrefix + "maximum-system-jobs=0"), "maximum-system-jobs: must be 1 or more, not 0"},
		"user factor NaN":       {capacity("q.user-limit-factor=NaN"), "q.xml:2: queue q: user-limit-factor: \"NaN\" is not a number"},
		"user factor negative":  {conf(capacityPrefix + "default-user-limit-factor=-1"), "default-user-limit-factor: -1 is negative"},
		"accepted jobs":         {capacity("q.init-accept-jobs-factor=1e308"), "q.xml:2: queue q: init-accept-jobs-factor: \"1e308\" is not a whole number"},
		"active tasks":          {capacity("q.maximum-initialized-active-tasks=x"), "maximum-initialized-active-tasks: \"x\" is not a whole number"},
		"active tasks empty":    {conf(capacityPrefix + "default-maximum-active-tasks-per-user="), "default-maximum-active-tasks-per-user is empty"},
		"state":                 {conf("mapred.queue.a.state=paused"), "q.xml:2: queue a: state: \"paused\" is neither stopped nor running"},
		"unlisted queue":        {conf("mapred.queue.names=a", "mapred.capacity-scheduler.queue.b.capacity=10"), "q.xml:3: queue b is not among mapred.queue.names on line 2"},
		"names twice":           {conf("mapred.queue.names=a,a"), "q.xml:2: mapred.queue.names names queue \"a\" twice"},
		"empty among names":     {conf("mapred.queue.names=a,,b"), "q.xml:2: the queue name \"\" is empty"},
		"enabled twice":         {conf("mapred.acls.enabled=true", "mapreduce.cluster.acls.enabled=false"), "q.xml:3: mapreduce.cluster.acls.enabled says what mapred.acls.enabled says on line 2 already"},
		"enabled":               {conf("mapred.acls.enabled=on"), "q.xml:2: mapred.acls.enabled: \"on\" is neither true nor false"},
		"list":                  {conf("mapred.queue.a.acl-submit-job=ann  ops"), "q.xml:2: queue a: acl-submit-job: \"ann  ops\" has more than one space"},
		"list of a parent":      {conf("mapred.queue.a.acl-submit-job=ann", "mapred.queue.a:b.state=running"), "q.xml:2: queue a: acl-submit-job of a queue with queues in it"},
		"queues: unknown":       {"<queues>\n<pool/></queues>", "q.xml:2: unknown element <pool> in <queues>"},
		"queues: no name":       {"<queues>\n<queue/></queues>", "q.xml:2: <queue> without a <name>"},
		"queues: colon":         {"<queues>\n<queue><name>a:b</name></queue></queues>", "q.xml:2: the queue name \"a:b\" has a colon"},
		"queues: twice":         {"<queues>\n<queue><name>a</name></queue>\n<queue><name>a</name></queue></queues>", "q.xml:3: queue a is repeated, first on line 2"},
		"queues: in a queue":    {queue("<weight>1</weight>"), "q.xml:3: queue q: unknown element <weight>"},
		"queues: key":           {queue("<properties><property key='capacity '/></properties>"), "q.xml:3: queue q: a <property> here has one key and one value, as attributes"},
		"queues: unknown key":   {queue("<properties><property key='size' value='1'/></properties>"), "q.xml:3: queue q: unknown setting \"size\""},
		"queues: text property": {queue("<properties><property key='capacity' value='1'>2</property></properties>"), "as attributes, and nothing else"},
		"queues: no property":   {queue("<properties><capacity/></properties>"), "q.xml:3: unknown element <capacity> in <properties>, want <property>"},
		"queues: setting twice": {queue("<state>running</state>\n<state>running</state>"), "q.xml:4: queue q: state is repeated, first on line 3"},
		"queues: aclsEnabled":   {"<queues aclsEnabled='1'/>", "q.xml:1: aclsEnabled: \"1\" is neither true nor false"},
	} {
		t.Run(name, func(t *testing.T) {
			queues, err := read(allocation.QueueFile, text(c.text))
			require.ErrorContains(t, err, c.want)
			require.Empty(t, queues.Queues, "nothing of a bad file is used")
		})
	}
}

// Warnings are in the order of the files and lines, not in the order in which they are found.
func TestWarningsOfTwoFiles(t *testing.T) {
	one := source("1.xml", conf("mapred.acls.enabled=true", "mapred.queue.a.state=running"))
	two := source("2.xml", conf("mapred.capacity-scheduler.init-poll-interval=5000"))
	files, err := read(allocation.QueueFile, one, two)
	require.NoError(t, err)
	require.Equal(t, []string{
		"1.xml:3: queue a has no acl-submit-job: only administrators may submit to it",
		"2.xml:2: mapred.capacity-scheduler.init-poll-interval has no effect: jobs are initialized without threads or polling",
	}, texts(files.Warnings))
}

func TestYARNCapacitySchedulerIsRecognized(t *testing.T) {
	_, err := read(allocation.QueueFile, text(conf("yarn.scheduler.capacity.root.queues=a,b", "yarn.scheduler.capacity.root.a.capacity=50")))
	require.ErrorIs(t, err, allocation.ErrYARN)
	require.EqualError(t, err, "q.xml:2: yarn.scheduler.capacity.root.queues: this is the format of YARN, not that of MapReduce's own schedulers; the properties here begin with mapred.capacity-scheduler")
}

// A setting may be in only one of the files. The error names both places.
func TestSettingInTwoFiles(t *testing.T) {
	one := source("1.xml", capacity("a.capacity=10"))
	two := source("2.xml", capacity("b.capacity=zero", "a.capacity=10"))
	_, err := read(allocation.QueueFile, one, two)
	require.EqualError(t, err, "2.xml:2: queue b: capacity: \"zero\" is not a number\n2.xml:3: property mapred.capacity-scheduler.queue.a.capacity is repeated, first on line 2 of 1.xml")
}
