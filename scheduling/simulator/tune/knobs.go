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
	Text  string // such as "locality.rule=wait locality.waits=2s/4s"
	apply func(p *scheduling.Policy) error
}

// Knob is a setting of a policy, or several that belong together, with the choices to try.
type Knob struct {
	Name    string
	Choices []Choice
}

// choice returns the Choice for settings KEY=VALUE that are separated by spaces.
func choice(text string) Choice {
	var list []policyfile.Setting
	for one := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(one, "=")
		list = append(list, policyfile.Setting{Key: key, Value: value})
	}
	return Choice{text, func(p *scheduling.Policy) error { return policyfile.SetAll(p, list) }}
}

// weight returns the Choice of a weight of a pool.
func weight(pool string, w float64) Choice {
	return Choice{fmt.Sprintf("weight of pool %s=%g", pool, w), func(p *scheduling.Policy) error {
		if !p.Pools.SetWeight(pool, w) {
			return fmt.Errorf("pool %s does not exist", pool)
		}
		return nil
	}}
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
				k.Choices = append(k.Choices, weight(pool, w))
			}
			list = append(list, k)
		}
	}
	return list
}
