package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDir(t *testing.T) { Run(t, &Dir{Root: t.TempDir()}, "a/b") }

// RemoveAll succeeds while files are created in the directory, as by a task that outlives its job.
func TestRemoveAllWhileFilesAppear(t *testing.T) {
	d := &Dir{Root: t.TempDir()}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := range 3000 {
			_ = d.CreateNew(fmt.Sprintf("out/x%d/f", i), nil) // its directory may be removed meanwhile
		}
	}()
	for {
		require.NoError(t, d.RemoveAll("out"))
		select {
		case <-ended:
			return
		default:
		}
	}
}

// Goroutines may abandon the same parts at once, as a job and a task that ends late do.
func TestAbandonAllAtOnce(t *testing.T) {
	d := &Dir{Root: t.TempDir()}
	for i := range 500 {
		p, err := d.Begin(fmt.Sprintf("out/x%d", i), "")
		require.NoError(t, err)
		require.NoError(t, p.Close())
	}
	errs := make(chan error)
	for range 4 {
		go func() { errs <- d.AbandonAll("out") }()
	}
	for range 4 {
		require.NoError(t, <-errs)
	}
	require.Empty(t, d.Begun())
}
