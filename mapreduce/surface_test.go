package mapreduce_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Internal types that are public by an alias export only what users need.
func TestTypesOfRoomsShowNoMore(t *testing.T) {
	for _, c := range []struct {
		of      reflect.Type
		fields  []string
		methods []string
	}{
		{reflect.TypeFor[Source](), []string{"Data"}, []string{"Kept", "Name", "Size", "Splittable"}},
		{reflect.TypeFor[Destination](), nil, []string{
			"Check", "Compressed", "Extension", "Finish", "Late", "Metered", "Resumable", "Within",
		}},
		{reflect.TypeFor[*PartFile](), nil, []string{"Name", "Path", "Write"}},
		{reflect.TypeFor[Compression](), nil, []string{"Extension", "String"}},
		{reflect.TypeFor[AttemptID](), []string{"Kind", "Index", "Try"}, []string{"String"}},
		{reflect.TypeFor[*fault.PanicError](), []string{"Value", "Stack", "At"}, []string{"Error", "Unwrap"}},
	} {
		var fields, methods []string
		for m := range c.of.Methods() {
			methods = append(methods, m.Name)
		}
		of := c.of
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			for f := range of.Fields() {
				if f.IsExported() {
					fields = append(fields, f.Name)
				}
			}
		}
		require.Equal(t, c.fields, fields, c.of)
		require.Equal(t, c.methods, methods, c.of)
	}
}
