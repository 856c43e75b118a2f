package core

import "github.com/tarry-mr/tarry/scheduling/calls"

// end is the last step of a call that changes the Core: it settles the Core and records the call.
func (c *Core) end(call calls.Call) {
	c.settle()
	c.record(call)
}

// record passes a call to Config.Calls, if set.
func (c *Core) record(call calls.Call) {
	if c.Config.Calls != nil {
		c.pass(call)
	}
}

// pass calls Config.Calls. It is a separate function so that only recorded calls are on the heap.
func (c *Core) pass(call calls.Call) { c.Config.Calls(&call) }
