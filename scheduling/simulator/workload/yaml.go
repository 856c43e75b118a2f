package workload

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/internal/yamlfile"
)

// ReadYAML reads a workload file in this program's own format:
//
//	name: two pools
//	block: 128MiB               # of inputs given in maps; default 128MiB
//	files:
//	  - {name: logs, blocks: 1440, replicas: 3}
//	jobs:
//	  - name: scan              # all lines are optional except maps or input
//	    count: 20               # number of jobs, scan-1 … scan-20
//	    gap: exponential 14s    # between them, and before the first one of the next entry
//	    at: 10s                 # arrival of the first; or after: NAME
//	    maps: uniform 5 500     # or input: 64GB, in blocks
//	    file: logs
//	    reduces: 3
//	    shuffle: 10GB           # of all maps; or shuffle_ratio: 0.25 of the input
//	    output: 1GB             # or output_ratio
//	    map_time: 12s           # computing besides reading
//	    reduce_time: 1m
//	    spread: 0.2             # sigma of a lognormal factor on each task's computing time
//	    setup: 1s
//	    cpu: 2
//	    skew: {zipf: 1, shares: 0.5, cells: 0.2}
//	    keys: {count: 400, zipf: 0.8, spread: 1}
//	    pool: research
//	    user: ann
//	    queue: default
//	    priority: HIGH
//	    class: small
//	    slow_start: 0.5
//	    slots: 1
//	    no_suspend: true
//	    no_location: true
//	    known_times: true
//
// Numbers, sizes and times may be distributions ("14", "exponential 14s", "uniform 5 500",
// "lognormal 100 1.2", "zipf 20 1"), drawn from r for each job. Errors wrap ErrFormat and start
// with file, line and column; an unknown key is an error.
func ReadYAML(in io.Reader, name string, r *rand.Rand) (Workload, error) {
	p := yamlReader{
		Reader: yamlfile.Reader{Name: name, Bad: ErrFormat}, r: r, block: DefaultBlock, files: map[string]int{},
	}
	root, err := p.Root(in)
	if err != nil {
		return Workload{}, err
	}
	err = p.Mapping(root, map[string]yamlfile.Field{
		"name":  p.text(&p.w.Name),
		"block": func(n yamlfile.Node) error { return p.bytes(&p.block)(n) },
		"files": func(n yamlfile.Node) error { return p.Each(n, p.readFile) },
		"jobs":  func(n yamlfile.Node) error { p.jobs = n; return nil }, // after block and files, in any order in the file
	})
	if err != nil {
		return Workload{}, err
	}
	if p.jobs == nil {
		return Workload{}, p.Fault(root, "no jobs in it")
	}
	if p.block < 1 {
		return Workload{}, p.Fault(root, "block of %d bytes", p.block)
	}
	if err := p.Each(p.jobs, p.readJob); err != nil {
		return Workload{}, err
	}
	p.sort()
	if err := p.w.Validate(); err != nil {
		return Workload{}, refuse(name, 1, "%v", err)
	}
	return p.w, nil
}

// yamlReader parses one file.
type yamlReader struct {
	yamlfile.Reader
	r      *rand.Rand
	w      Workload
	block  int64
	files  map[string]int
	jobs   yamlfile.Node
	tasks  int           // of all jobs so far
	blocks int64         // of all files so far, times their replicas
	at     time.Duration // start of the next entry without a time
}

// text returns a parser of a YAML value that stores it in *to as a string.
func (p *yamlReader) text(to *string) yamlfile.Field {
	return yamlfile.Value(&p.Reader, to, func(s string) (string, error) {
		if len(s) > maxNameLen {
			return "", fmt.Errorf("name of %d bytes", len(s))
		}
		return s, nil
	})
}

// dist returns a parser of a YAML value that stores it in *to as a distribution; see ParseDist.
func (p *yamlReader) dist(to **Dist, number func(string) (float64, error)) yamlfile.Field {
	return yamlfile.Value(&p.Reader, to, func(s string) (*Dist, error) {
		d, err := ParseDist(s, number)
		if err != nil {
			if v, whole := number(s); whole == nil { // a size with a space: 1.5 GB
				return &Dist{A: v}, nil
			}
		}
		return &d, err
	})
}

// bytes returns a parser of a YAML value such as 128MiB that stores it in *to as bytes.
func (p *yamlReader) bytes(to *int64) yamlfile.Field {
	return yamlfile.Value(&p.Reader, to, func(s string) (int64, error) {
		f, err := ParseBytes(s)
		return int64(f), err
	})
}

// count returns a parser of a YAML value that stores it in *to: a whole number from 1 to high.
func (p *yamlReader) count(to *int, high int) yamlfile.Field {
	return yamlfile.Value(&p.Reader, to, func(s string) (int, error) {
		f, err := ParsePlain(s, float64(high))
		if err != nil || f != float64(int(f)) || f < 1 {
			return 0, fmt.Errorf("%.40q is not a whole number from 1 to %d", s, high)
		}
		return int(f), nil
	})
}

// plain returns a parser of a YAML value that stores it in *to: a number from 0 to top.
func (p *yamlReader) plain(to *float64, top float64) yamlfile.Field {
	return yamlfile.Value(&p.Reader, to, func(s string) (float64, error) { return ParsePlain(s, top) })
}

// given is like plain, but *to stays nil if the file lacks the key.
func (p *yamlReader) given(to **float64, top float64) yamlfile.Field {
	return yamlfile.Value(&p.Reader, to, func(s string) (*float64, error) {
		x, err := ParsePlain(s, top)
		return &x, err
	})
}
