package simulator

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
)

// LEEN names a placement of reduces for Policy.Reduce.Part: each reduce of a job whose keys LEEN
// has divided runs on the node chosen for its keys; any other reduce runs anywhere.
//
// The keys of workload.Job.Keys are divided once, when all maps are done: the shuffle waits until
// then [Ibrahim10], and maps that rerun find the keys divided. The bytes of each key on each node
// are known exactly. A reduce waits for its node without limit.
const LEEN = "leen"

// divideKeys assigns each key to one of the nodes with map outputs, by LEEN [Ibrahim10, MEM]:
//
//  1. Keys are ordered by fairness over locality, descending: the standard deviation of a key's
//     bytes over the nodes, divided by the largest fraction of the key on one node.
//  2. A key is offered to its nodes, most bytes first. It goes to the first node that the next one
//     would not beat in fairness: the standard deviation over the nodes of what each must reduce,
//     where unassigned keys count at the nodes that store them.
//
// bytes[k][n] is the number of bytes of key k on node n. Ties go to the lower key and node.
func divideKeys(bytes [][]float64) (node []int) {
	node = make([]int, len(bytes))
	if len(bytes) == 0 {
		return node
	}
	load := make([]float64, len(bytes[0]))
	ranks := make([]float64, len(bytes))
	keys := make([]int, len(bytes))
	for k, held := range bytes {
		sum := 0.0
		for n, b := range held {
			load[n] += b
			sum += b
		}
		if keys[k] = k; sum > 0 {
			ranks[k] = deviation(held) / (slices.Max(held) / sum)
		}
	}
	slices.SortStableFunc(keys, func(a, b int) int { return cmp.Compare(ranks[b], ranks[a]) })
	for _, k := range keys {
		node[k] = giveKey(bytes[k], load)
	}
	return node
}

// giveKey returns the node of a key by step 2 of divideKeys, and moves its bytes there in load.
func giveKey(held, load []float64) int {
	order := make([]int, len(held))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(held[b], held[a]) })
	sum := 0.0
	for n, b := range held {
		load[n] -= b
		sum += b
	}
	score := func(n int) float64 {
		load[n] += sum
		defer func() { load[n] -= sum }()
		return deviation(load)
	}
	i := 0
	for now := score(order[0]); i+1 < len(order); i++ {
		next := score(order[i+1])
		if next >= now {
			break
		}
		now = next
	}
	load[order[i]] += sum
	return order[i]
}

// deviation returns the standard deviation of numbers.
func deviation(x []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / float64(len(x)))
}

// divide divides the keys of a job, all of whose maps are done, among the nodes with the most
// output, as many as the job has reduces. Output on other nodes must move anyway and has no weight.
// If nodes with outputs are fewer than the reduces, the remaining reduces get no keys.
func (s *sim) divide(j *simJob) {
	o := j.out
	var hosts []int32
	for n, bytes := range o.byNode {
		if bytes > 0 {
			hosts = append(hosts, int32(n))
		}
	}
	slices.SortStableFunc(hosts, func(a, b int32) int { return cmp.Compare(o.byNode[b], o.byNode[a]) })
	hosts = hosts[:min(len(hosts), j.spec.Reduces)]
	of := map[int32]int{}
	for p, n := range hosts {
		of[n] = p
	}
	bytes := make([][]float64, j.spec.Keys.Count)
	for k := range bytes {
		bytes[k] = make([]float64, len(hosts))
	}
	for m, n := range o.holder {
		p, host := of[n]
		if !host {
			continue
		}
		weight := j.keyWeights(m)
		total := 0.0
		for _, w := range weight {
			total += w
		}
		for k, w := range weight {
			bytes[k][p] += float64(j.outputOf(m)) * w / total
		}
	}
	o.assign = make([]int32, len(bytes))
	if len(hosts) > 0 {
		for k, p := range divideKeys(bytes) {
			o.assign[k] = int32(p)
		}
	}
	o.hosts = slices.Repeat([]int32{-1}, j.spec.Reduces)
	copy(o.hosts, hosts)
	for m, n := range o.holder {
		s.addParts(j, n, int32(m), 1)
	}
}

// keyWeights returns a weight per key: the map's output is divided in proportion to them.
func (j *simJob) keyWeights(m int) []float64 {
	keys := &j.spec.Keys
	weight := make([]float64, keys.Count)
	for k := range weight {
		weight[k] = math.Pow(float64(k+1), -keys.Zipf) * lognormal(draw(j.seed, 4, uint64(m), uint64(k)), keys.Spread)
	}
	return weight
}

// keyParts returns a weight per partition: the sum of keyWeights over the keys assigned to it.
func (j *simJob) keyParts(m int) []float64 {
	weight := make([]float64, j.spec.Reduces)
	for k, w := range j.keyWeights(m) {
		weight[j.out.assign[k]] += w
	}
	return weight
}

// hashKeys returns the partition of each key, chosen by a hash.
func (j *simJob) hashKeys() []int32 {
	list := make([]int32, j.spec.Keys.Count)
	for k := range list {
		list[k] = int32(draw(j.seed, 5, uint64(k)) % uint64(j.spec.Reduces))
	}
	return list
}

// leenPlacement is LEEN for one Core: it launches each reduce on the node that divide has chosen
// for its partition (simJob.out.hosts; -1: any node).
type leenPlacement struct{ s *sim }

// Place implements scheduling.ReducePlacement.
func (a *leenPlacement) Place(_ scheduling.View, o scheduling.Offer) int32 {
	j := a.s.byID[o.Job]
	for i := range o.Waiting {
		if j.spec.Keys.Count == 0 {
			return i
		}
		if h := j.out.hosts; h != nil && (h[i] < 0 || h[i] == int32(o.Node)) {
			return i
		}
	}
	return -1
}
