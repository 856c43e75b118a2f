// Package custom connects the orders and placements that a program brings in Config.Parts to the
// Core.
package custom

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// order asks a custom order for ranks and sorts all jobs before each walk.
type order struct {
	core.FlatOrder
	part    core.JobOrder
	ranking bool // a walk is sorting; if the part asks for the order meanwhile, it gets the former one
}

// NewOrder returns the order of c.Config.Parts with that name.
func NewOrder(c *core.Core, name string) (core.Order, error) {
	p, err := part(c.Config.Parts.Orders, "order", name)
	if err != nil {
		return nil, err
	}
	o := &order{part: p}
	o.FlatOrder = core.FlatOrder{BaseOrder: core.BaseOrder{C: c}, RankOf: o.rank}
	return o, nil
}

func (o *order) rank(j *core.Job, k model.TaskKind) index.Rank {
	value := o.part.Rank(o.C.View(), j.ID, k)
	if math.IsNaN(value) {
		value = math.Inf(1)
	}
	return index.Rank{Value: value, Tie: int32(j.ID)}
}

// Changed records whether j has a task to launch; the next walk asks for its rank.
func (o *order) Changed(j *core.Job, k model.TaskKind) {
	o.Spots.Put(&o.Lists[k], j, k, func(j *core.Job, _ model.TaskKind) index.Rank { return index.Rank{Tie: int32(j.ID)} })
}

func (o *order) Line(k model.TaskKind, i int) *core.JobList {
	if i == 0 && !o.ranking {
		o.ranking = true
		for _, j := range o.C.Active {
			if j.Launchable(k) {
				o.FlatOrder.Changed(j, k)
			}
		}
		o.ranking = false
	}
	return o.FlatOrder.Line(k, i)
}

func (o *order) Remove(j *core.Job) {
	o.FlatOrder.Remove(j)
	forget(o.part, j.ID)
}

// part creates the part that the table has under name; what names its kind in errors.
func part[T any](table map[string]func() T, what, name string) (T, error) {
	if makes := table[name]; makes != nil {
		return makes(), nil
	}
	names := slices.Sorted(maps.Keys(table))
	if len(names) == 0 {
		names = []string{"none"}
	}
	var none T
	return none, fmt.Errorf("%w: no %s %q; Config.Parts has %s", core.ErrUnknownPolicy, what, name, strings.Join(names, ", "))
}

// forget tells a part with the method Forget that a job has ended.
func forget(part any, id model.JobID) {
	if f, ok := part.(interface{ Forget(id model.JobID) }); ok {
		f.Forget(id)
	}
}
