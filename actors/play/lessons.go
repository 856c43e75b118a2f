package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Lesson is a page of the course: a small scenario under two policies, what to look for, one thing to
// change, and a question. Its texts quote numbers of the run by name, such as {local0}: the part of
// the maps on their data on side 0 (Quantities).
type Lesson struct {
	ID    string   `json:"id"`
	Setup Setup    `json:"setup"`
	Other Setup    `json:"other"` // side 1: of it the policy counts
	Claim []Claim  `json:"claim"` // what the run must show; a test holds it
	Texts [2]Text  `json:"texts"` // English, Chinese
	Right int      `json:"right"` // the number of the right answer, from 0
	Try   []string `json:"try"`   // settings to put over side 1: the one thing to change
	Skips []int    `json:"skips"` // values of D at which the formula's curve is held against runs; none: no curve is drawn
	Open  Sight    `json:"open"`  // what the texts speak of
}

// Sight is a screen of the page at a moment of the run.
type Sight struct {
	Screen string        `json:"screen"`
	At     time.Duration `json:"at"`
	Side   int           `json:"side"` // of the run that is shown
}

// Text is a lesson in one language.
type Text struct {
	Title    string   `json:"title"`
	Idea     string   `json:"idea"`
	Terms    string   `json:"terms"`  // what the words mean that come first in this lesson
	Look     string   `json:"look"`   // what to look for, and where
	Change   string   `json:"change"` // the one thing to change
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Because  []string `json:"because"` // each answer is right or wrong
}

// Claim is that one quantity of the run is less than a part of another one.
type Claim struct {
	Less string  `json:"less"`
	Than string  `json:"than"`
	Part float64 `json:"part"` // of Than, such as 0.5: less than half
}

// Quantities are the numbers of a run under two policies, by the name that texts give them: mean,
// p95, makespan in seconds, local, rack and far as parts of the maps in percent, wtnd in GiB ×
// links, off in GB, jain, killed, suspended, lost in seconds, and mean of each class, such as
// mean_small; each with the side, 0 or 1, behind it.
func Quantities(first, second *simulator.Report) map[string]float64 {
	out := map[string]float64{}
	for side, r := range []*simulator.Report{first, second} {
		set := func(name string, x float64) { out[name+strconv.Itoa(side)] = x }
		maps := float64(max(1, r.Maps.All()))
		set("mean", r.Sojourn.Mean)
		set("p95", r.Sojourn.P95)
		set("makespan", r.MakespanS)
		set("local", 100*float64(r.Maps.NodeLocal)/maps)
		set("rack", 100*float64(r.Maps.RackLocal)/maps)
		set("far", 100*float64(r.Maps.OffRack)/maps)
		set("off", float64(r.Shuffle.OffRack)/1e9)
		set("wtnd", float64(2*r.Shuffle.RackLocal+4*r.Shuffle.OffRack)/(1<<30))
		set("jain", r.FairnessJain)
		set("killed", float64(r.Preempted.Killed))
		set("suspended", float64(r.Preempted.Suspended))
		set("lost", r.Preempted.LostS)
		for _, c := range r.ByClass {
			set("mean_"+c.Class, c.Sojourn.Mean)
			n := float64(max(1, c.Maps.All()))
			set("local_"+c.Class, 100*float64(c.Maps.NodeLocal)/n)
		}
	}
	return out
}

// Holds reports whether a claim holds of the quantities. It is false unless q has both of them.
func (c Claim) Holds(q map[string]float64) bool {
	a, there := q[c.Less]
	b, too := q[c.Than]
	return there && too && a < c.Part*b
}

// Fill puts the numbers of a run into a text, for names in braces. A name that the run does not have stays.
func Fill(text string, q map[string]float64) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, behind, closed := strings.Cut(rest, "}")
		x, there := q[name]
		switch {
		case !closed || !there:
			out.WriteByte('{')
			text = rest
			continue
		case x > 0 && x < 1:
			fmt.Fprintf(&out, "%.2g", x)
		case x < 10 && x != float64(int(x)):
			fmt.Fprintf(&out, "%.2f", x)
		default:
			fmt.Fprintf(&out, "%.0f", x)
		}
		text = behind
	}
}

// Lessons are the lessons, in order.
func Lessons() []Lesson {
	list := slices.Clone(lessonSetups)
	for i := range list {
		list[i].Texts = [2]Text{english[list[i].ID], chinese[list[i].ID]}
	}
	return list
}
