package actors

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
)

// TestFewerMapsLoseNobody states that who is in the registry when it shrinks is found in it
// afterwards, once.
func TestFewerMapsLoseNobody(t *testing.T) {
	lib := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
	defer lib.Shutdown()
	process, found := lib.ProcessRegistry.GetLocal("eventstream")
	require.True(t, found, "the library has nobody in its registry")
	want := map[string]actor.Process{"eventstream": process}
	for i := range 2000 {
		id := fmt.Sprint("actor ", i)
		want[id] = actor.NewEventStreamProcess(lib)
		_, added := lib.ProcessRegistry.Add(want[id], id)
		require.True(t, added)
	}
	before := registered(lib)
	fewerMaps(lib)
	require.Len(t, lib.ProcessRegistry.LocalPIDs.LocalPIDs, registryMaps)
	require.Equal(t, before, registered(lib))
	for id, process := range want {
		got, found := lib.ProcessRegistry.GetLocal(id)
		require.True(t, found, id)
		require.Same(t, process, got)
	}
}

func registered(lib *actor.ActorSystem) (n int) {
	for _, m := range lib.ProcessRegistry.LocalPIDs.LocalPIDs {
		n += m.Count()
	}
	return n
}

// TestSparesAreShared states that clusters of a process have one spare; none have those with little
// memory, and those with small jobs, which would pay for a collection and not need it.
func TestSparesAreShared(t *testing.T) {
	had := func(memory, input int64) *spare {
		e := &env{cfg: Config{Memory: memory}}
		e.keepSpare(input)
		return e.spare.Load()
	}
	one := had(0, spareInput)
	require.NotNil(t, one)
	require.Same(t, one, had(spareMemory, spareInput))
	require.Nil(t, had(spareMemory-1, spareInput))
	require.Nil(t, had(0, spareInput-1))
}
