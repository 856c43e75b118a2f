// Package beam adds two engines to programs that run their jobs with TARRY_ON or --on: prism,
// Beam's own runner, in this process, and beam://HOST:PORT, a Beam job server. Import it for its
// side effect:
//
//	import _ "github.com/tarry-mr/tarry/contrib/beam"
//
// Experimental. Beam moves segments; Tarry maps, combines, sorts, merges and reduces as it does in
// one process, and each task runs in its own process. The server uses this process as the host of
// its workers (Beam's LOOPBACK), so it does not spread work over machines.
package beam

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"github.com/tarry-mr/tarry/actors/worker"
)

func init() {
	worker.Register("prism", run)
	worker.Register("beam://", run)
}

// dialTimeout is the time limit for connecting to a job server.
const dialTimeout = 5 * time.Second

var (
	running  sync.Mutex // held during a run: Beam's options are global, so runs must not overlap
	initOnce sync.Once
	prismAt  string // address of this process's prism server; empty until the first run
)

// run implements worker.Engine for both engines.
func run(ctx context.Context, on string, t *worker.Tasks) error {
	running.Lock()
	defer running.Unlock()
	initOnce.Do(initBeam)
	*jobopts.Endpoint = prismAt
	execute := prism.Execute // starts a server if Endpoint is empty
	if address, ok := strings.CutPrefix(on, "beam://"); ok {
		c, err := net.DialTimeout("tcp", address, dialTimeout)
		if err != nil {
			return fmt.Errorf("no job server: %w", err)
		}
		_ = c.Close() // it only showed that the server answers: Beam itself would try for minutes
		*jobopts.Endpoint, execute = address, universal.Execute
	}
	workers, err := extworker.StartLoopback(ctx, 0) // Beam's own LOOPBACK would not remove its temporary file
	if err != nil {
		return err
	}
	defer func() { _ = workers.Stop(ctx) }() // always nil
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "EXTERNAL", workers.EnvironmentConfig(ctx)
	*jobopts.JobName = fmt.Sprintf("tarry-%d-%d", os.Getpid(), time.Now().UnixNano())
	none, err := os.CreateTemp("", "tarry-beam-*") // an empty program for other machines, since Beam always sends one
	if err != nil {
		return err
	}
	defer os.Remove(none.Name())
	if err := none.Close(); err != nil {
		return err
	}
	*jobopts.WorkerBinary = none.Name()
	_, err = execute(ctx, pipeline(t))
	if on == "prism" {
		prismAt = *jobopts.Endpoint
	}
	if err != nil {
		return plain(err)
	}
	return nil
}

// initBeam initializes Beam. Then it restores the program's loggers, which Beam has replaced, and
// drops Beam's messages: the error of a pipeline has what matters.
func initBeam() {
	was, out, flags := slog.Default(), stdlog.Writer(), stdlog.Flags()
	hooks.DisableHook(harness.DefaultRemoteLoggingHook)
	beam.Init()
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(filter{was.Handler()}))
	stdlog.SetOutput(out)
	stdlog.SetFlags(flags)
}

// silent is a logger for Beam that drops every message.
type silent struct{}

// Log implements log.Logger.
func (silent) Log(context.Context, log.Severity, int, string) {}

// filter is a slog handler that drops Beam's messages and passes on all others.
type filter struct{ slog.Handler }

// Handle implements slog.Handler.
func (h filter) Handle(ctx context.Context, r slog.Record) error {
	at, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
	if strings.HasPrefix(at.Function, "github.com/apache/beam/") {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h filter) WithAttrs(list []slog.Attr) slog.Handler { return filter{h.Handler.WithAttrs(list)} }

// WithGroup implements slog.Handler.
func (h filter) WithGroup(name string) slog.Handler { return filter{h.Handler.WithGroup(name)} }

// plain returns the last line of a Beam error: the cause, without Beam's stack traces.
func plain(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\nFull error:")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return errors.New(strings.TrimSpace(lines[len(lines)-1]))
}
