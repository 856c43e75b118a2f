package tune

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// Choice is a value of a knob: settings of a policy, or the weight of a pool.
type Choice struct {
	Settings []policyfile.Setting
	Pool     string // if it is not empty, Weight is the weight of this pool
	Weight   float64
}

// String returns text such as "locality.rule=wait locality.waits=2s/4s".
func (c Choice) String() string {
	if c.Pool != "" {
		return fmt.Sprintf("weight of pool %s=%g", c.Pool, c.Weight)
	}
	var list []string
	for _, s := range c.Settings {
		list = append(list, s.Key+"="+s.Value)
	}
	return strings.Join(list, " ")
}

// apply applies the choice to a policy.
func (c Choice) apply(p *scheduling.Policy) error {
	if c.Pool != "" {
		if !p.Pools.SetWeight(c.Pool, c.Weight) {
			return fmt.Errorf("pool %s does not exist", c.Pool)
		}
		return nil
	}
	return policyfile.SetAll(p, c.Settings)
}

// Knob is a setting of a policy, or several that belong together, with the choices to try.
type Knob struct {
	Name    string
	Choices []Choice
}

// choice returns the Choice for settings KEY=VALUE that are separated by spaces.
func choice(text string) Choice {
	var c Choice
	for one := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(one, "=")
		c.Settings = append(c.Settings, policyfile.Setting{Key: key, Value: value})
	}
	return c
}

// waitSteps are the waits for locality to try, as multiples of the usual duration of a map.
var waitSteps = []float64{0.1, 0.25, 0.5, 1, 2}

// Knobs returns the knobs that affect a policy: waits for locality, skips, the placement of reduces
// and its threshold, slow start, speculative execution, and the weights of the named pools. Waits
// are relative to the usual duration of a map, skips to the number of nodes.
func Knobs(p *scheduling.Policy, usualMap time.Duration, nodes int, pools []string) (list []Knob) {
	wait := func(of float64) string {
		return max(time.Millisecond, time.Duration(of*float64(usualMap)).Round(time.Millisecond)).String()
	}
	locality := Knob{Name: "waiting for locality", Choices: []Choice{choice("locality.rule=greedy")}}
	for _, node := range waitSteps {
		for _, rack := range []float64{0, 1, 2} {
			text := "locality.rule=wait locality.auto=false locality.waits=" + wait(node) + "/" + wait(rack*node)
			if rack == 0 {
				text = strings.TrimSuffix(text, wait(0)) + "0s"
			}
			locality.Choices = append(locality.Choices, choice(text))
		}
	}
	for _, part := range []int{8, 4, 2, 1} {
		if d := nodes / part; d > 0 {
			locality.Choices = append(locality.Choices, choice(fmt.Sprintf("locality.rule=skips locality.auto=false locality.skips=%d/%d", d, d)))
		}
	}
	list = append(list, locality, Knob{"placement of reduces", []Choice{
		choice("reduce.rule=any"), choice("reduce.rule=cogrs"), choice("reduce.rule=larts"),
	}}, Knob{"threshold of placement", []Choice{
		choice("reduce.theta=0"), choice("reduce.theta=0.05"), choice("reduce.theta=0.2"), choice("reduce.theta=0.5"),
	}}, Knob{"slow start", []Choice{
		choice("slow_start=0.05"), choice("slow_start=0.25"), choice("slow_start=0.5"), choice("slow_start=0.8"), choice("slow_start=1"),
	}}, Knob{"copies of slow tasks", []Choice{choice("speculation.rule=none"), choice("speculation.rule=late")}})
	if p.Order == "pools" {
		for _, pool := range pools {
			k := Knob{Name: "weight of pool " + pool}
			for _, w := range []float64{0.25, 0.5, 1, 2, 4} {
				k.Choices = append(k.Choices, Choice{Pool: pool, Weight: w})
			}
			list = append(list, k)
		}
	}
	return list
}
