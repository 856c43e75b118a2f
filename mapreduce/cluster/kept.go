package cluster

import "github.com/tarry-mr/tarry/mapreduce/internal/kept"

// ErrOtherData is wrapped by the error for a lost part that was recomputed with another content.
var ErrOtherData = kept.ErrOtherData

// KeptParts are the parts of a dataset: a job's output in memory, for other jobs to read.
type KeptParts = kept.Store

// KeptOptions determine where a dataset's records are kept; the zero value is useful.
type KeptOptions = kept.Options
