package allocation_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/linear"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// hostile builds files in which one part has n entries.
var hostile = map[string]func(n int) []byte{
	"pools":       linear.Repeat("<allocations>", "<pool name='p%d'/>", "</allocations>"),
	"one pool":    linear.Repeat("<allocations>", "<pool name='p'/>", "</allocations>"),
	"users":       linear.Repeat("<allocations>", "<user name='p%d'/>", "</allocations>"),
	"errors":      linear.Repeat("<allocations>", "<pool name='p%d'><x/></pool>", "</allocations>"),
	"warnings":    linear.Repeat("<allocations>", "<pool name='p%d'><minMaps>2</minMaps><maxMaps>1</maxMaps></pool>", "</allocations>"),
	"settings":    linear.Repeat("<allocations><pool name='a'>", "<weight>1</weight>", "</pool></allocations>"),
	"elements":    linear.Repeat("<allocations>", "<e%d/>", "</allocations>"),
	"attributes":  linear.Repeat("<allocations ", "a%d='x' ", "/>"),
	"depth":       linear.Repeat("", "<a>", ""),
	"text":        linear.Repeat("<allocations><poolMaxJobsDefault>", "<!---->1", "</poolMaxJobsDefault></allocations>"),
	"digits":      linear.Repeat("<allocations><poolMaxJobsDefault>", "1", "</poolMaxJobsDefault></allocations>"),
	"name":        linear.Repeat("<allocations><pool name='", "x", "'/></allocations>"),
	"tag":         linear.Repeat("<allocations><", "x", "/></allocations>"),
	"entities":    linear.Repeat("<!DOCTYPE a [<!ENTITY a 'x'>", "<!ENTITY a%d '&a;&a;&a;'>", "]><allocations>&a9;</allocations>"),
	"references":  linear.Repeat("<allocations>", "&#65;", "</allocations>"),
	"comments":    linear.Repeat("<allocations>", "<!-- -->", "</allocations>"),
	"brackets":    linear.Repeat("<allocations>", "<", "</allocations>"),
	"directives":  linear.Repeat("", "<!X <", ">"),
	"spaces":      linear.Repeat("", "\n", "<allocations/>"),
	"NUL":         linear.Repeat("<allocations>", "\x00", "</allocations>"),
	"not UTF-8":   linear.Repeat("<allocations>", "\xff", "</allocations>"),
	"properties":  linear.Repeat("<configuration>", "<property><name>a.%d</name><value>1</value></property>", "</configuration>"),
	"property":    linear.Repeat("<configuration>", "<property><name>a.b</name><value>1</value></property>", "</configuration>"),
	"values":      linear.Repeat("<configuration><property>", "<value>1</value>", "</property></configuration>"),
	"unknown":     linear.Repeat("<configuration>", "<property><name>mapred.fairscheduler.x%d</name><value>1</value></property>", "</configuration>"),
	"queues":      linear.Repeat("<configuration>", "<property><name>mapred.capacity-scheduler.queue.q%d.supports-priority</name><value>true</value></property>", "</configuration>"),
	"capacities":  linear.Repeat("<configuration>", "<property><name>mapred.capacity-scheduler.queue.q%d.capacity</name><value>1</value></property>", "</configuration>"),
	"queue path":  linear.Repeat("<configuration><property><name>mapred.capacity-scheduler.queue.", "a:", ".capacity</name><value>1</value></property></configuration>"),
	"queue tree":  linear.Repeat("<configuration>", "<property><name>mapred.capacity-scheduler.queue.q%[1]d:a:b:c:q%[1]d.capacity</name><value>1</value></property>", "</configuration>"),
	"queue names": linear.Repeat("<configuration><property><name>mapred.queue.names</name><value>", "q%d,", "q</value></property></configuration>"),
	"same names":  linear.Repeat("<configuration><property><name>mapred.queue.names</name><value>", "q,", "q</value></property></configuration>"),
	"elements q":  linear.Repeat("<queues>", "<queue><name>q%d</name></queue>", "</queues>"),
	"nested q":    linear.Repeat("<queues>", "<queue><name>q%d</name>", "</queues>"),
	"list":        linear.Repeat("<queues aclsEnabled='true'><queue><name>q</name><acl-submit-job>", "u%d,", "u</acl-submit-job></queue></queues>"),
	"list spaces": linear.Repeat("<queues aclsEnabled='true'><queue><name>q</name><acl-submit-job>", " ", "u</acl-submit-job></queue></queues>"),
}

