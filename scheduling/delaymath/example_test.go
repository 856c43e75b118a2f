package delaymath_test

import (
	"fmt"
	"log"
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// How long must a job of 20 maps wait on 100 nodes with 8 slots each, so that 95 % of its maps run
// node-local?
func ExampleSetup_ForLocality() {
	s := delaymath.Setup{Tasks: 20, Nodes: 100, Replication: 3, SlotsPerNode: 8, TaskTime: 20 * time.Second}
	p, err := s.ForLocality(0.95, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("D = %v, W1 = %v, locality %.3f, at least %.3f\n", p.D1, p.W1, p.Locality, p.LocalityBound)
	// Output:
	// D = 24, W1 = 600ms, locality 0.954, at least 0.953
}

// Which locality does a wait of 10 s give to a job of one map? Facebook had 620 nodes, on which 27
// slots became free each second.
func ExampleSetup_ForWaits() {
	s := delaymath.Setup{Tasks: 1, Nodes: 620, Replication: 3, SlotRate: 27}
	p, err := s.ForWaits(10*time.Second, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("D = %v, locality %.2f\n", p.D1, p.Locality)
	// Output:
	// D = 270, locality 0.73
}
