package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDir(t *testing.T) { Run(t, &Dir{Root: t.TempDir()}, "a/b") }

// A directory is removed while files are created in it, as by a task that ends after its job.
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
