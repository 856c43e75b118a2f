package serve

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tarry-mr/tarry/scheduling"
)

// metrics are the server's figures for Prometheus.
type metrics struct {
	server      *Server
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	connections atomic.Int64
	refused     atomic.Int64 // connections over the limit
	handler     http.Handler
}

// maxLabels is the maximum number of pools with metrics of their own.
const maxLabels = 200

var kinds = [2]string{"map", "reduce"}

func newMetrics(s *Server) *metrics {
	m := &metrics{server: s, registry: prometheus.NewRegistry()}
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tarry_http_requests_total", Help: "Requests by route, method and status.",
	}, []string{"route", "method", "code"})
	m.registry.MustRegister(m, m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// serve answers GET /metrics.
func (m *metrics) serve(w http.ResponseWriter, r *http.Request, _ caller) error {
	m.handler.ServeHTTP(w, r)
	return nil
}

// count counts an answered request by its route and status.
func (m *metrics) count(r *http.Request, status int) {
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	method := r.Method
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodHead:
	default:
		method = "other" // bounds the labels that clients can create
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tarry_"+name, help, labels, nil)
}

var (
	jobsDesc     = describe("jobs", "Jobs by state.", "state")
	slotsDesc    = describe("slots", "Slots of live nodes.", "kind")
	runningDesc  = describe("slots_running", "Slots that run an attempt.", "kind")
	nodesDesc    = describe("nodes", "Nodes by state.", "state")
	poolRunDesc  = describe("pool_running", "Slots that a pool or queue holds.", "pool", "kind")
	poolWantDesc = describe("pool_demand", "Slots that a pool or queue could use.", "pool", "kind")
	poolFairDesc = describe("pool_share", "Fair share of a pool in slots.", "pool", "kind")
	eventsDesc   = describe("events_total", "Events of the cluster by type.", "type")
	localDesc    = describe("maps_launched_total", "Launched maps by locality.", "locality")
	streamsDesc  = describe("event_streams", "Streams of events that are read now.")
	openDesc     = describe("connections", "Open connections.")
	refusedDesc  = describe("connections_refused_total", "Connections closed at once because there were too many.")
)

// Describe implements prometheus.Collector; without descriptions, those that Collect sends count.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	s := m.server
	states := map[string]int{}
	for _, j := range s.jobs.all() {
		states[s.view(j, nil).State]++
	}
	for state, n := range states {
		gauge(jobsDesc, float64(n), state)
	}
	_ = s.cluster.Inspect(func(v scheduling.View) { m.collectCluster(v, gauge) }) // a closed cluster has no figures
	counts, local, streams := s.events.figures()
	for t, n := range counts {
		counter(eventsDesc, float64(n), t.String())
	}
	for i, name := range []string{"node-local", "rack-local", "off-rack", "any-place"} {
		counter(localDesc, float64(local[i]), name)
	}
	gauge(streamsDesc, float64(streams))
	gauge(openDesc, float64(m.connections.Load()))
	counter(refusedDesc, float64(m.refused.Load()))
}

// collectCluster emits the figures of nodes and pools.
func (m *metrics) collectCluster(v scheduling.View, gauge func(*prometheus.Desc, float64, ...string)) {
	var slots, running [2]int
	states := map[string]int{"up": 0, "cordoned": 0, "down": 0}
	for _, n := range v.Nodes() {
		states[nodeState(&n)]++
		for k := range kinds {
			if n.Live {
				slots[k] += n.Slots[k]
				running[k] += n.Running[k]
			}
		}
	}
	for state, n := range states {
		gauge(nodesDesc, float64(n), state)
	}
	for k, kind := range kinds {
		gauge(slotsDesc, float64(slots[k]), kind)
		gauge(runningDesc, float64(running[k]), kind)
	}
	pools := poolsOf(v)
	for _, p := range pools[:min(len(pools), maxLabels)] {
		for k, t := range map[string]struct {
			running, demand int
			share           *float64
		}{"map": {p.Maps.Running, p.Maps.Demand, p.Maps.Share}, "reduce": {p.Reduces.Running, p.Reduces.Demand, p.Reduces.Share}} {
			gauge(poolRunDesc, float64(t.running), p.Name, k)
			gauge(poolWantDesc, float64(t.demand), p.Name, k)
			if t.share != nil {
				gauge(poolFairDesc, *t.share, p.Name, k)
			}
		}
	}
}
