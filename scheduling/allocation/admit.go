package allocation

import (
	"cmp"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// Admit checks a job before it is submitted, and fills in what has been decided: the user is who,
// whatever spec says, and spec.Pool or, for a scheduler with queues, spec.Queue is the place whose
// list admits that user, so that the Core has nothing left to choose. spec.Pool counts as
// PropertyPool, spec.PoolProperty as the value of the property that r.PoolProperty names,
// spec.Queue as PropertyQueue; where that names the pool, it is empty afterwards. On error spec is
// as before.
func (r Rules) Admit(spec *scheduling.JobSpec, who Principal, queues bool) error {
	properties := map[string]string{PropertyQueue: spec.Queue}
	if r.PoolProperty != "" {
		properties[r.PoolProperty] = cmp.Or(spec.PoolProperty, properties[r.PoolProperty])
	}
	if spec.Pool != "" {
		properties[PropertyPool] = spec.Pool
	}
	if queues {
		to, err := r.Queue(who, properties)
		if err != nil {
			return err
		}
		spec.User, spec.Queue = who.User, to.Name
		return nil
	}
	to, err := r.Pool(who, properties)
	if err != nil {
		return err
	}
	spec.User, spec.Pool, spec.PoolProperty = who.User, to.Name, ""
	if strings.TrimSpace(spec.Queue) == to.Name {
		spec.Queue = "" // it has named the pool
	}
	return nil
}
