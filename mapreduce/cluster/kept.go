package cluster

import "github.com/tarry-mr/tarry/mapreduce/internal/kept"

// ErrOtherData is wrapped by the error of a job that recomputed lost parts with a different result.
var ErrOtherData = kept.ErrOtherData

// KeptParts are the parts of a job's output that stay in memory for other jobs to read.
type KeptParts = kept.Store

// KeptOptions determine where records are kept; the zero value is useful.
type KeptOptions = kept.Options
