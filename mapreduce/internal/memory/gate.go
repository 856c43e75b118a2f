package memory

// Gate stands before what user code emits to: open while a call of user code lasts, shut between
// calls and after the last. A gate that is open costs no more than the sign of life that it is, one
// that opens and shuts two stores.
type Gate struct {
	now  *Life // what Sign signs: life, or that of all shut gates
	life *Life
}

// shut is asked for a sign for ever.
var shut = func() *Life {
	l := new(Life)
	l.asked.Store(true)
	return l
}()

// Outside is what the Sign of a shut gate panics with.
const Outside = "mapreduce: emit was called outside of the call that it was given to: " +
	"kept for later, or from a goroutine that the call did not wait for"

// NewGate returns an open gate that signs l, which may be nil.
func NewGate(l *Life) Gate { return Gate{now: l, life: l} }

// Open lets signs pass.
func (g *Gate) Open() { g.now = g.life }

// Shut lets no signs pass.
func (g *Gate) Shut() { g.now = shut }

// Sign is a sign of life of who emits. It panics if the gate is shut.
func (g *Gate) Sign() { g.now.Sign() }
