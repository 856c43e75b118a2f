package main

import (
	"os/user"

	"github.com/tarry-mr/tarry/actors"
)

// submitOptions are a job's: its user is who runs this program.
func (r *runFlags) submitOptions() actors.SubmitOptions {
	o := actors.SubmitOptions{Reduces: r.reduces, Pool: r.pool, Queue: r.queue}
	me, err := user.Current()
	if err != nil {
		return o
	}
	o.User = me.Username
	ids, err := me.GroupIds()
	if err != nil {
		return o
	}
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			o.Groups = append(o.Groups, g.Name)
		}
	}
	return o
}
