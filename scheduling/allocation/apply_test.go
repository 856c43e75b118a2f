package allocation_test

import (
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
	(&allocation.Files{Pools: new(scheduling.Allocations)}).Apply(&policy)
	require.Equal(t, scheduling.Allocations{PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute}, policy.Pools)
}
