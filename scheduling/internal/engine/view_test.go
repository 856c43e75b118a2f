package engine

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// ask calls every method of View with some values of its parameter types, so also future methods.
func ask(t require.TestingT, c *core.Core) {
	for _, question := range reflect.ValueOf(c.View()).Methods() {
		args := [][]reflect.Value{{}}
		for of := range question.Type().Ins() {
			var longer [][]reflect.Value
			for _, value := range valuesOf(c, of) {
				for _, known := range args {
					longer = append(longer, append(slices.Clip(known), value))
				}
			}
			args = longer
		}
		for _, a := range args {
			question.Call(a)
		}
	}
}

// valuesOf returns some values of a type, which ask passes to questions.
func valuesOf(c *core.Core, of reflect.Type) (list []reflect.Value) {
	add := func(v any) { list = append(list, reflect.ValueOf(v)) }
	switch of {
	case reflect.TypeFor[model.JobID]():
		for id := range c.View().Jobs() {
			add(model.JobID(id + 1))
		}
	case reflect.TypeFor[model.NodeID]():
		for _, n := range c.View().Nodes() {
			add(n.ID)
		}
	case reflect.TypeFor[model.TaskKind]():
		add(model.Map)
		add(model.Reduce)
	case reflect.TypeFor[model.TaskID]():
		for id := range c.View().Jobs() {
			for k := range model.TaskKind(model.Kinds) {
				add(model.TaskID{Job: model.JobID(id + 1), Kind: k})
			}
		}
	case reflect.TypeFor[model.AttemptID]():
		for id := range c.View().Jobs() {
			add(model.AttemptID{Task: model.TaskID{Job: model.JobID(id + 1)}})
		}
	case reflect.TypeFor[string]():
		add("n0")
		add("nobody")
	default:
		panic("a question about a " + of.String())
	}
	return list
}

// Questions between calls do not change a Core: its answers and events are those of a Core without
// questions.
func TestQuestionsChangeNothing(t *testing.T) {
	for _, preset := range Presets() {
		t.Run(preset, rapid.MakeCheck(func(t *rapid.T) {
			p := drawPolicy(t)
			p.Order = orderOf(t, preset)
			if p.Order != "capacity" {
				p.Queues = nil
			}
			var asked, silent []event.Event
			w := newWorld(t, p)
			w.hears = func(e event.Event) { asked = append(asked, e) }
			fresh, err := NewCore(silently(w.cfg), p)
			require.NoError(t, err)
			require.NoError(t, ReplayFrom(fresh, &w.log))
			fresh.Config.Events = func(e event.Event) { silent = append(silent, e) }
			for range rapid.IntRange(5, 40).Draw(t, "steps") {
				w.step(4, 2)
				if rapid.IntRange(0, 2).Draw(t, "asked") == 0 {
					ask(t, w.c)
				}
			}
			require.NoError(t, ReplayFrom(fresh, &w.log))
			require.Equal(t, silent, asked)
		}))
	}
}

func orderOf(t require.TestingT, preset string) string {
	p := policyOf(t, preset, nil)
	return p.Order
}
