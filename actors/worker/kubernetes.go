package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// kubernetes returns the engine that prints a manifest for the user to apply: one Indexed Job of
// Kubernetes whose first pods are maps and the others reduces. Pods start in index order, so all
// maps have started before a reduce does. A reduce that has waited too long for maps exits with
// code waitedExit, which the job does not count as a failure, and frees its place. It needs
// Kubernetes 1.33 and a common store.
func kubernetes(image string) printed {
	return printed{
		what: "the manifest for Kubernetes",
		text: func(j *job) ([]byte, error) { return manifest(j, image, os.Getenv) },
	}
}

// waitedExit is the exit code of a reduce that has waited too long for maps and must be retried.
const waitedExit = 75

// object is a JSON object.
type object map[string]any

// manifest returns the Indexed Job of a plan as JSON, which kubectl accepts like YAML.
func manifest(j *job, image string, getenv func(string) string) ([]byte, error) {
	if j.temp.store == nil {
		return nil, errors.New("pods share no disk: give it an output such as s3://BUCKET/DIR")
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := j.task(mappedTask, -1, -1)
	t.Shuffle, t.Spills, t.Dir = j.tasks.fullName(""), "", ""
	env := []object{
		{"name": taskVariable, "value": t.env()},
		{"name": "TARRY_FAILURES", "valueFrom": object{"fieldRef": object{
			"fieldPath": "metadata.annotations['batch.kubernetes.io/job-index-failure-count']",
		}}},
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "HADOOP_USER_NAME"} {
		if v := getenv(name); v != "" { // only settings that are not secret; keys come from a service account or a Secret
			env = append(env, object{"name": name, "value": v})
		}
	}
	tasks := len(j.layout.Splits) + j.layout.Reduces
	plain := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(j.layout.Name), "-") // as Kubernetes wants names
	return json.MarshalIndent(object{
		"apiVersion": "batch/v1",
		"kind":       "Job",
		"metadata":   object{"name": "tarry-" + strings.Trim(fmt.Sprintf("%.40s", plain), "-"), "labels": object{"app.kubernetes.io/managed-by": "tarry"}},
		"spec": object{
			"completionMode":       "Indexed",
			"completions":          tasks,
			"parallelism":          min(tasks, usualPods),
			"backoffLimitPerIndex": j.maxAttempts() - 1,
			"podFailurePolicy": object{"rules": []object{
				{"action": "FailJob", "onExitCodes": object{"operator": "In", "values": []int{permanentExit}}},
				{"action": "Ignore", "onExitCodes": object{"operator": "In", "values": []int{waitedExit}}},
				{"action": "Ignore", "onPodConditions": []object{{"type": "DisruptionTarget", "status": "True"}}},
			}},
			"template": object{"spec": object{
				"restartPolicy":      "Never",
				"serviceAccountName": cmp.Or(j.o.Account, "default"),
				"containers": []object{{
					"name": "task", "image": image, "command": []string{filepath.Base(exe)}, "env": env, "resources": resources(&j.o),
				}},
			}},
		},
	}, "", "  ")
}

// resources returns the requests and limits of a pod. Without --task-memory the request is for what
// the worker's budget needs, and nothing limits it.
func resources(o *Options) object {
	requests, limits := object{"cpu": strconv.Itoa(max(1, o.TaskCores))}, object{}
	requests["memory"] = fmt.Sprintf("%dMi", cmp.Or(o.TaskMemory, o.Memory+minTaskMemory)>>20)
	if o.TaskMemory > 0 {
		limits["memory"] = requests["memory"]
	}
	if o.TaskCores > 0 {
		limits["cpu"] = requests["cpu"]
	}
	return object{"requests": requests, "limits": limits}
}

// usualPods is the number of concurrent pods in a manifest; users may edit it.
const usualPods = 100

// errWaited is the error of a reduce that has waited too long for maps.
var errWaited = errors.New("the maps have not ended in time for this reduce, which is to be tried again")

// How long a reduce waits for maps, and how often it polls; tests poll more often.
var (
	longestWait = 5 * time.Minute
	lookEvery   = 2 * time.Second
)

// mapped finds kind and index of a task of a job that numbers maps first. For a reduce it then
// waits for the maps.
func (t *task) mapped(ctx context.Context, l *cluster.Layout) error {
	maps := len(l.Splits)
	if t.Index < maps {
		t.Kind = mapTask
		return nil
	}
	t.Kind, t.Index = reduceTask, t.Index-maps
	in, err := folderAt(t.Shuffle)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(longestWait)
	for {
		ended, err := in.count("m-")
		if err != nil {
			return err
		}
		if _, err := t.there(); err != nil {
			return err
		}
		switch {
		case ended >= maps:
			return nil
		case time.Now().After(deadline):
			return errWaited
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
}
