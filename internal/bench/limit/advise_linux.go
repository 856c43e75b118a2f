package limit

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. Advice only: where it is refused, small pages serve.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
