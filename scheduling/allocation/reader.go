package allocation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// reader reads the files of one cluster into Files. Setters in tables store values in it.
type reader struct {
	Files
	problems // that make a file invalid
	warnings problems

	pool   scheduling.PoolConfig // the one that is read
	user   scheduling.UserConfig // the one that is read
	queue  *queue                // the one that is read
	site   site
	queues queues
}

func newReader() *reader {
	return &reader{
		problems: problems{}, warnings: problems{},
		queues: queues{byName: map[string]*queue{}, given: map[string]place{}},
	}
}

// warn adds a warning about a legal setting that is surely a mistake.
func (r *reader) warn(at place, format string, args ...any) { r.warnings.add(at, format, args...) }

// rootElements has the root elements of each kind of file; those of unknown files are all.
var rootElements = map[string][]string{
	PoolFile: {"allocations"}, ParameterFile: {"configuration"}, QueueFile: {"configuration", "queues"},
	"": {"allocations", "queues", "configuration"},
}

// read reads a file, except that finish combines the settings of queues.
func (r *reader) read(s Source) {
	file := File{Name: s.Name, Kind: s.Kind}
	if root := r.document(s); root != nil && r.rootIs(root, rootElements[s.Kind]) {
		if s.Kind == "" {
			file.Kind = kindOf(root)
		}
		switch file.Kind {
		case PoolFile:
			r.readPools(root)
			file.Holds = counted(len(r.Pools.Pools), "pool") + ", " + counted(len(r.Pools.Users), "user")
		case ParameterFile:
			r.readParameters(root)
			file.Holds = r.summary()
		case QueueFile:
			r.readQueues(root)
		}
	}
	r.Read = append(r.Read, file)
}

// rootIs reports whether the root element has one of the names; if not, it adds a problem.
func (r *reader) rootIs(root *element, names []string) bool {
	if slices.Contains(names, root.name) {
		return true
	}
	hint := ""
	if slices.Contains(rootElements[""], root.name) {
		hint = "; this looks like the file of another scheduler"
	}
	r.add(root.place, "the root element is <%s>, want <%s>%s", root.name, alternatives(names, ">, <", "> or <"), hint)
	return false
}

// kindOf returns the kind of a file with one of the known root elements.
func kindOf(root *element) string {
	switch root.name {
	case "allocations":
		return PoolFile
	case "queues":
		return QueueFile
	}
	kind := ParameterFile
	for _, p := range newReader().properties(root, map[string]place{}) {
		switch kindOfProperty(p.name) {
		case ParameterFile:
			return ParameterFile
		case QueueFile:
			kind = QueueFile
		}
	}
	return kind
}

// kindOfProperty returns the kind of the files that have properties with such a name; "" if the
// property belongs to another part of Hadoop.
func kindOfProperty(name string) string {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	switch {
	case clusterSettings[name] != nil, begins(prefixScheduler), begins(prefixQueue), begins(prefixYARN):
		return QueueFile
	case parameters[name] != nil, begins(prefixFair), begins(prefixBooster):
		return ParameterFile
	}
	return ""
}

// finish returns the content of all files, or what is wrong with them.
func (r *reader) finish() (Files, error) {
	holds := ""
	if r.Has(QueueFile) {
		r.buildQueues()
		holds = counted(len(r.Queues), "queue")
		if r.queues.access.Enabled {
			holds += ", access lists on"
		}
	}
	var errs []error
	for i := range r.Read {
		file := &r.Read[i]
		if file.Errors = r.problems.of(file.Name, "problems"); len(file.Errors) > 0 {
			file.Holds = ""
			for _, p := range file.Errors {
				errs = append(errs, p)
			}
			continue
		}
		if file.Kind == QueueFile {
			file.Holds = holds
		}
		file.Warnings = r.warnings.of(file.Name, "warnings")
		r.Warnings = append(r.Warnings, file.Warnings...)
	}
	if len(errs) > 0 {
		return Files{Read: r.Read, Names: r.Names, Warnings: r.Warnings}, errors.Join(errs...)
	}
	if len(r.Read) > 0 {
		lists := r.queues.access
		lists.Enabled = lists.Enabled || r.site.access.Enabled
		lists.Admins = lists.Admins.With(r.site.access.Admins)
		r.Rules = &access.Rules{PoolProperty: r.site.poolProperty, Access: lists}
	}
	return r.Files, nil
}

// counted returns text such as "1 pool" or "2 pools".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
