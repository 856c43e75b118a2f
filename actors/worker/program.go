package worker

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce"
)

// program is an executable, by its bytes and by its build.
type program struct {
	Path     string `json:"path"`
	Sum      string `json:"xxhash64"`
	Sources  string `json:"sources"` // package and version, as Go has stamped them
	Platform string `json:"platform"`
}

// thisProgram returns the executable that this process runs.
func thisProgram() (program, error) {
	path, err := os.Executable()
	if err != nil {
		return program{}, err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return describe(path, info)
}

// describe returns the executable in a file.
func describe(path string, info *debug.BuildInfo) (program, error) {
	p := program{Path: path, Sources: info.Path + " " + info.Main.Version}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	p.Platform = built["GOOS"] + "/" + built["GOARCH"]
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	h := xxhash.New()
	if _, err := io.Copy(h, f); err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	p.Sum = fmt.Sprintf("%016x", h.Sum64())
	return p, nil
}

// String describes the program for messages: its path and build.
func (p program) String() string {
	return fmt.Sprintf("%s (%s, %s, xxhash64 %s)", p.Path, p.Sources, p.Platform, p.Sum)
}

// same reports whether two programs have the same bytes, or were built from the same committed
// sources.
func (p program) same(q program) bool {
	_, version, _ := strings.Cut(p.Sources, " ")
	committed := version != "" && version != "(devel)" && !strings.HasSuffix(version, "+dirty")
	return p.Sum == q.Sum || committed && p.Sources == q.Sources
}

// check returns an error unless this process runs one of the programs that the plan names.
func (f *planFile) check() error {
	this, err := thisProgram()
	if err != nil || slices.ContainsFunc(f.Programs, this.same) {
		return err
	}
	var list []string
	for _, p := range f.Programs {
		list = append(list, p.String())
	}
	return mapreduce.Permanent(fmt.Errorf("this program, %v, is not the one that submitted the job: %s", this, strings.Join(list, ", ")))
}

// programs returns this program and those of Options.Workers, which must be other builds of it.
func (j *job) programs() ([]program, error) {
	this, err := thisProgram()
	if err != nil {
		return nil, err
	}
	list := []program{this}
	for _, word := range j.o.Workers {
		platform, path, ok := strings.Cut(word, "=")
		if !ok || strings.Count(platform, "/") != 1 {
			return nil, fmt.Errorf("--worker %s: want OS/ARCHITECTURE=PATH, such as linux/arm64=PATH", word)
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--worker %s: %w", word, err)
		}
		p, err := describe(path, info)
		if err != nil {
			return nil, err
		}
		if p.Platform != platform || p.Sources != this.Sources || p.Platform == this.Platform {
			return nil, fmt.Errorf("--worker %s: %v is not a build for %s of what submits, %v", word, p, platform, this)
		}
		list = append(list, p)
	}
	return list, nil
}

// choosing is a shell script that starts the build for the host's system and architecture.
const choosing = `#!/bin/sh
case $(uname -m) in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
build=$(dirname "$0")/tarry-worker-$(uname -s | tr A-Z a-z)-$arch
[ -e "$build" ] || { echo "tarry: $(uname -n) is of $(uname -s)/$arch, for which there is no --worker" >&2; exit 3; }
exec "$build" "$@"
`

// ship returns the files that a host needs to run workers, the file to start first: this program,
// or a script and a copy of each build.
func (j *job) ship() (files []string, err error) {
	if len(j.builds) == 1 {
		return []string{j.builds[0].Path}, nil
	}
	dir, err := j.local()
	if err != nil {
		return nil, err
	}
	files = []string{filepath.Join(dir, shippedName)}
	if err := os.WriteFile(files[0], []byte(choosing), 0o755); err != nil { //nolint:gosec // hosts run it
		return nil, err
	}
	for _, p := range j.builds {
		name := filepath.Join(dir, shippedName+"-"+strings.ReplaceAll(p.Platform, "/", "-"))
		b, err := os.ReadFile(p.Path)
		if err == nil {
			err = os.WriteFile(name, b, 0o755) //nolint:gosec // hosts run it
		}
		if err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}

// shippedTickets returns the ticket files that tasks need, each as PATH#NAME, and the names by
// environment variable. YARN keeps files of a job from other users.
func shippedTickets() (files []string, names map[string]string) {
	names = map[string]string{}
	for variable, file := range stores.Tickets() {
		names[variable] = "ticket-" + variable
		if path, err := filepath.Abs(file); err == nil {
			file = path
		}
		files = append(files, file+"#"+names[variable])
	}
	return files, names
}
