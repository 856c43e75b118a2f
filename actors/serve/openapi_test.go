package serve

import (
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
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
		var names []string
		for _, p := range o.Parameters {
			if p.In == "path" {
				names = append(names, "{"+p.Name+"}")
			}
		}
		require.ElementsMatch(t, regexp.MustCompile(`{[^}]*}`).FindAllString(path, -1), names)
	}
	for path, methods := range d.Paths {
		for method := range methods {
			got = append(got, strings.ToUpper(method)+" "+path)
		}
	}
	require.ElementsMatch(t, want, got)
}

// openapi.yaml describes exactly the types of package api that calls send, with all their fields
// and the types of these.
func TestDescriptionNamesTheFields(t *testing.T) {
	d := readDocument(t)
	described := map[string]bool{}
	for name, v := range map[string]any{
		"Submission": api.Submission{}, "Job": api.Job{}, "JobPage": api.Page[api.Job]{}, "Counters": api.Counters{},
		"Kill": api.Kill{}, "SetPriority": api.SetPriority{}, "SetPool": api.SetPool{},
		"Node": api.Node{}, "NodePage": api.Page[api.Node]{}, "File": api.File{}, "FilePage": api.Page[api.File]{},
		"Policy": api.Policy{}, "PolicyChange": api.PolicyChange{}, "Reload": api.Reload{},
		"Server": api.Server{}, "Problem": api.Problem{},
	} {
		compare(t, d, reflect.TypeOf(v), name, described)
	}
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
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
			compare(t, d, inner, inner.Name(), described)
		}
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
