package event

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// drawFields sets some fields of a struct to random values and leaves the others zero.
func drawFields(t *rapid.T, v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); rapid.Bool().Draw(t, v.Type().Field(i).Name) {
			drawValue(t, f)
		}
	}
}

func drawValue(t *rapid.T, f reflect.Value) {
	switch f.Interface().(type) {
	case Type:
		f.SetUint(uint64(rapid.IntRange(1, len(eventNames)-1).Draw(t, "type")))
		return
	case model.Cause:
		f.SetUint(uint64(rapid.IntRange(0, int(model.CauseNoSlot)).Draw(t, "cause")))
		return
	case model.TaskKind:
		f.SetUint(uint64(rapid.IntRange(0, 1).Draw(t, "kind")))
		return
	case time.Time:
		f.Set(reflect.ValueOf(time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "wall"), 5).UTC()))
		return
	case *model.Policy:
		f.Set(reflect.ValueOf(&model.Policy{Name: rapid.String().Draw(t, "policy")}))
		return
	case model.AttemptID:
		f.Set(reflect.ValueOf(model.AttemptID{Task: model.TaskID{
			Job: model.JobID(rapid.Int32Range(1, 1<<31-1).Draw(t, "job")), Kind: model.TaskKind(rapid.IntRange(0, 1).Draw(t, "kind")), Index: rapid.Int32Range(0, 1<<31-1).Draw(t, "task"),
		}, Try: rapid.Int32Range(0, 9).Draw(t, "try")}))
		return
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(rapid.String().Draw(t, "text"))
	case reflect.Float64:
		f.SetFloat(rapid.Float64().Draw(t, "number"))
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Uint64:
		f.SetUint(rapid.Uint64().Draw(t, "number"))
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		n := rapid.Int64Range(-1<<30, 1<<30).Draw(t, "number")
		if f.Kind() == reflect.Int8 {
			n %= 9
		}
		f.SetInt(n)
	case reflect.Struct:
		drawFields(t, f)
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
		drawFields(t, f.Elem())
	case reflect.Array:
		for i := range f.Len() {
			drawValue(t, f.Index(i))
		}
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), rapid.IntRange(0, 3).Draw(t, "length"), 3))
		for i := range f.Len() {
			drawValue(t, f.Index(i))
		}
	default:
		t.Fatalf("no way to draw a %v", f.Type())
	}
}

// AppendJSON returns the same bytes as encoding/json, for every
func TestEventAppendsAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Event
		drawFields(t, reflect.ValueOf(&e).Elem())
		want, err := json.Marshal(e)
		require.NoError(t, err)
		require.Equal(t, string(want), string(e.AppendJSON(nil)))
	})
}

func BenchmarkEventAppendJSON(b *testing.B) {
	e := Event{
		At: 123456789012, Type: Launched, JobID: 17, Attempt: model.AttemptID{Task: model.TaskID{Job: 17, Kind: model.Map, Index: 204}, Try: 0}, Node: 33, NodeName: "n00033",
		Near: "node-local", Slot: 2, Reason: model.Reason{Cause: model.CauseLocal},
	}
	var line []byte
	for b.Loop() {
		line = e.AppendJSON(line[:0])
	}
	b.ReportMetric(float64(len(line)), "B/event")
}
