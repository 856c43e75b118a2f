package cluster

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Resumable tells whether the output is one that another run can go on with.
func (p *Plan) Resumable() bool { return p.job.Output.Resumable() }

// Committed lists the tasks whose parts SetupJob has found, or that have been committed since, with
// Try 0.
func (p *Plan) Committed() []attempt.ID { return p.job.Output.Tasks() }

// Complete tells whether SetupJob has found the output complete: nothing is left to do but
// CommitJob and ForgetJob.
func (p *Plan) Complete() bool { return p.job.Output.Complete() }

// DropCommitted removes the parts that SetupJob has found: they are not of the tasks that the job
// has now.
func (p *Plan) DropCommitted() error { return fault.Step(p.job.Output.DropCommitted) }

// ForgetJob removes what a run that goes on with the job would need. It follows CommitJob of a
// resumable output, once it is known elsewhere that the job has succeeded.
func (p *Plan) ForgetJob() error { return fault.Step(p.job.Output.ForgetJob) }

// LeaveJob lets go of the output as it is, for a run that goes on with it: in place of CommitJob or
// AbortJob, once no attempt is at work.
func (p *Plan) LeaveJob() error {
	defer p.letGo()
	return errors.Join(fault.Step(p.job.Output.LeaveJob), input.CloseAll(p.job.Sources))
}
