package allocation_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// Each file has this meaning: that of Hadoop 0.21's TestFairScheduler.testAllocationFileParsing,
// one with every element of the guide, and empty ones. In a file a limit of 0 is a limit: it
// forbids everything, as a negative number does in Allocations.
func TestAllocationFile(t *testing.T) {
	guide, err := os.ReadFile("testdata/guide.xml")
	require.NoError(t, err)
	for text, want := range map[string]scheduling.Allocations{
		"<allocations/>": {},
		"<?xml version='1.0'?>\n<!DOCTYPE allocations>\n<!-- none --><allocations>\n</allocations>\n": {},
		`<?xml version="1.0"?>
<allocations>
  <pool name="poolA"><minMaps>1</minMaps><minReduces>2</minReduces></pool>
  <pool name="poolB"><minMaps>2</minMaps><minReduces>1</minReduces></pool>
  <pool name="poolC"><minMaps>2</minMaps></pool>
  <pool name="poolD"><maxRunningJobs>3</maxRunningJobs></pool>
  <pool name="poolE"><minSharePreemptionTimeout>60</minSharePreemptionTimeout></pool>
  <poolMaxJobsDefault>15</poolMaxJobsDefault>
  <userMaxJobsDefault>5</userMaxJobsDefault>
  <user name="user1"><maxRunningJobs>10</maxRunningJobs></user>
  <defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>
  <fairSharePreemptionTimeout>300</fairSharePreemptionTimeout>
</allocations>`: {
			Pools: []scheduling.PoolConfig{
				{Name: "poolA", Min: [2]int{1, 2}},
				{Name: "poolB", Min: [2]int{2, 1}},
				{Name: "poolC", Min: [2]int{2, 0}},
				{Name: "poolD", MaxJobs: 3},
				{Name: "poolE", MinTimeout: time.Minute},
			},
			Users:       []scheduling.UserConfig{{Name: "user1", MaxJobs: 10}},
			PoolMaxJobs: 15, UserMaxJobs: 5, MinTimeout: 2 * time.Minute, FairTimeout: 5 * time.Minute,
		},
		string(guide): {
			Pools: []scheduling.PoolConfig{{
				Name: "sample_pool", Min: [2]int{5, 5}, Max: [2]int{25, 25}, Mode: scheduling.FIFOMode, MaxJobs: 10, Weight: 2, MinTimeout: 5 * time.Minute,
			}},
			Users:       []scheduling.UserConfig{{Name: "sample_user", MaxJobs: 6}},
			PoolMaxJobs: 20, UserMaxJobs: 3, MinTimeout: 15 * time.Minute, FairTimeout: 10 * time.Minute, PoolMode: scheduling.FairMode,
		},
		`<allocations><pool name="p"><maxMaps>0</maxMaps><maxRunningJobs>0</maxRunningJobs>
		<minSharePreemptionTimeout>0</minSharePreemptionTimeout></pool><user name="u"><maxRunningJobs>0</maxRunningJobs></user></allocations>`: {
			Pools: []scheduling.PoolConfig{{Name: "p", Max: [2]int{-1, 0}, MaxJobs: -1, MinTimeout: time.Nanosecond}},
			Users: []scheduling.UserConfig{{Name: "u", MaxJobs: -1}},
		},
	} {
		got, err := read(allocation.PoolFile, source("f.xml", text))
		require.NoError(t, err)
		require.Empty(t, got.Warnings)
		require.Empty(t, cmp.Diff(want, got.Pools))
	}
}

func TestMinimumAboveMaximumIsAWarning(t *testing.T) {
	files, err := read(allocation.PoolFile, source("f.xml", "<allocations>\n<pool name='p'>\n<minMaps>5</minMaps><maxMaps>3</maxMaps>\n<minReduces>1</minReduces><maxReduces>0</maxReduces></pool>\n<pool name='q'><minMaps>9</minMaps></pool></allocations>"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"f.xml:3: pool p: minMaps 5 is above maxMaps 3 and counts as that",
		"f.xml:4: pool p: minReduces 1 is above maxReduces 0 and counts as that",
	}, texts(files.Warnings))
}

