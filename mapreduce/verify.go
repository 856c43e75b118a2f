package mapreduce

import (
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// verify is called when work on sources has ended. If one of them has changed meanwhile, that is
// the outcome, whatever it seemed to be: a file that shrank shows zeros up to the end of its last
// page, and faults only beyond. With held set, work that went well is not asked about sources that
// nobody looks into any more.
func verify(err *error, sources []Source, held bool) {
	for _, s := range sources {
		file, ok := s.Data.(interface {
			Unchanged() error
			Views() int
		})
		if !ok || held && *err == nil && file.Views() == 0 {
			continue
		}
		changed := file.Unchanged()
		if changed == nil {
			continue
		}
		fault, _ := errors.AsType[*fault.AccessError](*err)
		if *err != nil && fault == nil && !errors.Is(*err, ErrInputChanged) {
			changed = fmt.Errorf("%w: %w", changed, *err)
		}
		*err = changed
		return
	}
	if fault, ok := errors.AsType[*fault.AccessError](*err); ok {
		*err = fault.Cause()
	}
}
