package access_test

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

func ExampleRules_Admit() {
	submit, _ := access.ParseList("ann,bob production")
	rules := access.Rules{Access: access.Control{
		Enabled: true,
		Queues: []access.Queue{
			{Name: "production", Submit: submit},
			{Name: "default", Submit: access.List{Everybody: true}},
		},
	}, PoolProperty: access.PropertyQueue}
	eve := access.Principal{User: "eve", Groups: []string{"guests"}}

	job := scheduling.JobSpec{Queue: "default"}
	fmt.Println(rules.Admit(&job, eve, false), job.Pool)
	job = scheduling.JobSpec{Queue: "default", Pool: "production"}
	fmt.Println(rules.Admit(&job, eve, false))
	// Output:
	// <nil> default
	// user eve may not submit to production: acl-submit-job of production admits "ann,bob production"
}