func TestAllocationFileErrors(t *testing.T) {
	in := func(inside string) string { return "<allocations>\n" + inside + "</allocations>" }
	pool := func(inside string) string { return in("<pool name=\"p\">\n" + inside + "</pool>") }
	for name, c := range map[string]struct{ text, want string }{
		"nothing":               {"", "f.xml: no root element: the file is empty"},
		"a comment only":        {"<!-- x -->", "f.xml: no root element: the file is empty"},
		"not XML":               {"hello", "f.xml:1: text \"hello\" outside the root element"},
		"not closed":            {"<allocations>\n<pool name='x'>\n</allocations>", "f.xml:3: not well-formed XML: element <pool> closed by </allocations>"},
		"cut off":               {"<allocations>\n<pool name='x'>", "f.xml:2: not well-formed XML: unexpected EOF"},
		"two roots":             {"<allocations/>\n<allocations/>", "f.xml:2: a second root element <allocations>"},
		"trailing text":         {"<allocations/>\nx", "f.xml:1: text \"x\" outside the root element"},
		"unknown entity":        {in("<pool name='x'>&secret;</pool>"), "invalid character entity &secret;"},
		"wrong root":            {"<configuration/>", "f.xml:1: the root element is <configuration>, want <allocations>; this looks like the file of another scheduler"},
		"root attribute":        {"<allocations version='1'/>", "f.xml:1: unknown attribute \"version\" of <allocations>"},
		"text in the file":      {in("poolA"), "f.xml:1: text \"poolA\" directly inside <allocations>"},
		"unknown in a pool":     {pool("<minMap>1</minMap>"), "f.xml:3: pool p: unknown element <minMap>"},
		"text in a pool":        {pool("5"), "f.xml:2: text \"5\" directly inside <pool>"},
		"unknown in a user":     {in("<user name='u'><weight>1</weight></user>"), "f.xml:2: user u: unknown element <weight>"},
		"no name":               {in("<pool/>"), "f.xml:2: <pool> without a name"},
		"empty name":            {in("<pool name=''/>"), "f.xml:2: the name \"\" of <pool> is empty"},
		"blank name":            {in("<pool name=' '/>"), "f.xml:2: the name \"\" of <pool> is empty"},
		"spaces around":         {in("<pool name=' p'/>"), "of <pool> has spaces around it"},
		"control character":     {in("<pool name='a&#9;b'/>"), "has control characters"},
		"user without a name":   {in("<user><maxRunningJobs>1</maxRunningJobs></user>"), "f.xml:2: <user> without a name"},
		"two names":             {in("<pool name='a' name='b'/>"), "f.xml:2: pool a: name is repeated, first on line 2"},
		"unknown attribute":     {in("<pool name='a' weight='2'/>"), "f.xml:2: unknown attribute \"weight\" of <pool>"},
		"pool twice":            {in("<pool name='a'/>\n<pool name='a'/>"), "f.xml:3: pool a is repeated, first on line 2"},
		"user twice":            {in("<user name='a'/>\n<user name='a'/>"), "f.xml:3: user a is repeated, first on line 2"},
		"element twice":         {pool("<weight>1</weight>\n<weight>1</weight>"), "f.xml:4: pool p: weight is repeated, first on line 3"},
		"default twice":         {in("<poolMaxJobsDefault>1</poolMaxJobsDefault>\n<poolMaxJobsDefault>1</poolMaxJobsDefault>"), "f.xml:3: poolMaxJobsDefault is repeated, first on line 2"},
		"empty element":         {pool("<minMaps/>"), "f.xml:3: pool p: minMaps is empty"},
		"blank element":         {in("<fairSharePreemptionTimeout> </fairSharePreemptionTimeout>"), "f.xml:2: fairSharePreemptionTimeout is empty"},
		"element in a value":    {pool("<minMaps><b>1</b></minMaps>"), "f.xml:3: <b> inside <minMaps>, which holds a value only"},
		"attribute of a value":  {pool("<minMaps unit='slots'>1</minMaps>"), "f.xml:3: unknown attribute \"unit\" of <minMaps>"},
		"no number":             {pool("<minMaps>few</minMaps>"), "f.xml:3: pool p: minMaps: \"few\" is not a whole number"},
		"a broken number":       {pool("<minMaps>1.5</minMaps>"), "f.xml:3: pool p: minMaps: \"1.5\" is not a whole number"},
		"negative":              {pool("<minReduces>-1</minReduces>"), "f.xml:3: pool p: minReduces: -1 is negative"},
		"negative maximum":      {pool("<maxMaps>-1</maxMaps>"), "f.xml:3: pool p: maxMaps: -1 is negative"},
		"negative jobs":         {in("<user name='u'><maxRunningJobs>-3</maxRunningJobs></user>"), "f.xml:2: user u: maxRunningJobs: -3 is negative"},
		"too large":             {pool("<maxMaps>2147483648</maxMaps>"), "f.xml:3: pool p: maxMaps: 2147483648 is too large"},
		"a minimum too large":   {pool("<minMaps>2147483647</minMaps>"), "f.xml:3: pool p: minMaps: 2147483647 is too large"},
		"as large as no limit":  {pool("<maxMaps>2147483647</maxMaps>"), "f.xml:3: pool p: maxMaps: 2147483647 is too large"},
		"far too large":         {pool("<maxMaps>99999999999999999999</maxMaps>"), "f.xml:3: pool p: maxMaps: 99999999999999999999 is too large"},
		"weight zero":           {pool("<weight>0</weight>"), "f.xml:3: pool p: weight: 0 would give nothing; weights are above 0"},
		"weight minus zero":     {pool("<weight>-0.0</weight>"), "weights are above 0"},
		"weight negative":       {pool("<weight>-2</weight>"), "f.xml:3: pool p: weight: -2 is negative"},
		"weight NaN":            {pool("<weight>NaN</weight>"), "f.xml:3: pool p: weight: \"NaN\" is not a number"},
		"weight infinite":       {pool("<weight>Infinity</weight>"), "f.xml:3: pool p: weight: +Inf is more than 1e+09"},
		"weight overflows":      {pool("<weight>1e999</weight>"), "f.xml:3: pool p: weight: +Inf is more than 1e+09"},
		"weight is no number":   {pool("<weight>heavy</weight>"), "f.xml:3: pool p: weight: \"heavy\" is not a number"},
		"unknown mode":          {pool("<schedulingMode>drf</schedulingMode>"), "f.xml:3: pool p: schedulingMode: \"drf\" is neither fair nor fifo"},
		"unknown default mode":  {in("<defaultPoolSchedulingMode>lifo</defaultPoolSchedulingMode>"), "f.xml:2: defaultPoolSchedulingMode: \"lifo\" is neither fair nor fifo"},
		"timeout with a unit":   {pool("<minSharePreemptionTimeout>60s</minSharePreemptionTimeout>"), "f.xml:3: pool p: minSharePreemptionTimeout: \"60s\" is not a whole number"},
		"timeout for ever":      {in("<fairSharePreemptionTimeout>2000000000</fairSharePreemptionTimeout>"), "f.xml:2: fairSharePreemptionTimeout: 2000000000 is too large: more than 1000000000"},
		"too deep":              {strings.Repeat("<allocations>", 40), "elements nest deeper than 32"},
		"another character set": {"<?xml version='1.0' encoding='UTF-16'?><allocations/>", "encoding \"UTF-16\""},
	} {
		t.Run(name, func(t *testing.T) {
			fair, err := read(allocation.PoolFile, source("f.xml", c.text))
			require.ErrorContains(t, err, c.want)
			require.Equal(t, scheduling.Allocations{}, fair.Pools, "nothing of a bad file is used")
			require.NotErrorIs(t, err, allocation.ErrYARN)
		})
	}
}

