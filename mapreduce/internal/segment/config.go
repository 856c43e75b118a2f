package segment

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrCorrupt is wrapped by every error about damaged or truncated content of a spill file or
// stream.
var ErrCorrupt = errors.New("segment: corrupt or truncated data")

// Resources are what a [Sorter], a [Merge] or a table may use; the zero value has no limits.
type Resources struct {
	Budget *memory.Budget // pays for all memory
	Pool   *memory.Pool   // supplies the buffers; nil allocates new ones each time
	Files  *Files         // stores the spills; nil means a file for each in os.TempDir
}

// charged returns a slab of at least n bytes, which it charges even beyond the limit.
func (r *Resources) charged(n int) memory.Slab {
	s := r.Pool.Get(n)
	r.Budget.Acquire(int64(len(s.Bytes)))
	return s
}

// free gives back a slab that charged returned, and sets it to the zero Slab, which it ignores.
func (r *Resources) free(s *memory.Slab) {
	r.Pool.Put(*s)
	r.Budget.Release(int64(len(s.Bytes)))
	*s = memory.Slab{}
}

// Config configures a [Sorter].
type Config struct {
	// Resources has the sub-budget of the attempt. Segments that stay in memory are charged to its
	// root.
	Resources
	// Partitions is the number of partitions, at least 1.
	Partitions int
	// Stored makes Finish spill everything, so that Segment.Export works.
	Stored bool
	// Largest is the maximum size of a record that does not fit in memory, since its reader must
	// hold it; 0 means about 4 GiB. Add returns ErrRecordTooLarge for larger ones.
	Largest int64
}

// Stats counts the work of a [Sorter] or a table.
type Stats struct {
	Records        int64 // records added, before any combining
	Bytes          int64 // their key and value bytes
	Output         int64 // records in the segments, after combining
	OutputBytes    int64 // their key and value bytes
	Spills         int64 // sorted runs written to files
	SpilledRecords int64 // records in those runs
	SpilledBytes   int64 // their key and value bytes
	FileBytes      int64 // bytes of the spill files, after compression
}
