package cluster

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Resumable reports whether a later run can continue the output if this one is killed.
func (p *Plan) Resumable() bool { return p.job.Output.Resumable() }

// Committed lists the tasks with a committed part, found by SetupJob or committed since. Their Try
// is 0.
func (p *Plan) Committed() []attempt.ID { return p.job.Output.Tasks() }

// Complete reports whether SetupJob has found a complete output, so that only CommitJob and
// ForgetJob are left to call.
func (p *Plan) Complete() bool { return p.job.Output.Complete() }

// DropCommitted removes the parts that SetupJob has found. Call it if the job's tasks have changed.
func (p *Plan) DropCommitted() error { return fault.Step(p.job.Output.DropCommitted) }

// ForgetJob removes what a later run would need to continue the job. Call it after CommitJob of a
// resumable output, once the job's success is recorded.
func (p *Plan) ForgetJob() error { return fault.Step(p.job.Output.ForgetJob) }

// LeaveJob closes the output as it is, so that a later run can continue it. Call it in place of
// CommitJob and AbortJob, once no attempt is running.
func (p *Plan) LeaveJob() error {
	defer p.letGo()
	return errors.Join(fault.Step(p.job.Output.LeaveJob), input.CloseAll(p.job.Sources))
}