// The parser ignores unknown elements at the top level, each with a warning, as Hadoop does.
func TestUnknownElementsAtTheTopAreIgnored(t *testing.T) {
	fair, err := read(allocation.PoolFile, source("f.xml", "<allocations>\n<pools/>\n<color><pool name='no'/></color>\n"+
		"<x:pool xmlns:x='urn:x' name='p'/>\n<pool name='a'><minMaps>2</minMaps></pool>\n<userMaxJobsDefault>3</userMaxJobsDefault>\n</allocations>"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"f.xml:2: unknown element <pools> is ignored", "f.xml:3: unknown element <color> is ignored",
		"f.xml:4: unknown element <urn:x:pool> is ignored",
	}, texts(fair.Warnings))
	require.Len(t, fair.Pools.Pools, 1)
	require.Equal(t, 2, fair.Pools.Pools[0].Min[scheduling.Map])
	require.Equal(t, 3, fair.Pools.UserMaxJobs)
}

// The error lists every mistake of the file, in the order of its lines.
func TestAllErrorsTogether(t *testing.T) {
	_, err := read(allocation.PoolFile, source("f.xml", "<allocations>\n<pool name='a'><weight>0</weight></pool>\n<pool name='a'><minMaps>x</minMaps></pool>\n</allocations>"))
	require.EqualError(t, err, `f.xml:2: pool a: weight: 0 would give nothing; weights are above 0
f.xml:3: pool a is repeated, first on line 2
f.xml:3: pool a: minMaps: "x" is not a whole number`)
	var first *allocation.Problem
	require.ErrorAs(t, err, &first)
	require.Equal(t, 2, first.Line)
}

