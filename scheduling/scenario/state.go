package scenario

import (
	"fmt"
	"strconv"

	"github.com/tarry-mr/tarry/scheduling"
)

// The questions about preemption, locality, queues, the virtual cluster and distances.

func (w *world) need(statement, []string) (answer, error) {
	a := answer{set: true}
	for _, p := range w.core.View().Pools() {
		if p.Need != [2]int{} {
			a.words = append(a.words, fmt.Sprintf("%s=%d/%d", p.Name, p.Need[0], p.Need[1]))
		}
	}
	return a, nil
}

func (w *world) preempt(s statement, _ []string) (answer, error) {
	var a answer
	killed, err := w.core.Preempt(s.at)
	for _, id := range killed {
		w.gone[id] = true
		a.words = append(a.words, w.nameOf(id.Task))
	}
	return a, err
}

func (w *world) locality(_ statement, args []string) (answer, error) {
	a := answer{pairs: true}
	id, err := w.job(args[0])
	if err != nil {
		return a, err
	}
	v, err := w.core.View().Locality(id)
	if err != nil {
		return a, err
	}
	if w.core.View().Policy().Locality.Rule == scheduling.SkipCount || w.core.View().Policy().Order == "fair" {
		a.words = []string{"skips=" + strconv.Itoa(v.Skips)}
		return a, nil
	}
	level, skipped := "ANY", "no"
	switch v.Level {
	case scheduling.NodeLocal:
		level = "NODE"
	case scheduling.RackLocal:
		level = "RACK"
	case scheduling.AnyPlace, scheduling.OffRack:
	}
	if v.Skipped {
		skipped = "yes"
	}
	a.words = []string{"level=" + level, "wait=" + v.Wait.String(), "skipped=" + skipped}
	return a, nil
}

func (w *world) capacities(statement, []string) (answer, error) {
	a := answer{pairs: true}
	for _, q := range w.core.View().Queues() {
		a.words = append(a.words, fmt.Sprintf("%s=%d/%d", q.Name, q.Capacity[0], q.Capacity[1]))
	}
	return a, nil
}

func (w *world) virtual(_ statement, args []string) (answer, error) {
	a := answer{pairs: true}
	id, err := w.job(args[0])
	if err != nil {
		return a, err
	}
	kind, err := kindArg(args[1:])
	if err != nil {
		return a, err
	}
	v, err := w.core.View().Virtual(id, kind)
	if err != nil {
		return a, err
	}
	a.words = []string{"left=" + v.Left.String(), "slots=" + number(v.Slots), "finish=" + v.Finish.String()}
	return a, nil
}

func (w *world) gravity(_ statement, args []string) (answer, error) {
	id, err := w.task(args[0])
	if err != nil {
		return answer{}, err
	}
	n, ok, err := w.core.View().Gravity(id)
	if err != nil || !ok {
		return answer{}, err
	}
	return answer{words: []string{w.core.View().NodeName(n)}}, nil
}

func (w *world) distance(s statement, args []string) (answer, error) {
	id, err := w.task(args[0])
	if err != nil {
		return answer{}, err
	}
	n, err := w.nodeNamed(args[1])
	if err != nil {
		return answer{}, err
	}
	ask := w.core.View().WTND
	if s.words[0] == "tnd" {
		ask = w.core.View().TND
	}
	d, err := ask(id, n)
	return answer{words: []string{strconv.FormatInt(d, 10)}}, err
}
