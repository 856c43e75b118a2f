package allocation_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

func ExampleRead() {
	file := `<allocations>
  <pool name="production"><minMaps>40</minMaps><weight>2</weight></pool>
  <userMaxJobsDefault>3</userMaxJobsDefault>
</allocations>`
	read := func(text string) (allocation.Files, error) {
		return allocation.Read(allocation.Source{Name: "fair-scheduler.xml", Reader: strings.NewReader(text)})
	}
	files, err := read(file)
	if err != nil {
		log.Fatal(err)
	}
	p := files.Pools.Pools[0]
	fmt.Println(p.Name, p.Min[scheduling.Map], p.Weight)
	_, err = read(strings.Replace(file, "40", "-40", 1))
	fmt.Println(err)
	// Output:
	// production 40 2
	// fair-scheduler.xml:2: pool production: minMaps: -40 is negative
}
