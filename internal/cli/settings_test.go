package cli

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
)

// Every field of a policy is a setting, so that none of a later one is left out.
func TestEverySettingIsCompared(t *testing.T) {
	for _, name := range scheduling.Presets() {
		policy, err := scheduling.Preset(name)
		require.NoError(t, err)
		require.Empty(t, differing([]scheduling.Policy{policy, policy}))
		policy.Reduce.Rule, policy.Speculation.Rule = scheduling.CoGRS, scheduling.LATE
		changeEach(t, reflect.ValueOf(policy), func(path string, changed reflect.Value) {
			list := differing([]scheduling.Policy{policy, changed.Interface().(scheduling.Policy)})
			switch path {
			case "Name":
				require.Empty(t, list)
			case "Order":
				require.NotEmpty(t, list)
			case "Preemption", "Queues", "HFSP", "Quincy", "Spread", "OneTask", "LoadMaxDiff":
				require.LessOrEqual(t, len(list), 1, "%s %s %v", name, path, list)
			case "Locality", "Pools": // what takes the place of a default may be two
				require.Equal(t, path == "Locality" || policy.Order == "pools", len(list) > 0)
				require.LessOrEqual(t, len(list), 2, "%s %v", name, list)
			default:
				require.Len(t, list, 1, "%s: %s", name, path)
			}
		})
	}
	policy, err := scheduling.Preset("hfs")
	require.NoError(t, err)
	said := policy
	said.SlowStart = scheduling.DefaultSlowStart
	require.Empty(t, differing([]scheduling.Policy{policy, said}))
}

// changeEach calls fn with copies of a struct, a field changed in each; those of the fields that
// are settings by their own parts, one part in each.
func changeEach(t *testing.T, v reflect.Value, fn func(path string, changed reflect.Value)) {
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		set := func(value reflect.Value) {
			c := reflect.New(v.Type()).Elem()
			c.Set(v)
			c.Field(i).Set(value)
			fn(name, c)
		}
		switch name {
		case "Part": // of a program's own code: no command line has any
		case "Reduce", "Speculation", "Avoid":
			changeEach(t, v.Field(i), func(_ string, part reflect.Value) { set(part) })
		case "Locality":
			set(reflect.ValueOf(scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: []int{77}}))
		case "Pools":
			set(reflect.ValueOf(scheduling.Allocations{FairTimeout: time.Hour}))
		default:
			set(another(t, v.Field(i)))
		}
	}
}

// another is a value that is not v.
func another(t *testing.T, v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.Bool:
		c.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		c.SetInt(v.Int() + 1)
	case reflect.Uint8:
		c.SetUint(v.Uint() - 1)
	case reflect.Float64:
		c.SetFloat(math.Abs(v.Float()) + 0.5)
	case reflect.String:
		c.SetString(v.String() + "x")
	case reflect.Slice:
		c.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
	case reflect.Array, reflect.Struct:
		if v.Kind() == reflect.Array {
			c.Index(0).Set(another(t, v.Index(0)))
		} else {
			c.Field(0).Set(another(t, v.Field(0)))
		}
	default:
		t.Fatalf("a field of kind %v", v.Kind())
	}
	return c
}
