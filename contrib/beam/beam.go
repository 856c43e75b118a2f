// Package beam brings two engines to programs that run their jobs by TARRY_ON or --on: prism, Beam's own
// runner, in this process, and beam://HOST:PORT, a job server of Beam. It is imported for its effect:
//
//	import _ "github.com/tarry-mr/tarry/contrib/beam"
//
// Experimental. Beam carries segments; Tarry maps, combines, sorts, merges and reduces as it does in one
// process, and each task runs in a process of its own. The server is given this process as the place
// where its workers run (Beam's LOOPBACK), so that it spreads no work over machines.
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

// connecting is how long a server may take to be there.
const connecting = 5 * time.Second

// one run at a time, for Beam's options are global; the server of prism that this process has.
var (
	one   sync.Mutex
	begin sync.Once
	here  string
)

// run is the worker.Engine of both.
func run(ctx context.Context, on string, t *worker.Tasks) error {
	one.Lock()
	defer one.Unlock()
	begin.Do(quietly)
	*jobopts.Endpoint = here
	execute := prism.Execute // starts a server, where there is none
	if address, ok := strings.CutPrefix(on, "beam://"); ok {
		c, err := net.DialTimeout("tcp", address, connecting)
		if err != nil {
			return fmt.Errorf("no job server: %w", err)
		}
		_ = c.Close() // Beam connects by itself, and would wait for minutes
		*jobopts.Endpoint, execute = address, universal.Execute
	}
	workers, err := extworker.StartLoopback(ctx, 0) // what LOOPBACK starts, too, but that leaves a file each time
	if err != nil {
		return err
	}
	defer func() { _ = workers.Stop(ctx) }() // returns nil
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "EXTERNAL", workers.EnvironmentConfig(ctx)
	*jobopts.JobName = fmt.Sprintf("tarry-%d-%d", os.Getpid(), time.Now().UnixNano())
	none, err := os.CreateTemp("", "tarry-beam-*") // a program for other machines, which Beam wants to send in any case
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
		here = *jobopts.Endpoint
	}
	if err != nil {
		return plain(err)
	}
	return nil
}

// quietly makes Beam ready. It takes over the logs of the whole program and writes to them what it does:
// they are given back, and what Beam says is dropped. Its errors are the pipeline's, too.
func quietly() {
	was, out, flags := slog.Default(), stdlog.Writer(), stdlog.Flags()
	hooks.DisableHook(harness.DefaultRemoteLoggingHook)
	beam.Init()
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(others{was.Handler()}))
	stdlog.SetOutput(out)
	stdlog.SetFlags(flags)
}

// silent is a log of Beam that nobody reads.
type silent struct{}

// Log implements log.Logger.
func (silent) Log(context.Context, log.Severity, int, string) {}

// others hears what all but Beam say.
type others struct{ slog.Handler }

// Handle implements slog.Handler.
func (h others) Handle(ctx context.Context, r slog.Record) error {
	at, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
	if strings.HasPrefix(at.Function, "github.com/apache/beam/") {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h others) WithAttrs(list []slog.Attr) slog.Handler { return others{h.Handler.WithAttrs(list)} }

// WithGroup implements slog.Handler.
func (h others) WithGroup(name string) slog.Handler { return others{h.Handler.WithGroup(name)} }

// plain is the line of an error of Beam that says what happened, without where in Beam.
func plain(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\nFull error:")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return errors.New(strings.TrimSpace(lines[len(lines)-1]))
}
