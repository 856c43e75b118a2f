package memory

// Gate detects emit calls at the wrong time: the functions that the engine passes to user code for
// emitting records call Sign, which panics while the gate is shut. The gate is open during a call
// of user code, and shut between calls and after the last. Sign at an open gate costs no more than
// the sign of life that it gives; opening and shutting a gate costs two stores.
type Gate struct {
	// Now is the Liveness to which Sign gives signs of life: life, or the shared one of all shut
	// gates; never nil. A hot loop may read its Asked directly and call Sign only if that is set.
	Now  *Liveness
	life *Liveness
}

// shut is always asked for a sign, unwatched never.
var (
	shut      = &Liveness{Asked: 1}
	unwatched = new(Liveness)
)

// Outside is the panic value of Sign at a shut gate.
const Outside = "mapreduce: emit was called outside of the call that it was given to: " +
	"kept for later, or from a goroutine that the call did not wait for"

// NewGate returns an open gate whose Sign gives signs of life to l, which may be nil.
func NewGate(l *Liveness) Gate {
	if l == nil {
		l = unwatched
	}
	return Gate{Now: l, life: l}
}

// Open opens the gate: user code is called, and may emit.
func (g *Gate) Open() { g.Now = g.life }

// Shut shuts the gate: an emit function called now panics.
func (g *Gate) Shut() { g.Now = shut }

// Sign gives a sign of life to the observer, which enforces the task timeout. It panics with
// Outside if the gate is shut.
func (g *Gate) Sign() { g.Now.Sign() }
