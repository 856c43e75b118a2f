package cluster

import "github.com/tarry-mr/tarry/mapreduce/internal/kept"

var (
	// ErrReleased is wrapped by the error of a job that would read records that were kept and have
	// been released.
	ErrReleased = kept.ErrReleased
	// ErrPartLost is wrapped by the error of an attempt that reads a part that was kept and is
	// lost, with its node or by a damaged spill. It is permanent: the part must be made again
	// first.
	ErrPartLost = kept.ErrPartLost
	// ErrOtherData is wrapped by the error of a job that was to make lost parts again and made
	// others.
	ErrOtherData = kept.ErrOtherData
)

// KeptParts are the parts of a job's output that stay in memory.
type KeptParts = kept.Store

// KeptOptions say where records are kept; the zero value is useful.
type KeptOptions = kept.Options