// A file for YARN's Fair Scheduler, which has the same name, is an error that says so.
func TestYARNFormIsRecognized(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<allocations>\n<queue name='a'><minResources>1 mb,1 vcores</minResources></queue></allocations>", "f.xml:2: <queue> belongs to the YARN Fair Scheduler: this is the format of YARN, not that of MapReduce's own schedulers; use <pool>"},
		{"<allocations><queueMaxAppsDefault>1</queueMaxAppsDefault></allocations>", "use poolMaxJobsDefault"},
		{"<allocations><pool name='a'><minResources>1 mb</minResources></pool></allocations>", "use minMaps and minReduces"},
		{"<allocations><pool name='a'><schedulingPolicy>fair</schedulingPolicy></pool></allocations>", "use schedulingMode"},
		{"<allocations><pool name='a'><maxRunningApps>3</maxRunningApps></pool></allocations>", "use maxRunningJobs"},
		{"<allocations><queuePlacementPolicy/></allocations>", "no counterpart"},
	} {
		_, err := read(allocation.PoolFile, source("f.xml", c.text))
		require.ErrorIs(t, err, allocation.ErrYARN)
		require.ErrorContains(t, err, c.want)
	}
}

// failing is a reader that returns an error in the middle of the file.
type failing struct{}

var errDisk = errors.New("disk on fire")

func (failing) Read([]byte) (int, error) { return 0, errDisk }

func TestReaderErrorsAndSize(t *testing.T) {
	_, err := read(allocation.PoolFile, allocation.Source{Name: "f.xml", Reader: failing{}})
	require.ErrorIs(t, err, errDisk)
	_, err = read(allocation.PoolFile, source("f.xml", "<allocations>"+strings.Repeat(" ", 5<<20)+"</allocations>"))
	require.EqualError(t, err, "f.xml: larger than 4194304 bytes")
}
