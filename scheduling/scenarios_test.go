package scheduling_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/scenario"
)

// In each scenario file of testdata, the Core gives every answer that the file expects.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.scenario")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := scenario.Run(&out, &errs, []string{file}, scenario.Options{})
			require.Equal(t, scenario.Passed, code, out.String()+errs.String())
		})
	}
}
