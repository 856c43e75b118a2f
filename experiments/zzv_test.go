package experiments

import (
	"testing"
	"testing/synctest"
	"time"
	"fmt"
)

func TestZZ(t *testing.T) {
	policies, _ := validationPolicies()
	for _, p := range policies {
		var a, b, c, d float64
		for seed := range uint64(12) {
			synctest.Test(t, func(t *testing.T) {
				jobs := validationJobs(seed, 40)
				live, err := runLive(t.Context(), jobs, p, 1, seed)
				if err != nil { t.Fatal(err) }
				live2, err := runLive(t.Context(), jobs, p, 1, seed)
				time.Sleep(time.Second) // the actor library's throttle of dead letters
				sim, err := simulated(t.Context(), jobs, p, live, validationUpdate, seed)
				if err != nil { t.Fatal(err) }
				sim2, err := simulated(t.Context(), jobs, p, live, validationUpdate, seed+100)
				fmt.Printf("%s %d: loc %.1f %.1f | %.1f %.1f  sojourn %.1f %.1f | %.1f %.1f  off %.1f %.1f\n", p.Name, seed, live.locality(), live2.locality(), sim.locality(), sim2.locality(), live.mean(), live2.mean(), sim.mean(), sim2.mean(), live.offRack(), sim.offRack())
				a += live.mean(); b+=live2.mean(); c+=sim.mean(); d+=sim2.mean()
			})
		}
		fmt.Println(p.Name, a/12, b/12, c/12, d/12)
	}
}
