package netmodel

// enqueue adds a flow to the heap ordered by end times, or moves it after its end changed.
func (w *Network) enqueue(f Flow) {
	if w.flows[f].pos < 0 {
		w.flows[f].pos = int32(len(w.ending))
		w.ending = append(w.ending, f)
	}
	i := w.up(int(w.flows[f].pos))
	w.down(i)
}

// dequeue removes a flow from the heap ordered by end times.
func (w *Network) dequeue(f Flow) {
	i, last := int(w.flows[f].pos), len(w.ending)-1
	w.flows[f].pos = -1
	moved := w.ending[last]
	w.ending = w.ending[:last]
	if i < last {
		w.ending[i] = moved
		w.flows[moved].pos = int32(i)
		w.down(w.up(i))
	}
}

// earlier reports whether a ends before b or, if they end at once, has the smaller number.
func (w *Network) earlier(a, b Flow) bool {
	x, y := w.flows[a].ends, w.flows[b].ends
	return x < y || x == y && a < b
}

func (w *Network) up(i int) int {
	for i > 0 {
		parent := (i - 1) / 2
		if !w.earlier(w.ending[i], w.ending[parent]) {
			break
		}
		w.swap(i, parent)
		i = parent
	}
	return i
}

func (w *Network) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(w.ending) {
			return
		}
		if c+1 < len(w.ending) && w.earlier(w.ending[c+1], w.ending[c]) {
			c++
		}
		if !w.earlier(w.ending[c], w.ending[i]) {
			return
		}
		w.swap(i, c)
		i = c
	}
}

func (w *Network) swap(i, k int) {
	w.ending[i], w.ending[k] = w.ending[k], w.ending[i]
	w.flows[w.ending[i]].pos, w.flows[w.ending[k]].pos = int32(i), int32(k)
}
