package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce"
)

// stdoutTitle is what messages call standard output.
const stdoutTitle = "standard output"

// outputTarget is where a run writes: a new directory, one that takes the place of an earlier output when it is
// complete, or standard output.
type outputTarget struct {
	destination mapreduce.Destination
	replaces    string // the earlier output, or empty
	work        string // where the new one is written meanwhile
}

// openOutput refuses an output that exists, or prepares to replace it.
func (p *program) openOutput(r *jobFlags) (*outputTarget, error) {
	packed, err := mapreduce.ParseCompression(r.compress)
	if err != nil {
		return nil, usageError("--compress: %w", err)
	}
	if r.output == "-" {
		return &outputTarget{destination: mapreduce.Writer(stdoutTitle, p.stdout).Compressed(packed)}, nil
	}
	dir := filepath.Clean(r.output)
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &outputTarget{destination: mapreduce.Dir(dir).Compressed(packed)}, nil
	case err != nil:
		return nil, plainPathError(dir, err)
	case !r.overwrite:
		return nil, configError("%s: output exists (--overwrite replaces it)", r.output)
	case !info.IsDir():
		return nil, configError("%s: is no directory; --overwrite replaces the output of a job only", r.output)
	}
	if err := checkReplaceable(dir); err != nil {
		return nil, err
	}
	work := filepath.Join(filepath.Dir(dir), "_"+filepath.Base(dir)+"."+strconv.Itoa(os.Getpid()))
	return &outputTarget{destination: mapreduce.Dir(work).Compressed(packed), replaces: dir, work: work}, nil
}

// checkReplaceable refuses to replace a directory that holds anything but the output of a job.
func checkReplaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return plainPathError(dir, err)
	}
	ours := regexp.MustCompile(`^(part-[mr]-\d+(\.\w+)?|_SUCCESS|_temporary)$`)
	for _, e := range entries {
		if !ours.MatchString(e.Name()) {
			return configError("%s: holds %s, which is not the output of a job; not overwritten", dir, e.Name())
		}
	}
	return nil
}

// complete puts the new output in the place of the one it replaces.
func (o *outputTarget) complete() error {
	if o.replaces == "" {
		return nil
	}
	old := o.work + ".old"
	if err := os.Rename(o.replaces, old); err != nil {
		return errors.Join(fmt.Errorf("overwrite: %w", err), os.RemoveAll(o.work))
	}
	if err := os.Rename(o.work, o.replaces); err != nil {
		return errors.Join(fmt.Errorf("overwrite: %w", err), os.Rename(old, o.replaces), os.RemoveAll(o.work))
	}
	return os.RemoveAll(old)
}

// betweenStages holds what one stage writes for the next.
type betweenStages struct {
	dir   string // where the directory is made; empty is the system's place
	made  string // the directory, once made
	stage int
}

// next is the destination of a stage that is not the last.
func (b *betweenStages) next() (mapreduce.Destination, error) {
	if b.made == "" {
		made, err := os.MkdirTemp(b.dir, "tarry-stages-")
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

func (b *betweenStages) path() string { return filepath.Join(b.made, strconv.Itoa(b.stage)) }

// remove deletes all of it.
func (b *betweenStages) remove() error {
	if b.made == "" {
		return nil
	}
	return os.RemoveAll(b.made)
}
