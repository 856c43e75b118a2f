package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// schema checks a value against the part of JSON Schema that Kubernetes uses.
type schema struct {
	Type                 string
	Properties           map[string]schema
	Required             []string
	Items                *schema
	AdditionalProperties *schema
	Enum                 []any
	Ref                  string `json:"$ref"`
	AllOf                []schema
}

func (s schema) check(t *testing.T, all map[string]schema, at string, v any) {
	for _, part := range s.AllOf {
		part.check(t, all, at, v)
	}
	if s.Ref != "" {
		all[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]].check(t, all, at, v)
		return
	}
	switch s.Type {
	case "object":
		o, ok := v.(map[string]any)
		require.True(t, ok, "%s: no object", at)
		for _, name := range s.Required {
			require.Contains(t, o, name, at)
		}
		for name, field := range o {
			p, known := s.Properties[name]
			switch {
			case known:
				p.check(t, all, at+"."+name, field)
			case s.AdditionalProperties != nil:
				s.AdditionalProperties.check(t, all, at+"."+name, field)
			default:
				t.Errorf("%s has no field %s", at, name)
			}
		}
	case "array":
		list, ok := v.([]any)
		require.True(t, ok, "%s: no array", at)
		for i, item := range list {
			s.Items.check(t, all, fmt.Sprint(at, "[", i, "]"), item)
		}
	case "string":
		require.IsType(t, "", v, at)
	case "integer":
		n, ok := v.(float64)
		require.True(t, ok && n == float64(int64(n)), "%s: no integer", at)
	case "boolean":
		require.IsType(t, true, v, at)
	}
}

// pods gets a printed manifest. Close checks it against Kubernetes' schema and runs its pods as
// processes, the last ones first, with the parallelism of the manifest.
type pods struct {
	bytes.Buffer
	t    *testing.T
	done sync.WaitGroup
}

// Close implements io.Closer.
func (p *pods) Close() error {
	var manifest struct {
		Spec struct {
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					Containers []struct {
						Command []string
						Env     []struct{ Name, Value string }
					}
				}
			}
		}
	}
	var any any
	require.NoError(p.t, json.Unmarshal(p.Bytes(), &any))
	b, err := os.ReadFile("testdata/kubernetes-job.json")
	require.NoError(p.t, err)
	var known struct{ Schemas map[string]schema }
	require.NoError(p.t, json.Unmarshal(b, &known))
	known.Schemas["io.k8s.api.batch.v1.Job"].check(p.t, known.Schemas, "Job", any)
	require.NoError(p.t, json.Unmarshal(p.Bytes(), &manifest))
	task := manifest.Spec.Template.Spec.Containers[0]
	require.Equal(p.t, []string{filepath.Base(os.Args[0])}, task.Command)
	require.Equal(p.t, taskVariable, task.Env[0].Name)
	for i := range manifest.Spec.Completions {
		p.done.Go(func() {
			for failures := range 3 {
				cmd := exec.Command(os.Args[0])
				cmd.Dir = "/"
				cmd.Env = append(os.Environ(), taskVariable+"="+task.Env[0].Value, fmt.Sprint("JOB_COMPLETION_INDEX=", i),
					fmt.Sprint("TARRY_FAILURES=", failures))
				if text, err := cmd.CombinedOutput(); err == nil {
					return
				} else if cmd.ProcessState.ExitCode() == permanentExit {
					return
				} else {
					p.t.Logf("pod %d: %v: %s", i, err, text)
				}
			}
		})
	}
	return nil
}

// The manifest for Kubernetes fits its schema. The pods, started in any order, write the output of
// one process, even if some are killed.
func TestKubernetes(t *testing.T) {
	for _, name := range []string{"wordcount", "grep", "kill map", "kill reduce"} {
		t.Run(name, func(t *testing.T) {
			store, url, books := testStore(t)
			want, _ := wanted(t, name, 3, blockBytes, books)
			p := &pods{t: t}
			defer p.done.Wait()
			require.NoError(t, onStore(t, name, url, Options{On: "k8s-job:registry/image:1", Reduces: 3, BlockSize: blockBytes, Print: p}, books))
			require.Equal(t, want, filesIn(t, filepath.Join(store.Root, "out")))
			require.Empty(t, store.Begun())
		})
	}
}

// On Kubernetes, Submit returns a permanent error, or that of a task's last attempt.
func TestKubernetesFails(t *testing.T) {
	for _, name := range []string{"bad input", "map fails"} {
		store, url, books := testStore(t)
		p := &pods{t: t}
		err := onStore(t, name, url, Options{On: "k8s-job:image", Reduces: 2, MaxAttempts: 2, Print: p}, books)
		p.done.Wait()
		require.ErrorContains(t, err, map[string]string{"bad input": "no number", "map fails": "never works"}[name])
		require.NoDirExists(t, filepath.Join(store.Root, "out"), "nor by pods that end after the job")
	}
	out, _, err := submit(t, "wordcount", Options{On: "k8s-job:image"}, []string{bookOf(t, t.TempDir(), "a", 1000)})
	require.ErrorContains(t, err, "give it an output such as s3://BUCKET/DIR")
	require.NoDirExists(t, out)
	require.ErrorContains(t, Check("k8s-job:", &Settings{}), "want k8s-job:IMAGE")
}

// A reduce that has waited too long for maps ends with errWaited, to let maps run in its place.
func TestReduceMakesRoom(t *testing.T) {
	defer func(a, b time.Duration) { longestWait, lookEvery = a, b }(longestWait, lookEvery)
	longestWait, lookEvery = 50*time.Millisecond, 10*time.Millisecond
	_, url, books := testStore(t)
	p, j := prepared(t, "wordcount", url+"/out", Options{Reduces: 2, BlockSize: blockBytes}, books)
	of := func(index int) *task {
		return &task{Temp: j.temp.fullName(""), Shuffle: j.tasks.fullName(""), Index: index, Attempt: 2}
	}
	require.ErrorIs(t, of(len(j.layout.Splits)+1).mapped(t.Context(), &j.layout), errWaited)
	first := of(1)
	require.NoError(t, first.mapped(t.Context(), &j.layout))
	require.Equal(t, "m-00001-2", first.id().String())
	require.NoError(t, p.AbortJob())
	require.ErrorIs(t, of(len(j.layout.Splits)).mapped(t.Context(), &j.layout), errGone)
}
