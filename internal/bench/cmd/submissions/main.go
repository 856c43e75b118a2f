// Command submissions, for internal/tools/bench-serve.sh, submits tiny jobs to a server at a steady
// rate. `submissions URL IN` waits until all have ended, and fails if one is lost.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// load is the work for the server: jobs over input, submitted at a steady rate.
type load struct {
	client  *api.Client
	input   string
	rate    int // jobs a second
	seconds int
	clients int // that submit; each waits for an answer before it submits again
}

func main() {
	l := load{client: &api.Client{}}
	flag.IntVar(&l.rate, "rate", 1000, "jobs a second")
	flag.IntVar(&l.seconds, "seconds", 60, "for so long")
	flag.IntVar(&l.clients, "clients", 100, "clients that share the work")
	most := flag.Duration("p99", 0, "fail if the 99th percentile is above; 0 is any")
	flag.Parse()
	if flag.NArg() != 2 || l.rate < 1 || l.seconds < 1 || l.clients < 1 {
		fmt.Fprintln(os.Stderr, "usage: submissions [flags] URL IN")
		os.Exit(2)
	}
	l.client.Base, l.input = flag.Arg(0), flag.Arg(1)
	if err := l.run(context.Background(), *most); err != nil {
		log.Fatal(err)
	}
}

// run submits the jobs, waits for their end, prints the latencies and checks all outputs.
func (l *load) run(ctx context.Context, most time.Duration) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = l.clients, l.clients
	l.client.HTTP = &http.Client{Transport: transport}
	began := time.Now()
	late, took, err := l.submit(ctx, began)
	if err != nil {
		return err
	}
	submitted := time.Since(began)
	ended, err := l.await(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d jobs in %.1f s, all done after %.1f s\n", len(late), submitted.Seconds(), ended.Sub(began).Seconds())
	p99 := tell("answer after the call", took)
	p99 = max(p99, tell("answer after the time at which the call was due", late))
	if most > 0 && p99 > most {
		return fmt.Errorf("p99 %v: want at most %v", p99, most)
	}
	return l.count(ctx, len(late))
}

// submit returns when each submission was answered: since it was due, and since the call.
func (l *load) submit(ctx context.Context, began time.Time) (late, took []time.Duration, err error) {
	total := l.rate * l.seconds
	late, took = make([]time.Duration, total), make([]time.Duration, total)
	errs := make([]error, l.clients)
	var all sync.WaitGroup
	for c := range l.clients {
		all.Go(func() {
			for i := c; i < total; i += l.clients {
				due := began.Add(time.Duration(i) * time.Second / time.Duration(l.rate))
				time.Sleep(time.Until(due))
				at := time.Now()
				_, err := l.client.Submit(ctx, api.Submission{
					Job: "wordcount", Args: []string{l.input, "-o", fmt.Sprintf("dfs:out/%d", i), "--reduces", "1"},
				}, fmt.Sprint("submission ", i))
				if err != nil {
					errs[c] = fmt.Errorf("job %d: %w", i, err)
					return
				}
				late[i], took[i] = time.Since(due), time.Since(at)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return late, took, nil
}

// await waits until the server has no waiting or running job, and returns the time.
func (l *load) await(ctx context.Context) (time.Time, error) {
	for {
		open := 0
		for _, state := range []string{api.Waiting, api.Running} {
			list, err := l.client.Jobs(ctx, state, "")
			if err != nil {
				return time.Time{}, err
			}
			open += len(list)
		}
		if open == 0 {
			return time.Now(), nil
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// count reads the output of each job, and fails if one is missing or differs from the first.
func (l *load) count(ctx context.Context, total int) error {
	first, err := l.output(ctx, 0)
	if err != nil {
		return err
	}
	errs := make([]error, l.clients)
	var all sync.WaitGroup
	for c := range l.clients {
		all.Go(func() {
			for i := c; i < total && errs[c] == nil; i += l.clients {
				text, err := l.output(ctx, i)
				if err == nil && text != first {
					err = fmt.Errorf("job %d wrote %q, job 0 %q", i, text, first)
				}
				errs[c] = err
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Printf("%d outputs were read: none is lost\n", total)
	return nil
}

// output returns the output of job i.
func (l *load) output(ctx context.Context, i int) (string, error) {
	r, err := l.client.Get(ctx, fmt.Sprintf("out/%d/part-r-00000", i))
	if err != nil {
		return "", fmt.Errorf("job %d: %w", i, err)
	}
	text, err := io.ReadAll(r)
	return string(text), errors.Join(err, r.Close())
}

// tell prints quantiles of durations, and returns the 99th percentile.
func tell(what string, list []time.Duration) time.Duration {
	slices.Sort(list)
	at := func(p float64) time.Duration { return list[int(p*float64(len(list)-1))] }
	p99 := at(0.99)
	fmt.Printf("%s: p50 %v, p95 %v, p99 %v, p99.9 %v, max %v\n", what, at(0.5), at(0.95), p99, at(0.999), list[len(list)-1])
	return p99
}
