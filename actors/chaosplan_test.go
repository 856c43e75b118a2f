package actors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A chaos plan lists faults and their times, drawn from a seed. A failing plan shrinks: faults that
// the failure does not need are removed.

// faultKind is a kind of fault; its text says what happens.
type faultKind string

// The kinds of faults. A fault in user code hits mishap.count attempts of one task of one job.
// Faults that last do so for mishap.long.
const (
	faultKill    faultKind = "kill"    // a node dies and loses all its data
	faultStop    faultKind = "stop"    // a node leaves and reports it
	faultStart   faultKind = "start"   // a node restarts
	faultCordon  faultKind = "cordon"  // for a time, a node gets no new tasks
	faultCut     faultKind = "cut"     // for a time, a node and the JobTracker lose all messages
	faultNet     faultKind = "net"     // for a time, one in mishap.count messages is lost or late
	faultError   faultKind = "error"   // user code fails
	faultPanic   faultKind = "panic"   // user code panics
	faultExit    faultKind = "exit"    // user code ends its goroutine
	faultHang    faultKind = "hang"    // user code does nothing for a time
	faultStuck   faultKind = "stuck"   // user code returns only when its context ends
	faultFlip    faultKind = "flip"    // a bit of a stored replica flips
	faultSpill   faultKind = "spill"   // for a time, some reads of spills fail or flip a bit
	faultFull    faultKind = "full"    // for a time, the disk of spills is full
	faultOutput  faultKind = "output"  // for a time, writes of outputs fail
	faultKillJob faultKind = "killjob" // a user kills a job
	faultTracker faultKind = "tracker" // the JobTracker panics and restarts, in half of the plans from its log
)

// mishap is one fault in a plan. Its kind decides which fields apply.
type mishap struct {
	at    time.Duration
	kind  faultKind
	node  int
	job   int
	task  int
	count int
	long  time.Duration
}

// String returns text such as "3.2s: cut node-02 for 12s".
func (f mishap) String() string {
	s := fmt.Sprintf("%v: %s", f.at, f.kind)
	switch f.kind {
	case faultKill, faultStop, faultStart:
		return fmt.Sprintf("%s node-%02d", s, f.node)
	case faultCordon, faultCut:
		return fmt.Sprintf("%s node-%02d for %v", s, f.node, f.long)
	case faultNet:
		return fmt.Sprintf("%s 1 in %d for %v", s, f.count, f.long)
	case faultError, faultPanic, faultExit, faultStuck:
		return fmt.Sprintf("%s job %d task %d, %d times", s, f.job, f.task, f.count)
	case faultHang:
		return fmt.Sprintf("%s job %d task %d for %v", s, f.job, f.task, f.long)
	case faultKillJob:
		return fmt.Sprintf("%s %d", s, f.job)
	case faultFlip:
		return fmt.Sprintf("%s block %d on node-%02d", s, f.task, f.node)
	case faultTracker:
		return s
	default:
		return fmt.Sprintf("%s for %v", s, f.long)
	}
}

// chaosPlan has the faults of one run, in order of time.
type chaosPlan struct {
	seed   uint64
	faults []mishap
	kept   []int // numbers of these faults in the seed's full plan
}

// remembers reports whether the JobTracker has a State, so that its panic fails no job.
func (p chaosPlan) remembers() bool { return p.has(faultTracker) && p.seed%2 == 0 }

const (
	chaosNodes = 5
	chaosJobs  = 3
	chaosTime  = 20 * time.Second // within which faults begin
)

// drawPlan returns the plan of a seed.
func drawPlan(seed uint64) chaosPlan {
	rng := rand.New(rand.NewPCG(seed, 17))
	p := chaosPlan{seed: seed}
	for range 1 + rng.IntN(10) {
		p.faults = append(p.faults, drawFault(rng))
	}
	slices.SortStableFunc(p.faults, func(a, b mishap) int { return int(a.at - b.at) })
	for i := range p.faults {
		p.kept = append(p.kept, i)
	}
	return p
}

func drawFault(rng *rand.Rand) mishap {
	kinds := []faultKind{ // a kind that is listed twice is twice as frequent
		faultKill, faultKill, faultStop, faultStart, faultStart, faultCordon, faultCut, faultCut, faultNet, faultNet,
		faultError, faultPanic, faultExit, faultHang, faultStuck, faultFlip, faultSpill, faultFull, faultOutput, faultKillJob, faultTracker,
	}
	f := mishap{
		at:   time.Duration(rng.Int64N(int64(chaosTime))).Round(10 * time.Millisecond),
		kind: kinds[rng.IntN(len(kinds))],
		node: 1 + rng.IntN(chaosNodes-1), // the first one stays
		job:  rng.IntN(chaosJobs), task: rng.IntN(4), count: 1 + rng.IntN(5),
		long: []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}[rng.IntN(3)],
	}
	switch f.kind {
	case faultError, faultPanic, faultExit, faultHang, faultStuck, faultSpill, faultFull, faultOutput:
		f.at /= 8 // while the first attempts run
	case faultNet:
		f.count++
	default:
	}
	return f
}

// String returns the faults of the plan in one line.
func (p chaosPlan) String() string {
	var parts []string
	for _, f := range p.faults {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, "; ")
}

// replay returns a command line that runs this plan.
func (p chaosPlan) replay() string {
	var kept []string
	for _, i := range p.kept {
		kept = append(kept, strconv.Itoa(i))
	}
	return fmt.Sprintf("TARRY_SEED=%d TARRY_FAULTS=%s go test -run 'TestChaos$' ./actors", p.seed, strings.Join(kept, ","))
}

// only keeps the faults with the given numbers, such as "0,3"; "none" keeps none.
func (p chaosPlan) only(list string) (chaosPlan, error) {
	kept := chaosPlan{seed: p.seed}
	if list == "none" {
		return kept, nil
	}
	for number := range strings.SplitSeq(list, ",") {
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(p.faults) {
			return kept, fmt.Errorf("no fault %q of %d", number, len(p.faults))
		}
		kept.faults, kept.kept = append(kept.faults, p.faults[i]), append(kept.kept, i)
	}
	return kept, nil
}

// panics returns how often the JobTracker panics.
func (p chaosPlan) panics() (n int) {
	for _, f := range p.faults {
		if f.kind == faultTracker {
			n++
		}
	}
	return n
}

// has reports whether the plan has a fault with one of the kinds.
func (p chaosPlan) has(kinds ...faultKind) bool {
	return slices.ContainsFunc(p.faults, func(f mishap) bool { return slices.Contains(kinds, f.kind) })
}

// shrink removes faults as long as the plan still fails. It tries each removal several times,
// because the seed does not determine the order of goroutines.
func (p chaosPlan) shrink(fails func(chaosPlan) bool) chaosPlan {
	for i := range slices.Backward(p.faults) {
		for range 3 {
			q := chaosPlan{p.seed, slices.Delete(slices.Clone(p.faults), i, i+1), slices.Delete(slices.Clone(p.kept), i, i+1)}
			if fails(q) {
				p = q
				break
			}
		}
	}
	return p
}
