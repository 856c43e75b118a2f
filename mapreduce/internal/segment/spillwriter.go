package segment

// SpillWriter writes a spill, one sorted run per partition, of records that its caller has sorted.
// [OfSpills] makes segments of it.
type SpillWriter struct {
	file *spillFile
	w    *blockWriter
}

// NewSpillWriter returns a SpillWriter for a new spill. The caller must call Close.
func NewSpillWriter(cfg Config) (*SpillWriter, error) {
	f, err := create(cfg.Files, cfg.SpillDir)
	if err != nil {
		return nil, err
	}
	f.sections = make([]section, 0, cfg.Partitions)
	s := &SpillWriter{file: f, w: newBlockWriter(f, cfg.Pool, cfg.Budget)}
	s.w.x.id = f.id
	return s, nil
}

// Add writes the next record of the current partition; keys must not descend.
func (s *SpillWriter) Add(key, value []byte) error { return s.w.record(0, key, value) }

// EndPartition ends the current partition's run; Add then writes to the next partition.
func (s *SpillWriter) EndPartition() error {
	err := s.w.flush()
	x := &s.w.x
	x.size = s.w.at - x.off
	s.file.sections = append(s.file.sections, *x)
	*x = section{off: s.w.at, id: x.id, ordinals: x.ordinals}
	return err
}

// Spill returns the spill, which the caller must release, and adds it to the Spill fields of stats.
func (s *SpillWriter) Spill(stats *Stats) *Spill {
	stats.Spills++
	for _, x := range s.file.sections {
		stats.SpilledRecords += x.records
		stats.SpilledBytes += x.bytes
		stats.FileBytes += x.size
	}
	s.file.retain()
	return s.file
}

// Close frees the writer's buffers, and the spill unless the caller of Spill holds it.
func (s *SpillWriter) Close() {
	s.w.close()
	s.file.drop()
}
