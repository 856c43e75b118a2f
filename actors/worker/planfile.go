package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// planName is the name of a plan file in its run's folder.
const planName = "plan.json"

// planFile is run-NUMBER/plan.json in the output's folder: the job's layout, and the programs that
// may run its tasks.
type planFile struct {
	Programs []program      `json:"programs"`
	Layout   cluster.Layout `json:"layout"`
	Args     []string       `json:"args"`              // the program's arguments
	Earlier  []outcome      `json:"earlier,omitempty"` // outcomes of the program's earlier runs
}

// errGone is the error of a worker whose host has no plan file of its run.
var errGone = mapreduce.Permanent(errors.New("its run is over, or the output's folder is not shared with this host"))

// readPlan reads the plan file of a run. It returns errGone if the file no longer exists.
func (t *task) readPlan() (*planFile, error) {
	temp, err := folderAt(t.Temp)
	if err != nil {
		return nil, err
	}
	b, err := temp.read(planName)
	if err != nil {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("%w: %w", errGone, err)
		case errors.Is(err, fs.ErrPermission) && temp.store == nil:
			err = mapreduce.Permanent(fmt.Errorf("%w; %s", err, whoMay(temp.fullName(planName))))
		}
		return nil, fmt.Errorf("the plan of the process that submitted the job: %w", err)
	}
	f := new(planFile)
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("%s: %w", temp.fullName(planName), err)
	}
	return f, nil
}

// whoMay explains for an error which users may read a file, if this process may not.
func whoMay(name string) string {
	me := userName(strconv.Itoa(os.Geteuid()))
	info, err := os.Stat(name)
	for err != nil && name != filepath.Dir(name) { // this process may not enter its folder
		name = filepath.Dir(name)
		info, err = os.Stat(name)
	}
	if err != nil {
		return fmt.Sprintf("this task runs as %s", me)
	}
	return fmt.Sprintf("%s is %s, of user %s, and this task runs as %s: set the submitter's umask, as by umask 000", name, info.Mode(),
		owner(info), me)
}

// userName returns the name of a user by its number.
func userName(id string) string {
	if who, err := user.LookupId(id); err == nil {
		return who.Username
	}
	return id
}
