package segment

// SpillWriter writes one sorted run of each partition to a spill file, for
// producers that sort by themselves.
type SpillWriter struct {
	file *spillFile
	w    *blockWriter
	x    section
}

// NewSpillWriter creates a spill file. Close must be called in the end.
func NewSpillWriter(cfg Config) (*SpillWriter, error) {
	f, err := create(cfg.Files, cfg.SpillDir)
	if err != nil {
		return nil, err
	}
	return &SpillWriter{file: f, w: newSpillBlocks(f, cfg.Pool, cfg.Budget)}, nil
}

// Add writes the next record of the current partition; keys must not descend.
func (s *SpillWriter) Add(key, value []byte) error {
	s.x.records++
	s.x.bytes += int64(len(key) + len(value))
	return s.w.record(0, key, value)
}

// EndPartition ends the current partition; the next one begins.
func (s *SpillWriter) EndPartition() error {
	err := s.w.end(&s.x)
	s.file.sections = append(s.file.sections, s.x)
	s.x = section{off: s.w.offset()}
	return err
}

// Segments returns a segment for each partition ended, to be released by the
// caller, and what was written in the Spill fields of Stats.
func (s *SpillWriter) Segments() (out []*Segment, st Stats) {
	st.Spills = 1
	for _, x := range s.file.sections {
		seg := &Segment{records: x.records, bytes: x.bytes}
		if x.records > 0 {
			s.file.retain()
			seg.runs = []run{{file: s.file, section: x}}
		}
		out = append(out, seg)
		st.SpilledRecords += x.records
		st.SpilledBytes += x.bytes
		st.FileBytes += x.size
	}
	return out, st
}

// Close frees the writer, and the file unless segments hold it.
func (s *SpillWriter) Close() {
	s.w.close()
	s.file.drop()
}
