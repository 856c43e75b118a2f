package allocation_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// Apply resets each setting that the file no longer has, and keeps settings that no file has.
func TestApplyResets(t *testing.T) {
	policy := scheduling.Policy{Order: "pools", Pools: scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "gone", Mode: scheduling.FIFOMode}}, PoolMode: scheduling.FIFOMode, UserMaxJobs: 3, MinTimeout: time.Minute,
		PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute,
	}}
	empty, err := read(allocation.PoolFile, source("f.xml", "<allocations/>"))
	require.NoError(t, err)
	empty.Apply(&policy)
	require.Equal(t, scheduling.Allocations{PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute}, policy.Pools)
}

// ReadFiles reads the pools from the file that mapred-site.xml names; a file of another kind there
// is an error.
func TestReadFiles(t *testing.T) {
	for content, want := range map[string]string{
		checkPools:      "",
		checkCapacities: "/pools.xml:1: the root element is <configuration>, want <allocations>; this looks like the file of another scheduler",
	} {
		files := map[string]string{"/pools.xml": content, "site.xml": conf("mapred.fairscheduler.allocation.file=/pools.xml")}
		read, err := allocation.ReadFiles(allocation.FileNames{Parameters: "site.xml"}, func(name string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(files[name])), nil
		})
		require.Equal(t, []string{"site.xml", "/pools.xml"}, read.Names)
		if want == "" {
			require.NoError(t, err)
			require.Len(t, read.Pools.Pools, 2)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
