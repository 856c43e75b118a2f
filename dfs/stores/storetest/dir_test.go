package storetest

import "testing"

func TestDir(t *testing.T) { Run(t, &Dir{Root: t.TempDir()}, "a/b") }
