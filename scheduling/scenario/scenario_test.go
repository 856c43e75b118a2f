package scenario

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScenarios runs every scenario of package scheduling with each output format: all pass.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.scenario")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Run(&out, &errs, []string{file}, Options{})
			require.Equal(t, Passed, code, out.String()+errs.String())
			for _, opts := range []Options{{Verbose: true}, {JSON: true, Verbose: true}} { // the result is the same
				require.Equal(t, Passed, Run(&out, &errs, []string{file}, opts))
			}
		})
	}
}
