package allocation_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

func ExampleParseFair() {
	file := `<allocations>
  <pool name="production"><minMaps>40</minMaps><weight>2</weight></pool>
  <userMaxJobsDefault>3</userMaxJobsDefault>
</allocations>`
	fair, err := allocation.ParseFair("fair-scheduler.xml", strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	p := fair.Allocations.Pools[0]
	fmt.Println(p.Name, p.Min[scheduling.Map], p.Weight)
	_, err = allocation.ParseFair("fair-scheduler.xml", strings.NewReader(strings.Replace(file, "40", "-40", 1)))
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

// follow is the code of docs/configuration.md: start with the file in dir, let it change, and look
// at it once at the time later. After each it shows the policy that is in force.
func follow(dir string, now, later time.Time, change func(), show func(scheduling.Policy)) error {
	parse := func(content []byte) (allocation.Fair, error) {
		return allocation.ParseFair("fair-scheduler.xml", bytes.NewReader(content))
	}
	content, err := os.ReadFile(filepath.Join(dir, "fair-scheduler.xml"))
	if err != nil {
		return err
	}
	policy, err := scheduling.Preset("hfs")
	if err != nil {
		return err
	}
	reloader, fair, err := allocation.NewReloader(now, content, parse)
	if err != nil {
		return err // at the start every error is fatal
	}
	fair.Apply(&policy)
	core, err := scheduling.NewCore(scheduling.Config{}, policy)
	if err != nil {
		return err
	}
	show(policy)
	change()
	now, sinceStart := later, later.Sub(now)
	look := reloader.Check(now, os.DirFS(dir), "fair-scheduler.xml")
	if look.Report {
		log.Print(look.Err)
	}
	if look.Loaded {
		look.Value.Apply(&policy)
		err = core.Reconfigure(sinceStart, policy)
	}
	show(policy)
	return err
}
