package scheduling_test

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// A job's map waits for the node with its data: the other node asks first and gets nothing, and the
// Core says why.
func ExampleCore() {
	policy, _ := scheduling.Preset("hfs")
	core, _ := scheduling.NewCore(scheduling.Config{Explain: true}, policy)
	far, _ := core.Join(0, scheduling.Node{Name: "far", Rack: "r1", MapSlots: 1})
	near, _ := core.Join(0, scheduling.Node{Name: "near", Rack: "r2", MapSlots: 1})
	_, _ = core.Submit(0, scheduling.JobSpec{
		Name: "count", Maps: 1,
		Places: scheduling.Places{Offsets: []int32{0, 1}, Nodes: []scheduling.NodeID{near}},
	})

	answer, _ := core.Heartbeat(time.Second, scheduling.Heartbeat{Node: far})
	fmt.Println(len(answer.Actions), core.View().Skips()[0].Reason)
	answer, _ = core.Heartbeat(2*time.Second, scheduling.Heartbeat{Node: near})
	for _, o := range answer.Actions {
		fmt.Println(o.Verb, o.Attempt, o.Locality)
	}
	// Output:
	// 0 waiting for locality
	// launch job_0001_m_000000_0 node-local
}
