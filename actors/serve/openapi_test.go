package serve

import (
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// document holds the parts of openapi.yaml that tests compare with the code.
type document struct {
	Paths      map[string]map[string]operation `yaml:"paths"`
	Components struct {
		Schemas map[string]schema `yaml:"schemas"`
	} `yaml:"components"`
}

type operation struct {
	Parameters []struct {
		Name string `yaml:"name"`
		In   string `yaml:"in"`
	} `yaml:"parameters"`
	Responses map[string]any `yaml:"responses"`
}

type schema struct {
	Type       string            `yaml:"type"`
	Format     string            `yaml:"format"`
	Ref        string            `yaml:"$ref"`
	Items      *schema           `yaml:"items"`
	Properties map[string]schema `yaml:"properties"`
}

func readDocument(t *testing.T) *document {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	d := new(document)
	require.NoError(t, yaml.Unmarshal(text, d))
	return d
}

// openapi.yaml describes exactly the server's calls, with their parameters and status.
func TestDescriptionNamesTheCalls(t *testing.T) {
	d := readDocument(t)
	var want, got []string
	for _, x := range new(Server).table() {
		path := strings.ReplaceAll(x.path, "...}", "}")
		want = append(want, x.method+" "+path)
		o, ok := d.Paths[path][strings.ToLower(x.method)]
		require.True(t, ok, "%s %s", x.method, path)
		require.Contains(t, o.Responses, strconv.Itoa(x.status), path)
		require.Contains(t, o.Responses, "default", path)
		for _, p := range o.Parameters {
			if p.In == "path" {
				require.Contains(t, path, "{"+p.Name+"}")
			}
		}
		for part := range strings.SplitSeq(path, "/") {
			if name, is := strings.CutPrefix(part, "{"); is {
				require.True(t, slices.ContainsFunc(o.Parameters, func(p struct {
					Name string `yaml:"name"`
					In   string `yaml:"in"`
				},
				) bool {
					return p.In == "path" && p.Name+"}" == name
				}), path)
			}
		}
	}
	for path, methods := range d.Paths {
		for method := range methods {
			got = append(got, strings.ToUpper(method)+" "+path)
		}
	}
	require.ElementsMatch(t, want, got)
}

// openapi.yaml describes exactly the types of package api that calls send, with all their fields.
func TestDescriptionNamesTheFields(t *testing.T) {
	d := readDocument(t)
	described := map[string]bool{}
	for _, v := range []any{
		api.Submission{},
		api.Job{},
		api.Stage{},
		api.Tasks{},
		api.Counters{},
		counter.Value{},
		api.Kill{},
		api.SetPriority{},
		api.SetPool{},
		api.Node{},
		api.File{},
		api.Pool{},
		api.PoolTasks{},
		api.Policy{},
		api.Setting{},
		api.Reload{},
		api.PolicyChange{},
		api.Server{},
		api.Caller{},
		api.Kind{},
		api.Problem{},
	} {
		compare(t, d, reflect.TypeOf(v), reflect.TypeOf(v).Name(), described)
	}
	compare(t, d, reflect.TypeFor[api.Page[api.Job]](), "JobPage", described)
	compare(t, d, reflect.TypeFor[api.Page[api.Node]](), "NodePage", described)
	compare(t, d, reflect.TypeFor[api.Page[api.File]](), "FilePage", described)
	for name := range d.Components.Schemas {
		require.True(t, described[name], name)
	}
}

func compare(t *testing.T, d *document, of reflect.Type, name string, described map[string]bool) {
	t.Helper()
	described[name] = true
	s, ok := d.Components.Schemas[name]
	require.True(t, ok, name)
	fields := map[string]bool{}
	for f := range of.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[key] = true
		p, ok := s.Properties[key]
		require.True(t, ok, "%s.%s", name, key)
		require.Equal(t, typeName(f.Type), schemaName(&p), "%s.%s", name, key)
	}
	for key := range s.Properties {
		require.True(t, fields[key], "%s.%s", name, key)
	}
}

// typeName returns the name of a Go type in a schema of openapi.yaml.
func typeName(x reflect.Type) string {
	switch {
	case x == reflect.TypeFor[time.Time]():
		return "date-time"
	case x.Kind() == reflect.Pointer:
		return typeName(x.Elem())
	case x.Kind() == reflect.Slice:
		return "array of " + typeName(x.Elem())
	case x.Kind() == reflect.Struct:
		return x.Name()
	case x.Kind() == reflect.Map:
		return "object"
	case x.Kind() == reflect.Bool:
		return "boolean"
	case x.Kind() == reflect.Float64:
		return "number"
	case x.Kind() == reflect.String:
		return "string"
	}
	return "integer"
}

func schemaName(s *schema) string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.Type == "array":
		return "array of " + schemaName(s.Items)
	case s.Format != "":
		return s.Format
	}
	return s.Type
}
