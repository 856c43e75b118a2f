package mapreduce

import "github.com/tarry-mr/tarry/mapreduce/internal/read"

// Read calls yield with batches of the records that r reads. Tests choose the windows of r.
func (in Input[I]) Read(r *read.Reader, yield func(batch []I) error) error { return in.read(r, yield) }
