package workload

import (
	"cmp"
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
func (w *Workload) ReplicateHot(base, most int, budget float64) (added int) {
	reads, all := make([]float64, len(w.Files)), 0 // by file: maps that read one of its blocks
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.File > 0 {
			reads[j.File-1] += float64(min(j.Maps, w.Files[j.File-1].Blocks))
		}
	}
	for i := range w.Files {
		f := &w.Files[i]
		f.Replicas = cmp.Or(f.Replicas, base)
		reads[i] /= float64(f.Blocks)
		all += f.Blocks * f.Replicas
	}
	for {
		hottest, rate := (*File)(nil), 0.0
		for i := range w.Files {
			f := &w.Files[i]
			fits := f.Replicas < most && float64(added+f.Blocks) <= budget*float64(all)
			if per := reads[i] / float64(f.Replicas); fits && per > rate {
				hottest, rate = f, per
			}
		}
		if hottest == nil {
			return added
		}
		hottest.Replicas++
		added += hottest.Blocks
	}
}
