package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Layout is what another process with an equal plan needs to run one of its tasks. It has the
// plan's identity, the results of Prepare, Splits and SetupJob, and the inputs' stamps. It can be
// encoded as JSON.
type Layout struct {
	Name    string        `json:"name"`
	Types   string        `json:"types"` // of records, keys, values and output
	Reduces int           `json:"reduces"`
	Ranges  [][]byte      `json:"ranges,omitzero"` // see Bound.Ranges
	Splits  []Split       `json:"splits"`
	Sources []input.Stamp `json:"sources"`
	Output  string        `json:"output"` // directory in which attempts write: an absolute path, or a name in a store
	Synced  bool          `json:"synced,omitempty"`
}

// ErrStays is wrapped by the error for a plan whose tasks must run in this process; see Travels.
var ErrStays = errors.New("cannot leave this process")

// Travels returns nil if tasks of the job can run in other processes, in which the same program
// binds an equal plan. Otherwise its error wraps ErrStays and gives the reason. Inputs must be
// files, file systems, Bytes or Units; the output must be in a local directory or a store.
func (b *Bound) Travels() error {
	for i, s := range b.Sources {
		_, kept := s.Kept()
		_, slice := s.Data.(input.Made)
		switch {
		case kept:
			return fmt.Errorf("%s: a dataset in the memory of a cluster %w", s.Name(), ErrStays)
		case b.Inputs[i].Sequence || slice:
			return fmt.Errorf("%s: records made by the program %w; write them to a file, or take Units", s.Name(), ErrStays)
		case s.Data == nil || input.IsStream(s) && !input.Packed(s):
			return fmt.Errorf("%s: a stream %w; copy it to a file", s.Name(), ErrStays)
		}
	}
	if b.Output.Shared() == nil {
		return fmt.Errorf("output %s %w: give it a directory", b.Output.Name(), ErrStays)
	}
	if b.watched {
		return fmt.Errorf("what Debug watches %w", ErrStays)
	}
	return nil
}

// Layout returns the layout of the job. Call it after Prepare and SetupJob; splits is the result of
// Splits or JoinSmall.
func (b *Bound) Layout(splits []Split) (Layout, error) {
	if err := b.Travels(); err != nil {
		return Layout{}, err
	}
	dir, err := b.Output.Shared().Meeting()
	if err != nil {
		return Layout{}, err
	}
	stamps, err := b.stamps()
	return Layout{
		Name: b.Name, Types: b.Types, Reduces: b.Reduces, Ranges: b.Ranges, Splits: splits,
		Sources: stamps, Output: dir, Synced: b.Output.Resumable(),
	}, err
}

func (b *Bound) stamps() (list []input.Stamp, err error) {
	for _, s := range b.Sources {
		x := input.Stamp{Name: s.Name(), Size: s.Size()}
		if _, unit := s.Data.(input.Unit); !unit {
			if x, err = input.StampOf(s); err != nil {
				return nil, err
			}
		}
		list = append(list, x)
	}
	return list, nil
}

// Adopt makes p, a new plan, ready to run attempts by the layout l of another process's equal plan.
// It replaces SetupJob, Prepare and Splits. Parts stay temporary files of the output until that
// process commits them. If the plans differ, the error names both. Several processes may adopt a
// layout. leave closes what Adopt has opened, and neither commits nor aborts the output.
func (l *Layout) Adopt(ctx context.Context, p *Plan) (leave func() error, err error) {
	if err := p.Claim(); err != nil {
		return nil, err
	}
	defer fault.Present(ctx, &err)
	defer fault.Catch(&err)
	job := &p.job
	if err := job.Travels(); err != nil {
		return nil, err
	}
	if err := l.equals(job); err != nil {
		return nil, fault.Permanent(err)
	}
	job.Reduces, job.Maps, job.Ranges = l.Reduces, len(l.Splits), l.Ranges
	out := job.Output.Shared()
	if err := out.Join(l.Output, l.Synced); err != nil {
		return nil, err
	}
	leave = func() error { return errors.Join(out.Quit(), input.CloseAll(job.Sources)) }
	return leave, p.tasks.Prepare(ctx, job)
}

// equals returns nil if the layout is of job b; otherwise the error says how they differ.
func (l *Layout) equals(b *Bound) error {
	if b.Name != l.Name || b.Types != l.Types {
		return fmt.Errorf("this process has made job %q of %s, the one that submitted it %q of %s", b.Name, b.Types,
			l.Name, l.Types)
	}
	if (l.Reduces == 0) != b.MapOnly || len(b.Sources) != len(l.Sources) {
		return fmt.Errorf("job %q: %d inputs in this process, %d where it was submitted", b.Name, len(b.Sources), len(l.Sources))
	}
	stamps, err := b.stamps()
	if err != nil {
		return err
	}
	for i, x := range stamps {
		y := l.Sources[i]
		if x.Name != y.Name || x.Size != y.Size || x.Version != y.Version || x.Sum != y.Sum || !x.Modified.Equal(y.Modified) {
			return fmt.Errorf("%w since the job was submitted: %s here, %s then", dfs.ErrChanged, x, y)
		}
	}
	return nil
}

// RunFile is the name, for Output.Shared().Keep, of the file that describes the run to a later one.
const RunFile = output.RunFile
