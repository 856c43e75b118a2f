package segment

// SpillWriter writes a spill, one sorted run per partition, of records that its caller has sorted.
// [OfSpills] makes segments of it.
type SpillWriter struct {
	file *spillFile
	w    *blockWriter
	x    section
}

// NewSpillWriter returns a SpillWriter for a new spill. The caller must call Close.
func NewSpillWriter(cfg Config) (*SpillWriter, error) {
	f, err := create(cfg.Files, cfg.SpillDir)
	if err != nil {
		return nil, err
	}
	f.sections = make([]section, 0, cfg.Partitions)
	return &SpillWriter{file: f, w: newSpillBlocks(f, cfg.Pool, cfg.Budget)}, nil
}

// Add writes the next record of the current partition; keys must not descend.
func (s *SpillWriter) Add(key, value []byte) error {
	s.x.records++
	s.x.bytes += int64(len(key) + len(value))
	return s.w.record(0, key, value)
}

// EndPartition ends the current partition's run; Add then writes to the next partition.
func (s *SpillWriter) EndPartition() error {
	err := s.w.end(&s.x)
	s.file.sections = append(s.file.sections, s.x)
	s.x = section{off: s.w.offset()}
	return err
}

// Spill returns the spill, which the caller must release, and its size in the Spill fields of
// Stats.
func (s *SpillWriter) Spill() (out *Spill, st Stats) {
	st.Spills = 1
	for _, x := range s.file.sections {
		st.SpilledRecords += x.records
		st.SpilledBytes += x.bytes
		st.FileBytes += x.size
	}
	s.file.retain()
	return s.file, st
}

// Close frees the writer's buffers, and the spill unless the caller of Spill holds it.
func (s *SpillWriter) Close() {
	s.w.close()
	s.file.drop()
}
