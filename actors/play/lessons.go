package play

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Lesson is a page of the course: a small workload under two policies, what to look for, one thing
// to change, and a question. Run 0 has the policy of Setup, run 1 that of Other. Texts quote names
// of Quantities, such as {local0}: the percentage of node-local maps in run 0.
type Lesson struct {
	ID    string   `json:"id"`
	Setup Setup    `json:"setup"`
	Other Setup    `json:"other"` // run 1: only its policy and settings are used
	Claim []Claim  `json:"claim"` // what the runs must show; a test verifies it
	Texts [2]Text  `json:"texts"` // English, Chinese
	Right int      `json:"right"` // index of the right answer
	Try   []string `json:"try"`   // the one thing to change: settings that override those of run 1
	Skips []int    `json:"skips"` // values of D at which the page compares runs with the formula's curve; none: no curve
	Open  Sight    `json:"open"`  // what the page shows first
}

// Sight is a screen of the page at a time of a run.
type Sight struct {
	Screen string        `json:"screen"`
	At     time.Duration `json:"at"`
	Side   int           `json:"side"` // the run: 0 or 1
}

// Text is a lesson in one language.
type Text struct {
	Title    string   `json:"title"`
	Idea     string   `json:"idea"`
	Terms    string   `json:"terms"`  // definitions of new terms
	Look     string   `json:"look"`   // what to look for, and where
	Change   string   `json:"change"` // the one thing to change
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Because  []string `json:"because"` // why each answer is right or wrong
}

// Claim asserts that the quantity called Less is below Part times the quantity called Than.
type Claim struct {
	Less string  `json:"less"`
	Than string  `json:"than"`
	Part float64 `json:"part"` // 0.5: less than half of Than
}

// Quantities returns the numbers of two runs that lessons quote. A name ends with the run, 0 or 1:
// mean0. Times are in seconds: mean and p95 (sojourn times), makespan, lost (killed work).
// Percentages of maps: local, rack, far. Others: wtnd (GiB × links), off (GB beyond racks), jain,
// killed and suspended. mean and local also exist for each class of jobs, such as mean_small.
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

//go:embed lessons
var lessonFiles embed.FS

// lessons returns the lessons in the order of the course: the files lessons/*.json. Their workloads
// and policies may be names of files beside them.
func lessons() (list []Lesson, err error) {
	names, err := fs.Glob(lessonFiles, "lessons/*.json")
	if err != nil {
		return nil, err
	}
	list = make([]Lesson, len(names))
	for i, name := range names {
		text, err := lessonFiles.ReadFile(name)
		if err == nil {
			err = decode(text, &list[i])
		}
		l := &list[i]
		for _, field := range []*string{&l.Setup.Workload, &l.Setup.Policy, &l.Other.Policy} {
			if err == nil && path.Ext(*field) == ".yaml" {
				text, err = lessonFiles.ReadFile("lessons/" + *field)
				*field = string(text)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

//go:embed chinese.md
var chineseTables string

// chinese returns the rows of the tables in chinese.md: the English and Chinese texts of the page
// around a lesson.
func chinese() (pairs [][2]string) {
	for line := range strings.Lines(chineseTables) {
		row, is := strings.CutPrefix(line, "| ")
		english, translated, _ := strings.Cut(strings.TrimSuffix(row, " |\n"), " | ")
		if is && english != "English" {
			pairs = append(pairs, [2]string{english, translated})
		}
	}
	return pairs
}
