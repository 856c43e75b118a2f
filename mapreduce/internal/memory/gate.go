package memory

// Gate stands before what user code emits to: open while a call of user code lasts, shut between
// calls and after the last. A gate that is open costs no more than the sign of life that it is, one
// that opens and shuts two stores.
type Gate struct {
	// Now is what Sign signs: life, or that of all shut gates; never nil. Who emits by the hundred
	// million looks at it without a call, and calls Sign only if it is Asked.
	Now  *Life
	life *Life
}

// shut is asked for a sign for ever, unwatched never.
var (
	shut      = &Life{Asked: 1}
	unwatched = new(Life)
)

// Outside is what the Sign of a shut gate panics with.
const Outside = "mapreduce: emit was called outside of the call that it was given to: " +
	"kept for later, or from a goroutine that the call did not wait for"

// NewGate returns an open gate that signs l, which may be nil.
func NewGate(l *Life) Gate {
	if l == nil {
		l = unwatched
	}
	return Gate{Now: l, life: l}
}

// Open lets signs pass.
func (g *Gate) Open() { g.Now = g.life }

// Shut lets no signs pass.
func (g *Gate) Shut() { g.Now = shut }

// Sign is a sign of life of who emits. It panics if the gate is shut.
func (g *Gate) Sign() { g.Now.Sign() }
