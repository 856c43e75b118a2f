package serve

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
)

// metrics are the server's figures for Prometheus.
type metrics struct {
	server   *Server
	requests *prometheus.CounterVec
	handler  http.Handler
}

// maxLabels is the maximum number of pools with metrics of their own.
const maxLabels = 200

var kinds = [2]string{"map", "reduce"}

func newMetrics(s *Server) *metrics {
	m, registry := &metrics{server: s}, prometheus.NewRegistry()
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tarry_http_requests_total", Help: "Requests by route, method and status.",
	}, []string{"route", "method", "code"})
	registry.MustRegister(m, m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// serve answers GET /metrics.
func (m *metrics) serve(w http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	m.handler.ServeHTTP(w, r)
	return nil, nil
}

// counted returns a handler that counts the requests that next has answered.
func (m *metrics) counted(next http.HandlerFunc) http.Handler {
	route := func(r *http.Request) string { return cmp.Or(r.Pattern, "none") } // next has set the pattern
	return promhttp.InstrumentHandlerCounter(m.requests, next, promhttp.WithLabelFromRequest("route", route))
}

// Describe implements prometheus.Collector; without descriptions, those that Collect sends count.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	// A name that ends with _total is a counter's.
	emit := func(name, help string, v float64, labels prometheus.Labels) {
		kind := prometheus.GaugeValue
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		ch <- prometheus.MustNewConstMetric(prometheus.NewDesc("tarry_"+name, help, nil, labels), kind, v)
	}
	s := m.server
	states := map[string]int{}
	for _, j := range s.ledger.all() {
		states[s.view(j, nil).State]++
	}
	for state, n := range states {
		emit("jobs", "Jobs by state.", float64(n), prometheus.Labels{"state": state})
	}
	_ = s.cluster.Inspect(func(v scheduling.View) { collectCluster(v, emit) }) // a closed cluster has no figures
	counts, local := s.events.figures()
	for t, n := range counts {
		emit("events_total", "Events of the cluster by type.", float64(n), prometheus.Labels{"type": t.String()})
	}
	for i, name := range distances {
		emit("maps_launched_total", "Launched maps by locality.", float64(local[i]), prometheus.Labels{"locality": name})
	}
	emit("event_streams", "Streams of events that are read now.", float64(s.events.streams.Load()), nil)
	emit("connections", "Open connections.", float64(s.connections.open.Load()), nil)
	emit("connections_refused_total", "Connections closed at once because there were too many.", float64(s.connections.refused.Load()), nil)
}

// collectCluster emits the figures of nodes and pools.
func collectCluster(v scheduling.View, emit func(name, help string, v float64, labels prometheus.Labels)) {
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
		emit("nodes", "Nodes by state.", float64(n), prometheus.Labels{"state": state})
	}
	for k, kind := range kinds {
		emit("slots", "Slots of live nodes.", float64(slots[k]), prometheus.Labels{"kind": kind})
		emit("slots_running", "Slots that run an attempt.", float64(running[k]), prometheus.Labels{"kind": kind})
	}
	pools := poolsOf(v)
	for _, p := range pools[:min(len(pools), maxLabels)] {
		for k, t := range []api.PoolTasks{p.Maps, p.Reduces} {
			of := prometheus.Labels{"pool": p.Name, "kind": kinds[k]}
			emit("pool_running", "Slots that a pool or queue holds.", float64(t.Running), of)
			emit("pool_demand", "Slots that a pool or queue could use.", float64(t.Demand), of)
			if t.Share != nil {
				emit("pool_share", "Fair share of a pool in slots.", *t.Share, of)
			}
		}
	}
}
