package serve

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// keyLife is how long a submission's key is remembered after its job has ended, however many jobs
// have ended since.
const keyLife = 24 * time.Hour

// fingerprint identifies a text by 16 bytes of its hash, in hexadecimal.
type fingerprint string

// fingerprintOf returns the fingerprint of values.
func fingerprintOf(v ...any) fingerprint {
	text, _ := json.Marshal(v) // strings and lists of strings
	sum := sha256.Sum256(text)
	return fingerprint(hex.EncodeToString(sum[:16]))
}

// keyID returns the fingerprint of a client's key; keys of different users differ.
func keyID(user, key string) fingerprint { return fingerprintOf(user, key) }

// askedID returns the fingerprint of a submission, to compare submissions under the same key.
func askedID(a *api.Submission) fingerprint {
	return fingerprintOf(a.Job, append([]string{}, a.Args...), a.Directory)
}

// keyedJob is what is remembered of a job that was submitted with a key.
type keyedJob struct {
	Key, Asked fingerprint
	ID         int64
	State      string `json:",omitempty"` // empty if it has not ended
	Submitted  time.Time
	Ended      time.Time
}

// keys are the keys of jobs that have not ended, or ended within keyLife. A table's mutex guards
// them.
type keys struct {
	all   map[fingerprint]*keyedJob
	ended []*keyedJob // in the order of their jobs' ends
}

// begin records the key of a job that has not ended.
func (k *keys) begin(j *job) {
	if old := k.all[j.Key]; old == nil || old.ID != j.ID {
		k.all[j.Key] = &keyedJob{Key: j.Key, ID: j.ID, Asked: askedID(&j.Asked), Submitted: j.At}
	}
}

// end records how a job with a key has ended, and forgets expired keys.
func (k *keys) end(key fingerprint, state string, at time.Time) {
	if old := k.all[key]; old != nil && old.State == "" {
		old.State, old.Ended = state, at
		k.ended = append(k.ended, old)
	}
	k.forget(at)
}

// forget removes the keys of jobs that ended longer than keyLife ago.
func (k *keys) forget(now time.Time) {
	n := 0
	for n < len(k.ended) && now.Sub(k.ended[n].Ended) > keyLife {
		if old := k.ended[n]; k.all[old.Key] == old {
			delete(k.all, old.Key)
		}
		n++
	}
	clear(k.ended[:n])
	k.ended = k.ended[n:]
}

// restore adds recorded keys of ended jobs that are missing, and forgets expired ones.
func (k *keys) restore(ended []*keyedJob, now time.Time) {
	for _, x := range ended {
		if k.all[x.Key] == nil {
			k.all[x.Key] = x
		}
	}
	k.ended = slices.SortedFunc(maps.Values(k.all), func(x, y *keyedJob) int {
		return cmp.Or(x.Ended.Compare(y.Ended), cmp.Compare(x.ID, y.ID))
	})
	k.ended = slices.DeleteFunc(k.ended, func(x *keyedJob) bool { return x.State == "" })
	k.forget(now)
}

// byKey returns the job with a key and the key's record. If the list no longer contains the job, j
// is nil and k is a copy, which later changes to the table do not affect.
func (t *table) byKey(key fingerprint, now time.Time) (j *job, k *keyedJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys.forget(now)
	k = t.keys.all[key]
	if k == nil {
		return nil, nil
	}
	if at, found := t.at(k.ID); found {
		return t.list[at], k
	}
	copied := *k
	return nil, &copied
}

// repeated returns the job of an earlier submission under the same key, or nil.
func (s *Server) repeated(key fingerprint, a *api.Submission, o *Order, who access.Principal) (*job, error) {
	j, k := s.jobs.byKey(key, s.now())
	switch {
	case k == nil:
		return nil, nil
	case k.Asked != askedID(a):
		return nil, conflict("key-used", "the key is that of another submission, job %d", k.ID)
	case j != nil && !j.remembered():
		return nil, busy("no-state", "the job cannot be remembered")
	case j != nil:
		return j, nil
	}
	end := &ending{State: k.State, At: k.Ended, Priority: priorityName(o.Priority)}
	if k.State != api.Succeeded {
		end.Error = "the list of jobs does not reach back to it, and why is forgotten"
	}
	j = s.newJob(record{ID: k.ID, Asked: *a, Who: who, At: k.Submitted, End: end})
	j.output = o.Output
	j.cancel()
	return j, nil
}
