package simulator

// eventKind is the kind of an event.
type eventKind uint8

// The kinds of event, and the meaning of simEvent.a and simEvent.b for each.
const (
	evArrive    eventKind = iota // a: index of the job that arrives
	evSubmit                     // a: index of the job handed to the Core, after its set-up
	evHeartbeat                  // a: node; b: generation of its timer
	evAttempt                    // a: attempt record; b: its generation: its phase is over
	evUpdate                     // the periodic Update of the Core
	evFlow                       // b: generation: the next flow of the network ends
	evFail                       // a: node that fails; b: for how many seconds, 0 for good
	evRepair                     // a: node that comes back
	evSample                     // a sample of the shares is taken
	evJobEnd                     // a: index of the job whose cleaning up is over
)
