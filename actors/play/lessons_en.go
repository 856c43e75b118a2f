package play

// english has the lessons' texts by ID.
func english() map[string]Text {
	return map[string]Text{
		"fifo": {
			"1. First in, first out", "FIFO gives every free slot to the oldest job. A short job behind a long one waits for all of it.",
			"On Jobs, the short jobs wait though each needs seconds: {mean_small0} s on average under FIFO, {mean_small1} s under fair sharing. FIFO takes whatever map is near at hand: {local0} % ran on their data.",
			"Let the other policy be fifo, too: both sides decide alike.", "Why are the short jobs so late under FIFO?",
			[]string{"Their data is far away.", "The long job before them takes every slot that frees.", "They have fewer slots than tasks."},
			"No slot is offered to them before the long job has launched its last map.",
		},
		"fair": {
			"2. Naive fair sharing and the head of the line", "Fair sharing offers a slot to the job with the fewest running tasks. A small job at the head of the line takes a slot wherever it frees, mostly far from its few blocks.",
			"On Cluster, many slots show R or O. Only {local0} % of the maps run on their data, {local1} % when a job may let some offers pass.",
			"Place maps greedily on the other side, too.", "Which jobs does this head-of-line scheduling hurt most?",
			[]string{"Small ones: few nodes hold their blocks.", "Large ones: they have more blocks.", "All alike."},
			"A job with blocks on few nodes seldom meets one of them by chance.",
		},
		"sticky": {
			"3. Sticky slots", "Under fair sharing a job whose map ends is the one below its share: it gets the same slot again, whether its data is there or not.",
			"On Gantt, a slot keeps the color of its job. {local0} % of the maps are local, {local1} % when jobs wait for up to 5 s.",
			"Wait 1 s only on the other side.", "What breaks the tie between a job and its slot?",
			[]string{"More slots.", "Larger blocks.", "Letting another job have the slot for once."},
			"The job that waits stays first in line and takes a slot beside its data when one frees.",
		},
		"wait": {
			"4. Wait a moment", "Delay scheduling (Algorithm 2): a job without local data on the node lets the slot pass, at most D times in a row.",
			"With D = 1 {local0} % of the maps are local, with D = 20 {local1} %; the mean sojourn is {mean0} s and {mean1} s.",
			"Take D = 5.", "Why is the wait so short?",
			[]string{"D is counted in seconds.", "Slots free all the time: twenty offers pass quickly.", "The maps are short."},
			"With S slots and tasks of length T a slot frees each T/S on average.",
		},
		"levels": {
			"5. Two levels", "Algorithm 3 waits W1 for a node with the data, then W2 for a rack with it, and only then goes anywhere.",
			"Without W2 {far0} % of the maps read from another rack, with W2 = 5 s {far1} %.",
			"Leave out W1 and keep W2.", "What is the second wait worth?",
			[]string{"It keeps reads off the links between racks.", "It makes maps node-local.", "It makes heartbeats rarer."},
			"A rack with the data has many more free slots than the nodes with it.",
		},
		"long": {
			"6. How long to wait", "A job with K maps left, of blocks with R replicas, finds each offer of a slot local with the chance 1 - (1 - K/M)^R on M nodes. So the chance that none of D offers is local falls geometrically, and the curve below flattens: it is what the formula expects of jobs of three maps on 50 nodes. Beyond the bend waiting buys nothing.",
			"The two filled dots are the runs on this page: {local0} % of the maps are local at the small D, {local1} % at the large one. Each other dot is a run, too. The mean sojourn is {mean0} s and {mean1} s.",
			"Wait for 80 offers.", "What does twice the wait change?",
			[]string{"Locality rises as much again.", "Jobs starve.", "Almost nothing: almost every map is local by then."},
			"The curve is flat there; tarry delay works out where. A wait in seconds is D times the time between two free slots, T/S with S slots and tasks of T seconds.",
		},
		"pools": {
			"7. Pools, minimum shares, preemption", "A pool with a minimum share is promised slots. If long tasks of others hold them, preemption takes them back after a timeout, killing the newest first.",
			"The jobs of prod take {mean_prod0} s without preemption and {mean_prod1} s with it, for {killed1} tasks killed and {lost1} s of work lost.",
			"Set preemption to log: it says whom it would kill.", "What does preemption cost?",
			[]string{"Nothing.", "The work of the tasks that are killed.", "Locality of prod."},
			"Killed tasks begin anew.",
		},
		"queues": {
			"8. Capacity queues", "The capacity scheduler gives each queue a part of the cluster, and lets it borrow what others leave idle.",
			"prod's jobs take {mean_prod0} s in a queue of 60 %, and {mean_prod1} s behind adhoc under FIFO.",
			"Look at Queues while adhoc borrows.", "How does prod get its capacity back from a queue that borrowed it?",
			[]string{"As the borrower's tasks end.", "By killing tasks.", "Not at all."},
			"Slots that free go to the queue that is furthest below its capacity.",
		},
		"hfsp": {
			"9. HFSP: the virtual cluster", "HFSP runs all jobs in an imagined cluster with fair shares, and in the real one in the order in which they finish there. Sizes are learned by training on a few tasks.",
			"The mean sojourn is {mean0} s under HFSP and {mean1} s under fair sharing: {mean_small0} s and {mean_small1} s for the small jobs.",
			"Look at HFSP: work left, and the order of the finishes.", "Why is no job later than under fair sharing, ideally?",
			[]string{"It has more slots.", "Small jobs always come first.", "It runs alone, but never later than its fair share would have let it end."},
			"The virtual cluster is the fair schedule; the order only brings ends forward.",
		},
		"suspend": {
			"10. Suspend instead of kill", "When a small job needs slots, HFSP suspends tasks of larger ones: they keep their state and go on later.",
			"Killing lost {lost0} s of work in {killed0} tasks; suspending {suspended1} tasks lost {lost1} s.",
			"Let it wait, with neither.", "What does suspending need that killing does not?",
			[]string{"More slots.", "Memory for the tasks that rest.", "A second network."},
			"A suspended task keeps what it holds until it resumes on its node.",
		},
		"distance": {
			"11. TND and WTND", "The total network distance of a reduce counts each map output 0 on its node, 2 in its rack, 4 beyond; weighted, it counts bytes (WTND). Its center of gravity is where that is least.",
			"On Shuffle, the ring marks the center. WTND is {wtnd0} GB × links when reduces go anywhere, {wtnd1} at their centers.",
			"Set theta to 0: no distance is near enough.", "What does a byte count that stays in the rack?",
			[]string{"2", "1", "4"},
			"Up to the switch and down again: two links.",
		},
		"larts": {
			"12. Center of gravity, LARTS, anywhere", "LARTS sends a reduce where most of its input lies, on one node. The center of gravity weighs all of it: a rack with many small pieces may win.",
			"WTND is {wtnd0} GB × links with LARTS and {wtnd1} with CoGRS; jobs take {mean0} s and {mean1} s.",
			"Let reduces go anywhere on the other side.", "When do the two differ?",
			[]string{"If one node has everything.", "If the largest piece lies outside the rack with most of the input.", "Never."},
			"The node of the largest piece is then far from all the others.",
		},
		"nowait": {
			"13. When CoGRS should not wait", "Waiting for a center pays when there is much to fetch. With little data and few reduce slots the wait is all there is.",
			"Insisting on the center takes {mean0} s per job, going anywhere {mean1} s, though WTND is lower: {wtnd0} against {wtnd1} GB × links.",
			"Take CoGRS with its usual waits and threshold.", "What would theta and short waits change?",
			[]string{"They make reduces larger.", "They turn CoGRS off for large jobs.", "A reduce takes a node that is near enough, or goes on after a moment."},
			"The threshold says what is not worth waiting for.",
		},
	}
}
