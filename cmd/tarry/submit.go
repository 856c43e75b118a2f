package main

import (
	"os/user"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
)

// submitOptions are a job's: its user is who runs this program.
func (j *jobFlags) submitOptions() actors.SubmitOptions {
	o := actors.SubmitOptions{Reduces: j.reduces, Pool: j.pool, Queue: j.queue}
	o.Priority, _ = scheduling.ParsePriority(j.priority) // check found it good
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
