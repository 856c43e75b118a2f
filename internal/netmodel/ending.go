package netmodel

import "container/heap"

// byEnd is a Network whose ending is a heap: the flow that ends first is its root; of flows that
// end at once, that with the smallest number.
type byEnd Network

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (w *byEnd) Len() int { return len(w.ending) }

func (w *byEnd) Less(i, k int) bool {
	a, b := w.ending[i], w.ending[k]
	x, y := w.flows[a].ends, w.flows[b].ends
	return x < y || x == y && a < b
}

func (w *byEnd) Swap(i, k int) {
	w.ending[i], w.ending[k] = w.ending[k], w.ending[i]
	w.flows[w.ending[i]].pos, w.flows[w.ending[k]].pos = int32(i), int32(k)
}

func (w *byEnd) Push(f any) {
	w.flows[f.(Flow)].pos = int32(len(w.ending))
	w.ending = append(w.ending, f.(Flow))
}

func (w *byEnd) Pop() any {
	f := w.ending[len(w.ending)-1]
	w.ending = w.ending[:len(w.ending)-1]
	w.flows[f].pos = -1
	return f
}

// enqueue adds a flow to the heap, or moves it after its end changed.
func (w *Network) enqueue(f Flow) {
	if at := w.flows[f].pos; at >= 0 {
		heap.Fix((*byEnd)(w), int(at))
		return
	}
	heap.Push((*byEnd)(w), f)
}

// dequeue removes a flow from the heap.
func (w *Network) dequeue(f Flow) { heap.Remove((*byEnd)(w), int(w.flows[f].pos)) }
