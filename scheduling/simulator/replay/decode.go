package replay

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/event"
)

// Decode parses a line of JSON as an event. It ignores fields that only live runs write and that a
// replay does not need.
func Decode(line []byte) (e event.Event, err error) {
	if err = json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not an event: %w", err)
	}
	if e.Type == 0 {
		return e, errors.New("not an event: it has no type")
	}
	return e, nil
}
