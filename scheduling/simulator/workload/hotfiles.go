package workload

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"
)

// HotFiles draws scans of a few popular files: each job reads the whole of one, chosen by Zipf's
// law with the given exponent. Files have 2 to 20 blocks; gap is the distribution of the seconds
// between jobs. The job's class is the popularity of its file.
func HotFiles(r *rand.Rand, jobs, files int, slope float64, gap Dist) Workload {
	w := Workload{Name: "hot-files"}
	for i := range files {
		w.Files = append(w.Files, File{Name: fmt.Sprintf("file%03d", i+1), Blocks: logUniform(r, 2, 20)})
	}
	rank := Dist{ZipfRank, float64(files), slope}
	var at time.Duration
	for i := range jobs {
		f := rank.Count(r, files)
		j := scan(fmt.Sprintf("scan%04d", i), w.Files[f-1].Blocks, 0)
		j.File, j.User, j.Submit, j.Class = f, fmt.Sprintf("user%04d", i), at, "other files"
		switch {
		case f == 1:
			j.Class = "hottest file"
		case f <= 10:
			j.Class = "next nine files"
		}
		w.Jobs = append(w.Jobs, j)
		at += gap.Span(r)
	}
	return w
}

// ReplicateHot adds replicas of the most-read files, as Scarlett does [Ananthanarayanan11], with
// knowledge of all jobs of the workload. Each further replica, of all blocks of a file, goes to the
// file with the most reads per replica; ties go to the first file. Files start with base replicas
// and get at most `most`. The added block replicas are at most the fraction budget of the existing
// ones. It returns the number of block replicas added. Jobs with an input of their own are
// unchanged.
func (w *Workload) ReplicateHot(base, most int, budget float64) int {
	reads := make([]float64, len(w.Files))
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.File > 0 {
			reads[j.File-1] += float64(min(j.Maps, w.Files[j.File-1].Blocks))
		}
	}
	left, all := 0.0, 0
	var hot hottest
	for i := range w.Files {
		f := &w.Files[i]
		if f.Replicas == 0 {
			f.Replicas = base
		}
		all += f.Blocks * f.Replicas
		if reads[i] > 0 {
			hot = append(hot, hotFile{f, i, reads[i] / float64(f.Blocks)})
		}
	}
	left = budget * float64(all)
	heap.Init(&hot)
	added := 0
	for len(hot) > 0 {
		f := hot[0].file
		if f.Replicas >= most || float64(added+f.Blocks) > left {
			heap.Pop(&hot) // too large for the rest: a smaller file may still fit
			continue
		}
		f.Replicas++
		added += f.Blocks
		heap.Fix(&hot, 0)
	}
	return added
}

// hotFile is a file with its index in Workload.Files and the number of reads per block.
type hotFile struct {
	file  *File
	index int
	reads float64
}

// hottest is a heap of files by reads per replica, highest first.
type hottest []hotFile

// Len implements heap.Interface.
func (h hottest) Len() int { return len(h) }

// Less implements heap.Interface.
func (h hottest) Less(i, k int) bool {
	a, b := h[i].reads/float64(h[i].file.Replicas), h[k].reads/float64(h[k].file.Replicas)
	return a > b || a == b && h[i].index < h[k].index
}

// Swap implements heap.Interface.
func (h hottest) Swap(i, k int) { h[i], h[k] = h[k], h[i] }

// Push implements heap.Interface.
func (h *hottest) Push(x any) { *h = append(*h, x.(hotFile)) }

// Pop implements heap.Interface.
func (h *hottest) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
