package segment

import (
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrCorrupt is wrapped by every error about a spill file or stream whose
// content is damaged or cut short.
var ErrCorrupt = errors.New("segment: corrupt or truncated data")

// Config configures a [Sorter].
type Config struct {
	// Partitions is the number of partitions, at least 1.
	Partitions int
	// Budget pays for arenas, indexes and pinned chunks; nil means no limit. A
	// sub-budget of the attempt; segments kept in memory move to its root.
	Budget *memory.Budget
	// Pool supplies the buffers; nil means fresh ones each time.
	Pool *memory.Pool
	// Files is where spills go; nil means a file of its own for each of them in SpillDir,
	// or os.TempDir if that is empty.
	Files    *Files
	SpillDir string
	// Stored says that Finish leaves nothing in memory: see Segment.Export.
	Stored bool
	// Largest bounds the key and value bytes of a record that finds no room in memory, as its
	// reader will have to hold it; 0 means 4 GiB or so. Larger ones are ErrRecordTooLarge.
	Largest int64
	// Scattered says that keys hardly repeat, as Stats of another attempt have it.
	Scattered bool
}

// Stats counts what a [Sorter] or a table did.
type Stats struct {
	Records        int64 // records added, before any combining
	Bytes          int64 // their key and value bytes
	Output         int64 // records in the segments, after combining
	OutputBytes    int64 // their key and value bytes
	Spills         int64 // sorted runs written to files
	SpilledRecords int64 // records in those runs
	SpilledBytes   int64 // their key and value bytes
	FileBytes      int64 // bytes of the spill files, after compression
	Scattered      bool  // keys hardly repeated, or were not looked at, as Config had it
}

// PartitionOf is the partition of a key among n unless the job chooses its own:
// xxhash64 modulo n.
func PartitionOf(key []byte, n int) int { return int(xxhash.Sum64(key) % uint64(n)) }
