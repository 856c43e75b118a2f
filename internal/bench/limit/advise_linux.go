package limit

import "golang.org/x/sys/unix"

// adviseHuge asks the kernel for huge pages. If it refuses, b keeps small ones.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
