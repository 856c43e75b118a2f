package input

import (
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Verify is called after work that read sources, with its error. If a source has changed meanwhile,
// it sets *err to that: a file that shrank shows zeros up to the end of its last page, and faults
// only beyond. With held set, it checks only sources with open Views if the work succeeded.
func Verify(err *error, sources []Source, held bool) {
	for _, s := range sources {
		data := s.Data
		if user, ok := data.(*guardedSource); ok {
			data = user.Source
		}
		file, ok := data.(interface{ Unchanged() error })
		if views, counts := data.(interface{ Views() int }); !ok || held && *err == nil && !(counts && views.Views() > 0) {
			continue
		}
		changed := fault.Step(file.Unchanged)
		if changed == nil {
			continue
		}
		access, _ := errors.AsType[*fault.AccessError](*err)
		if *err != nil && access == nil && !errors.Is(*err, dfs.ErrChanged) {
			changed = fmt.Errorf("%w: %w", changed, *err)
		}
		*err = changed
		return
	}
	if access, ok := errors.AsType[*fault.AccessError](*err); ok {
		*err = access.Cause()
	}
}
