package cluster

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Resumable reports whether another run can continue the output.
func (p *Plan) Resumable() bool { return p.job.Output.Resumable() }

// Committed lists the tasks whose parts SetupJob has found or that have been committed since, with
// Try 0.
func (p *Plan) Committed() []attempt.ID { return p.job.Output.Tasks() }

// Complete reports whether SetupJob has found the output complete: only CommitJob and ForgetJob
// remain.
func (p *Plan) Complete() bool { return p.job.Output.Complete() }

// DropCommitted removes the parts that SetupJob has found, because the job's tasks have changed.
func (p *Plan) DropCommitted() error { return fault.Step(p.job.Output.DropCommitted) }

// ForgetJob removes what another run would need to continue the job. Call it after CommitJob of a
// resumable output, once the job's success is recorded elsewhere.
func (p *Plan) ForgetJob() error { return fault.Step(p.job.Output.ForgetJob) }

// LeaveJob releases the output as it is, for another run to continue. Call it instead of CommitJob
// or AbortJob, once no attempt is running.
func (p *Plan) LeaveJob() error {
	defer p.letGo()
	return errors.Join(fault.Step(p.job.Output.LeaveJob), input.CloseAll(p.job.Sources))
}
