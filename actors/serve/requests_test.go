package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tarry-mr/tarry/actors/page"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// TestRequests plays scripts: requests to a server, whose root is the script's directory, and their
// answers. Each script runs without and with a State.
//
//	ask [-as USER] [-h 'NAME: VALUE']... METHOD PATH [BODY] = STATUS [TEXT]...
//	submit [-as USER] [-key KEY] [-FIELD VALUE]... JOB ARGS... = STATUS [TEXT]...
//	until ... (as ask, repeated for up to ten seconds)
//	ends ID STATE [TEXT]
//	open (lets the maps of held jobs end)
//	halt (closes the server)
//	restart
//
// PATH is one of the API, unless it begins with a slash. The answer's header or body must contain
// each TEXT, but must not contain what follows in a !TEXT. FIELD is one of api.Submission. ends
// waits for the end of a job, whose error must contain TEXT.
func TestRequests(t *testing.T) {
	tokens := func(cfg *Config) { cfg.Access = tokenAccess(t) }
	for name, change := range map[string]func(cfg *Config){
		"files":     func(*Config) {},
		"jobs":      func(*Config) {},
		"malformed": func(cfg *Config) { cfg.Hosts = []string{"tarry.example"} },
		"nodes":     func(*Config) {},
		"outputs":   tokens,
		"names":     func(*Config) {},
		"own": func(cfg *Config) {
			for _, name := range []string{"tokens", "certs/key.pem", "certs/part-r-00000", "d/other/key2.pem"} {
				cfg.Secrets = append(cfg.Secrets, filepath.Join(cfg.Roots[0], name))
			}
		},
		"policy": func(*Config) {},
		"state":  func(*Config) {},
		"page": func(cfg *Config) {
			cfg.Simulator = func() (map[string][]byte, error) {
				return map[string][]byte{"tarry.wasm.gz": []byte("wasm"), "worker.mjs": []byte("work")}, nil
			}
		},
		"room":   func(cfg *Config) { cfg.StoreBytes, cfg.limits.upload = 1000, 700 },
		"tokens": tokens,
		"lists": func(cfg *Config) {
			tokens(cfg)
			cfg.Cluster.Rules = &access.Rules{Access: access.Control{Enabled: true, Admins: list(t, "root"), Queues: []access.Queue{
				{Name: "lab", Submit: list(t, " research"), Administer: list(t, "bob")},
				{Name: "shop", Submit: list(t, "bob"), Administer: list(t, " ")},
			}}}
		},
	} {
		for _, store := range []string{"memory", "disk"} {
			t.Run(name+"/"+store, func(t *testing.T) { playRequests(t, name, store == "disk", change) })
		}
	}
}

// playRequests plays a script in testdata/requests.
func playRequests(t *testing.T, name string, onDisk bool, change func(cfg *Config)) {
	var b *bench
	begin := func(t testing.TB, dir string) {
		b = startIn(t, dir, func(cfg *Config) {
			change(cfg)
			if onDisk {
				cfg.State = filepath.Join(dir, "state")
			}
		})
		if b.s.cfg.Access.Tokens != nil {
			b.Token = "rootsecretrootsecret"
		}
	}
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "requests", name+".txtar")},
		Setup: func(e *testscript.Env) error {
			begin(e.T().(testing.TB), e.WorkDir)
			e.Setenv("CSP", page.ContentSecurityPolicy)
			e.Defer(func() { b.stop() })
			return nil
		},
		Condition: func(name string) (bool, error) { return name == "disk" && onDisk, nil },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"ask":    func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(b.ask(args)) },
			"submit": func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(b.ask(asked(args))) },
			"until": func(ts *testscript.TestScript, _ bool, args []string) {
				err := b.ask(args)
				for last := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(last); err = b.ask(args) {
					time.Sleep(10 * time.Millisecond)
				}
				ts.Check(err)
			},
			"ends": func(ts *testscript.TestScript, _ bool, args []string) {
				var id int64
				_, err := fmt.Sscan(args[0], &id)
				ts.Check(err)
				if j := b.wait(id); j.State != args[1] || !strings.Contains(j.Error, strings.Join(args[2:], " ")) {
					ts.Fatalf("job %d has %s: %s", id, j.State, j.Error)
				}
			},
			"open": func(*testscript.TestScript, bool, []string) { close(b.gate) },
			"halt": func(*testscript.TestScript, bool, []string) { b.stop() },
			"restart": func(*testscript.TestScript, bool, []string) {
				b.stop()
				begin(b.t, b.dir)
			},
		},
	})
}

// ask sends a request as the script command ask does. The error says how the answer differs.
func (b *bench) ask(args []string) error {
	header := http.Header{}
	for args[0][0] == '-' {
		if name, value, _ := strings.Cut(args[1], ": "); args[0] == "-h" {
			header.Set(name, value)
		} else { // -as
			header.Set("Authorization", "Bearer "+name+"secret"+name+"secret")
		}
		args = args[2:]
	}
	end := slices.Index(args, "=")
	method, path, body := args[0], args[1], strings.Join(args[2:end], " ")
	if path[0] != '/' {
		path = prefix + "/" + path
	}
	res, text := b.do(method, path, body, header)
	var answer strings.Builder
	_, _ = fmt.Fprintf(&answer, "%d\n", res.StatusCode)
	_ = res.Header.Write(&answer) // a Builder returns no error
	answer.WriteString(text)
	if !strings.HasPrefix(answer.String(), args[end+1]+"\n") {
		return fmt.Errorf("%s %s: want status %s:\n%s", method, path, args[end+1], answer.String())
	}
	if res.StatusCode >= 400 && (res.Header.Get("Content-Type") != "application/problem+json" || len(text) > 1000) {
		return fmt.Errorf("%s %s: want a short problem:\n%s", method, path, answer.String())
	}
	for _, want := range args[end+2:] {
		if text, unwanted := strings.CutPrefix(want, "!"); strings.Contains(answer.String(), text) == unwanted {
			return fmt.Errorf("%s %s: want %s:\n%s", method, path, want, answer.String())
		}
	}
	return nil
}

// asked returns the arguments of ask for those of the script command submit.
func asked(args []string) (ask []string) {
	fields := map[string]any{}
	for ; args[0][0] == '-'; args = args[2:] {
		switch args[0] {
		case "-as":
			ask = append(ask, args[:2]...)
		case "-key":
			ask = append(ask, "-h", "Idempotency-Key: "+args[1])
		default:
			fields[args[0][1:]] = args[1]
		}
	}
	end := slices.Index(args, "=")
	fields["job"], fields["args"] = args[0], args[1:end]
	body, _ := json.Marshal(fields) // texts
	return slices.Concat(ask, []string{"POST", "jobs", string(body)}, args[end:])
}
