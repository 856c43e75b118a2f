package main

import (
	"errors"
	"path/filepath"
	"strconv"

	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
)

// stdoutTitle is what messages call standard output.
const stdoutTitle = "standard output"

// openOutput is where a run writes: a new directory, one that takes the place of an earlier output when it is complete, or
// standard output. An output that exists is refused.
func (p *program) openOutput(r *jobFlags) (to mapreduce.Destination, err error) {
	packed, err := mapreduce.ParseCompression(r.compress)
	if err != nil {
		return to, usageError("--compress: %w", err)
	}
	switch {
	case r.output == "-":
		to = mapreduce.Writer(stdoutTitle, p.stdout)
	case r.overwrite:
		to = mapreduce.ReplacedDir(r.output)
	default:
		to = mapreduce.Dir(r.output)
	}
	err = to.Check()
	_, bad := asPathError(err)
	switch {
	case err == nil:
		return to.Compressed(packed), nil
	case errors.Is(err, mapreduce.ErrOutputExists) && !r.overwrite && !errors.Is(err, mapreduce.ErrOutputBusy):
		return to, configError("%w (--overwrite replaces it)", err)
	case bad:
		return to, plainPathError(filepath.Clean(r.output), err)
	}
	return to, err
}

// betweenStages holds what one stage writes for the next.
type betweenStages struct {
	dir   string        // where the directory is made; empty is the system's place
	made  *scratch.Item // the directory, once made
	stage int
}

// next is the destination of a stage that is not the last.
func (b *betweenStages) next() (mapreduce.Destination, error) {
	if b.made == nil {
		made, err := scratch.Dir(b.dir, "tarry-stages-")
		if err != nil {
			return mapreduce.Destination{}, err
		}
		b.made = made
	}
	b.stage++
	return mapreduce.Dir(b.path()), nil
}

// sources is what the last stage wrote.
func (b *betweenStages) sources() ([]mapreduce.Source, error) { return mapreduce.Files(b.path()) }

func (b *betweenStages) path() string { return filepath.Join(b.made.Name(), strconv.Itoa(b.stage)) }

// remove deletes all of it.
func (b *betweenStages) remove() error {
	if b.made == nil {
		return nil
	}
	return b.made.Remove()
}
