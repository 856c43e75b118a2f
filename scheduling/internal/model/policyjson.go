package model

import (
	"encoding/json"
	"fmt"
	"math"
)

// plainHFSP has the fields of HFSPPolicy but not its methods, so that encoding does not recurse.
type plainHFSP HFSPPolicy

// infinite represents an infinite Xi in JSON, which has no such number.
const infinite = "+Inf"

// MarshalJSON implements [json.Marshaler]: an infinite Xi is written as "+Inf".
func (p HFSPPolicy) MarshalJSON() ([]byte, error) {
	if !math.IsInf(p.Xi, 1) {
		return json.Marshal(plainHFSP(p))
	}
	return json.Marshal(struct {
		plainHFSP
		Xi string
	}{plainHFSP(p), infinite})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *HFSPPolicy) UnmarshalJSON(b []byte) error {
	in := struct {
		*plainHFSP
		Xi json.RawMessage
	}{plainHFSP: (*plainHFSP)(p)}
	if err := json.Unmarshal(b, &in); err != nil || in.Xi == nil {
		return err
	}
	if string(in.Xi) == `"`+infinite+`"` {
		p.Xi = math.Inf(1)
		return nil
	}
	if err := json.Unmarshal(in.Xi, &p.Xi); err != nil {
		return fmt.Errorf("scheduling: Xi: want a number or %q: %w", infinite, err)
	}
	return nil
}
