package allocation_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

func ExampleParseFair() {
	file := `<allocations>
  <pool name="production"><minMaps>40</minMaps><weight>2</weight></pool>
  <userMaxJobsDefault>3</userMaxJobsDefault>
</allocations>`
	fair, _, err := allocation.ParseFair("fair-scheduler.xml", strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	p := fair.Pools[0]
	fmt.Println(p.Name, p.Min[scheduling.Map], p.Weight)
	_, _, err = allocation.ParseFair("fair-scheduler.xml", strings.NewReader(strings.Replace(file, "40", "-40", 1)))
	fmt.Println(err)
	// Output:
	// production 40 2
	// fair-scheduler.xml:2: pool production: minMaps: -40 is negative
}

func ExampleRules_Admit() {
	submit, _ := allocation.ParseList("ann,bob production")
	rules := allocation.Rules{Access: allocation.Access{
		Enabled: true,
		Queues: []allocation.QueueAccess{
			{Name: "production", Submit: submit},
			{Name: "default", Submit: allocation.List{Everybody: true}},
		},
	}, PoolProperty: allocation.PropertyQueue}
	eve := allocation.Principal{User: "eve", Groups: []string{"guests"}}

	job := scheduling.JobSpec{Queue: "default"}
	fmt.Println(rules.Admit(&job, eve, false), job.Pool)
	job = scheduling.JobSpec{Queue: "default", Pool: "production"}
	fmt.Println(rules.Admit(&job, eve, false))
	// Output:
	// <nil> default
	// user eve may not submit to production: acl-submit-job of production admits "ann,bob production"
}
