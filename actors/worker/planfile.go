package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// planVersion is the version of plan files and frames.
const planVersion = 1

// planFile is OUT/_temporary/plan.json: the job's layout, and the program that workers must be.
type planFile struct {
	Version int            `json:"version"`
	Program program        `json:"program"`
	Layout  cluster.Layout `json:"layout"`
	Earlier []outcome      `json:"earlier,omitempty"` // of the program's runs before this one
}

// program identifies an executable.
type program struct {
	Path string `json:"path"`
	Sum  string `json:"xxhash64"`
}

func thisProgram() (program, error) {
	path, err := os.Executable()
	if err != nil {
		return program{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return program{}, err
	}
	defer f.Close()
	h := xxhash.New()
	if _, err := io.Copy(h, f); err != nil {
		return program{}, fmt.Errorf("%s: %w", path, err)
	}
	return program{path, fmt.Sprintf("%016x", h.Sum64())}, nil
}

// errGone is the error of a worker whose job has ended or was given up; it is not reported.
var errGone = mapreduce.Permanent(errors.New("the job has ended"))

// readPlan reads the plan file of a task.
func readPlan(name string) (*planFile, error) {
	temp, err := folderOf(name)
	if err != nil {
		return nil, err
	}
	b, err := temp.read(path.Base(filepath.ToSlash(name)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", errGone, err)
		}
		return nil, fmt.Errorf("the plan of the process that submitted the job: %w", err)
	}
	var version struct{ Version int }
	if err := json.Unmarshal(b, &version); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if version.Version != planVersion {
		return nil, fmt.Errorf("%s: a plan of version %d, this program knows version %d", name, version.Version, planVersion)
	}
	f := new(planFile)
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// check rejects a worker whose program differs from the submitter's.
func (f *planFile) check() error {
	this, err := thisProgram()
	if err != nil {
		return err
	}
	if this.Sum != f.Program.Sum {
		return mapreduce.Permanent(fmt.Errorf("this program, %s with xxhash64 %s, is not the one that submitted the job, %s with %s",
			this.Path, this.Sum, f.Program.Path, f.Program.Sum))
	}
	return nil
}
