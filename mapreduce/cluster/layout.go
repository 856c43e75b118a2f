package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
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

// Travels returns nil if tasks of the plan can run in other processes, in which the same program
// binds an equal plan. Otherwise its error wraps ErrStays and gives the reason. Inputs must be
// files, file systems, Bytes or Units; the output must be in a local directory or a store.
func (p *Plan) Travels() error {
	for i, s := range p.job.Sources {
		_, kept := s.Kept()
		_, slice := s.Data.(input.Made)
		switch {
		case kept:
			return fmt.Errorf("%s: a dataset in the memory of a cluster %w", s.Name(), ErrStays)
		case p.job.Inputs[i].Sequence || slice:
			return fmt.Errorf("%s: records made by the program %w; write them to a file, or take Units", s.Name(), ErrStays)
		case s.Data == nil || input.IsStream(s) && !input.Packed(s):
			return fmt.Errorf("%s: a stream %w; copy it to a file", s.Name(), ErrStays)
		}
	}
	if p.job.Output.Shared() == nil {
		return fmt.Errorf("output %s %w: give it a directory", p.job.Output.Name(), ErrStays)
	}
	if p.watched {
		return fmt.Errorf("what Debug watches %w", ErrStays)
	}
	return nil
}

// Layout returns the plan's layout. Call it after Prepare and SetupJob; splits is the result of
// Splits or JoinSmall.
func (p *Plan) Layout(splits []Split) (Layout, error) {
	if err := p.Travels(); err != nil {
		return Layout{}, err
	}
	dir, err := p.job.Output.Shared().Meeting()
	if err != nil {
		return Layout{}, err
	}
	stamps, err := p.stamps()
	return Layout{
		Name: p.job.Name, Types: p.job.Types, Reduces: p.job.Reduces, Ranges: p.job.Ranges, Splits: splits,
		Sources: stamps, Output: dir, Synced: p.Resumable(),
	}, err
}

func (p *Plan) stamps() (list []input.Stamp, err error) {
	for _, s := range p.job.Sources {
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

// Adopt makes a new plan ready to run attempts by a Layout from another process's equal plan. It
// replaces SetupJob, Prepare and Splits. Parts stay temporary files of the output until that
// process commits them. If the plans differ, the error names both. Several processes may adopt a
// Layout.
func (p *Plan) Adopt(ctx context.Context, l *Layout) (err error) {
	if err := p.Claim(); err != nil {
		return err
	}
	defer fault.Present(ctx, &err)
	defer fault.Catch(&err)
	if err := p.Travels(); err != nil {
		return err
	}
	if err := p.equals(l); err != nil {
		return fault.Permanent(err)
	}
	p.job.Reduces, p.job.Maps, p.job.Ranges = l.Reduces, len(l.Splits), l.Ranges
	if err := p.job.Output.Shared().Join(l.Output, l.Synced); err != nil {
		return err
	}
	return p.tasks.Prepare(ctx, &p.job)
}

// equals returns nil if the plan agrees with l; otherwise the error says how they differ.
func (p *Plan) equals(l *Layout) error {
	if p.job.Name != l.Name || p.job.Types != l.Types {
		return fmt.Errorf("this process has made job %q of %s, the one that submitted it %q of %s", p.job.Name, p.job.Types,
			l.Name, l.Types)
	}
	if (l.Reduces == 0) != p.job.MapOnly || len(p.job.Sources) != len(l.Sources) {
		return fmt.Errorf("job %q: %d inputs in this process, %d where it was submitted", p.job.Name, len(p.job.Sources), len(l.Sources))
	}
	stamps, err := p.stamps()
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

// Leave closes what Adopt has opened. It neither commits nor aborts the output.
func (p *Plan) Leave() error {
	return errors.Join(p.job.Output.Shared().Quit(), input.CloseAll(p.job.Sources))
}

// Handover returns what another process passes to CommitAs to commit a successful attempt.
func (p *Plan) Handover(id attempt.ID) Handover { return p.job.Output.Handover(id) }

// CommitAs is CommitTask for an attempt that ran in a process that has adopted the plan.
func (p *Plan) CommitAs(id attempt.ID, h Handover) error {
	if err := p.job.Output.Take(id, h); err != nil {
		return err
	}
	return p.CommitTask(id)
}

// RunFile is the name, for KeepFile, of the file that describes the run to a later one.
const RunFile = output.RunFile

// Left returns the RunFile of a killed run whose unfinished output SetupJob has removed; "" if
// there was none.
func (p *Plan) Left() string { return p.job.Output.Left() }

// KeepFile writes a temporary file of the output, for processes that adopt the plan. It returns the
// file's absolute path or its name in a store. The file is removed when the job ends.
func (p *Plan) KeepFile(name string, data []byte) (path string, err error) {
	return p.job.Output.Shared().Keep(name, data)
}
