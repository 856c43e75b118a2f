package calls

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Replay rejects a recorded job with more than maxReplayed maps or reduces.
func TestRecordedJobsHaveALimit(t *testing.T) {
	for _, x := range []struct {
		maps, reduces int
		fits          bool
	}{
		{maxReplayed, maxReplayed, true},
		{maxReplayed + 1, 0, false},
		{0, maxReplayed + 1, false},
	} {
		for _, op := range []Op{Submit, Resume} {
			err := (&Call{Op: op, Submit: &model.JobSpec{Maps: x.maps, Reduces: x.reduces}}).Complete()
			if x.fits {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, ErrReplay)
			}
		}
	}
}

// A Writer writes nothing after its first error, and Err returns that error.
func TestWriterKeepsTheFirstError(t *testing.T) {
	w := &failing{errs: []error{nil, errors.New("first"), errors.New("second"), nil}}
	log := NewWriter(w)
	for range 4 {
		log.Write(&Call{Op: Update})
	}
	require.EqualError(t, log.Err(), "first")
	require.Len(t, w.errs, 2, "it writes no more")
}

// failing is a writer whose calls return the errors of a list in turn.
type failing struct {
	bytes.Buffer
	errs []error
}

func (f *failing) Write(b []byte) (int, error) {
	err := f.errs[0]
	f.errs = f.errs[1:]
	return len(b), err
}
