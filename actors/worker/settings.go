package worker

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Settings are resources of a job, which Tarry passes to each engine as its own options. Zero
// values leave the choice to the engine.
type Settings struct {
	Queue      string
	Account    string
	TaskMemory int64    // bytes of a task's container
	TaskCores  int      // cores of a task's container
	EngineArgs []string // arguments of the engine's own command
	Workers    []string // other builds of this program to ship, as OS/ARCHITECTURE=PATH
}

// byFlag returns the settings that are set, by flag of tarry run. Memory is in MiB, rounded up.
func (s *Settings) byFlag() map[string][]string {
	set := map[string][]string{"engine-arg": s.EngineArgs, "worker": s.Workers}
	one := func(name, value string, isSet bool) {
		if isSet {
			set[name] = []string{value}
		}
	}
	one("queue", s.Queue, s.Queue != "")
	one("account", s.Account, s.Account != "")
	one("task-memory", strconv.FormatInt((s.TaskMemory+1<<20-1)>>20, 10), s.TaskMemory > 0)
	one("task-cores", strconv.Itoa(s.TaskCores), s.TaskCores > 0)
	maps.DeleteFunc(set, func(_ string, list []string) bool { return len(list) == 0 })
	return set
}

// engineSettings holds the arguments of an engine's command by engine and flag, with %s for the
// value; empty: the engine gets the setting in another way. An engine lacks settings without a
// flag.
var engineSettings = map[string]map[string]string{
	"yarn": {
		"queue":       "-D mapreduce.job.queuename=%s",
		"task-memory": "-D mapreduce.map.memory.mb=%s -D mapreduce.reduce.memory.mb=%s",
		"task-cores":  "-D mapreduce.map.cpu.vcores=%s -D mapreduce.reduce.cpu.vcores=%s",
		"engine-arg":  "%s",
		"worker":      "",
	},
	"spark": {"task-cores": "--conf spark.task.cpus=%s", "engine-arg": "%s", "worker": ""},
	"spark:yarn": {
		"queue":       "--queue %s",
		"task-memory": "--conf spark.executor.memoryOverhead=%sm", // workers are beside the executor's heap
		"task-cores":  "--conf spark.task.cpus=%s",
		"engine-arg":  "%s",
		"worker":      "",
	},
	"k8s": {
		"account":     "--conf spark.kubernetes.authenticate.driver.serviceAccountName=%s",
		"task-memory": "--conf spark.executor.memoryOverhead=%sm",
		"task-cores":  "--conf spark.task.cpus=%s",
		"engine-arg":  "%s",
	},
	"slurm": {
		"queue": "--partition=%s", "account": "--account=%s", "task-memory": "--mem=%sM", "task-cores": "--cpus-per-task=%s",
		"engine-arg": "%s", "worker": "",
	},
	"k8s-job": {"account": "", "task-memory": "", "task-cores": ""}, // see manifest
}

// minTaskMemory is the memory of a worker, its supervising process and the Go runtime, in bytes.
const minTaskMemory = 128 << 20

// check returns an error if the engine lacks a setting that is set.
func (s *Settings) check(on string, e engine) error {
	row, set := engineSettings[e.settings], s.byFlag()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, ok := row[name]; ok {
			continue
		}
		takes := "none of these settings"
		if len(row) > 0 {
			takes = "--" + strings.Join(slices.Sorted(maps.Keys(row)), ", --")
		}
		return fmt.Errorf("--%s has no effect with --on %s, which takes %s", name, on, takes)
	}
	if s.TaskMemory > 0 && s.TaskMemory < minTaskMemory {
		return errors.New("--task-memory: want at least 128MiB: a worker without records needs half of that")
	}
	return nil
}

// settings returns the arguments that pass the job's settings to its engine.
func (j *job) settings() (args []string) {
	row, set := engineSettings[j.engine.settings], j.o.byFlag()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		for _, value := range set[name] {
			for word := range strings.FieldsSeq(row[name]) {
				if strings.Contains(word, "%") {
					word = fmt.Sprintf(word, value)
				}
				args = append(args, word)
			}
		}
	}
	return args
}
