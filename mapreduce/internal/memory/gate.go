package memory

// Gate detects emit calls at the wrong time. The emit functions that user code gets call Sign,
// which panics while the gate is shut. The engine opens the gate for each call of user code, and
// shuts it afterwards. Sign at an open gate costs no more than Liveness.Sign; opening and shutting
// cost two stores.
type Gate struct {
	// Now is what Sign signals: the attempt's Liveness or, while the gate is shut, the variable
	// shut. A hot loop may read Now.Asked itself and call Sign only if that is set.
	Now  *Liveness
	life *Liveness
}

// shut is always asked for a sign, so that Sign calls answer, which panics; unwatched never is.
var (
	shut      = &Liveness{Asked: 1}
	unwatched = new(Liveness)
)

// Outside is the panic value for an emit at the wrong time: Sign at a shut gate.
const Outside = "mapreduce: emit was called outside of the call that it was given to: " +
	"kept for later, or from a goroutine that the call did not wait for"

// NewGate returns an open gate whose Sign shows progress to the observer of l, which may be nil.
func NewGate(l *Liveness) Gate {
	if l == nil {
		l = unwatched
	}
	return Gate{Now: l, life: l}
}

// Open allows emits: the engine is about to call user code.
func (g *Gate) Open() { g.Now = g.life }

// Shut makes emits panic: the call of user code is over.
func (g *Gate) Shut() { g.Now = shut }

// Sign shows progress to the observer that enforces the task timeout. It panics with Outside if the
// gate is shut.
func (g *Gate) Sign() { g.Now.Sign() }