// Whichever part of a file grows, the work of Read grows at most linearly. Messages, and the words
// that they quote, stay short.
func TestHostileFilesTakeLinearWork(t *testing.T) {
	for name, build := range hostile {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, 500, build, func(text []byte) {
				found := 0
				files, _ := allocation.Read(allocation.Source{Name: "f.xml", Reader: bytes.NewReader(text)})
				for _, c := range files.Read {
					for _, p := range append(c.Errors, c.Warnings...) {
						require.LessOrEqual(t, len(p.Reason), 1010)
						require.NotContains(t, p.Reason, "\n")
						found++
					}
				}
				require.LessOrEqual(t, found, 102)
				_, _ = read(allocation.PoolFile, allocation.Source{Name: "f.xml", Reader: bytes.NewReader(text)})
				_, _ = read(allocation.QueueFile, allocation.Source{Name: "f.xml", Reader: bytes.NewReader(text)})
				_, _ = read(allocation.ParameterFile, allocation.Source{Name: "f.xml", Reader: bytes.NewReader(text)})
			})
		})
	}
}

// Applying a file to a Core takes work that grows at most linearly with the file.
func TestManyPoolsAndQueuesTakeLinearWork(t *testing.T) {
	reconfigure := func(apply func(text []byte, to *scheduling.Policy), preset string) func(text []byte) {
		return func(text []byte) {
			policy, err := scheduling.Preset(preset)
			require.NoError(t, err)
			apply(text, &policy)
			core, err := scheduling.NewCore(scheduling.Config{Events: func(event.Event) {}}, policy)
			require.NoError(t, err)
			require.NoError(t, core.Update(1))
			require.NoError(t, core.Reconfigure(2, policy))
			require.NoError(t, core.Update(3))
		}
	}
	linear.Check(t, 2000, hostile["pools"], reconfigure(func(text []byte, to *scheduling.Policy) {
		fair, err := read(allocation.PoolFile, allocation.Source{Name: "f.xml", Reader: bytes.NewReader(text)})
		require.NoError(t, err)
		fair.Apply(to)
	}, "hfs"))
	linear.Check(t, 2000, hostile["elements q"], reconfigure(func(text []byte, to *scheduling.Policy) {
		queues, err := read(allocation.QueueFile, allocation.Source{Name: "f.xml", Reader: bytes.NewReader(text)})
		require.NoError(t, err)
		queues.Apply(to)
	}, "capacity"))
}

// For a file with very many problems, the error lists the first 50 and the number of the others.
// The first line names the place of the first problem.
func TestManyProblemsAreCounted(t *testing.T) {
	_, err := read(allocation.PoolFile, allocation.Source{Name: "f.xml", Reader: bytes.NewReader(hostile["errors"](100_000))})
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 51)
	require.Equal(t, "f.xml:1: pool p0: unknown element <x>", lines[0])
	require.Equal(t, "f.xml: and 99950 more problems", lines[50])
}

// The parser ignores a byte order mark, which some editors write before UTF-8.
func TestByteOrderMark(t *testing.T) {
	fair, err := read(allocation.PoolFile, source("f.xml", "\xef\xbb\xbf<?xml version='1.0'?><allocations><pool name='a'/></allocations>"))
	require.NoError(t, err)
	require.Len(t, fair.Pools.Pools, 1)
}
