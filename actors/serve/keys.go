package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
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

// expired reports whether the job ended longer than keyLife ago.
func (k *keyedJob) expired(now time.Time) bool { return k.State != "" && now.Sub(k.Ended) > keyLife }

// keys are the keys of jobs that have not ended, or ended within keyLife, and of some that ended
// earlier. A table's mutex guards them.
type keys struct {
	all     map[fingerprint]*keyedJob
	sweepAt int // number of keys at which the expired ones are removed
}

// get returns what is remembered of a key; nil if nothing is.
func (k *keys) get(key fingerprint, now time.Time) *keyedJob {
	if x := k.all[key]; x != nil && !x.expired(now) {
		return x
	}
	return nil
}

// begin records the key of a job that has not ended.
func (k *keys) begin(j *job) {
	if old := k.all[j.Key]; old == nil || old.ID != j.ID {
		k.all[j.Key] = &keyedJob{Key: j.Key, ID: j.ID, Asked: askedID(&j.Asked), Submitted: j.At}
	}
}

// end records how a job with a key has ended. It removes expired keys once they may be half of all.
func (k *keys) end(key fingerprint, state string, at time.Time) {
	if x := k.all[key]; x != nil && x.State == "" {
		x.State, x.Ended = state, at
	}
	if len(k.all) >= k.sweepAt {
		maps.DeleteFunc(k.all, func(_ fingerprint, x *keyedJob) bool { return x.expired(at) })
		k.sweepAt = 2 * (len(k.all) + 1000)
	}
}

// ended returns the keys of ended jobs.
func (k *keys) ended() (list []*keyedJob) {
	for _, x := range k.all {
		if x.State != "" {
			list = append(list, x)
		}
	}
	return list
}

// byKey returns the job with a key, nil if the list no longer contains it, and a copy of the key's
// record, nil if there is none.
func (t *table) byKey(key fingerprint, now time.Time) (j *job, k *keyedJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.keys.get(key, now)
	if was == nil {
		return nil, nil
	}
	if at, found := t.at(was.ID); found {
		j = t.list[at]
	}
	return j, new(*was)
}

// repeated returns the job of an earlier submission under the same key, or nil.
func (s *Server) repeated(key fingerprint, a *api.Submission, o *Order, who access.Principal) (*job, error) {
	j, k := s.jobs.byKey(key, s.now())
	switch {
	case k == nil:
		return nil, nil
	case k.Asked != askedID(a):
		return nil, refuse("key-used", "the key is that of another submission, job %d", k.ID)
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
