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
