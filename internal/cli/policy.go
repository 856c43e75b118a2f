package cli

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// policyFlags give any setting of a scheduler, in a file or one by one.
type policyFlags struct {
	policyFile string
	sets       []string // KEY=VALUE
}

// registerSets adds --set.
func (s *policyFlags) registerSets(f *pflag.FlagSet) {
	f.StringArrayVar(&s.sets, "set", nil, "any setting of the scheduler, as KEY=VALUE, such as theta=0.1 or "+
		"locality.waits=2s/4s; may be repeated; tarry config policy lists them all")
}

// registerFile adds --policy.
func (s *policyFlags) registerFile(f *pflag.FlagSet) {
	f.StringVar(&s.policyFile, "policy", "",
		"file (YAML) with a scheduler and any of its settings; other flags win over it, it wins over XML files")
}

// isPolicyFile tells whether what should be the name of a scheduler is that of a policy file.
func isPolicyFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// readPolicy reads the file of --policy, if there is one.
func (f *schedulerFiles) readPolicy(open func(name string) (io.ReadCloser, error), name string) error {
	return f.readFile(open, name, func(name string, r io.Reader) ([]*allocation.Problem, error) {
		var err error
		f.policy, err = policyfile.Read(r, name)
		return nil, err
	})
}

// policyFileOf is the policy file that a scheduler is named by, or nil.
func (s *schedulerFlags) policyFileOf(name string) (*policyfile.File, error) {
	if s.files.policy != nil || !isPolicyFile(name) {
		return s.files.policy, nil
	}
	var one schedulerFiles
	err := one.readPolicy(openFile, name)
	return one.policy, err
}

// assignedSetting splits KEY=VALUE.
func assignedSetting(text string) (field *policyfile.Field, value string, err error) {
	key, value, found := strings.Cut(text, "=")
	if !found {
		return nil, "", usageError("--set %s: want KEY=VALUE", words.Shown(text))
	}
	if field, err = policyfile.Find(key); err != nil {
		return nil, "", usageError("--set %s: %s", words.Shown(text), badPolicy(err))
	}
	return field, value, nil
}

// badPolicy is what is wrong with a setting, without the word for it.
func badPolicy(err error) string {
	return strings.TrimPrefix(words.OneLine(err), policyfile.ErrBad.Error()+": ")
}

// setOver puts what --set says over preset and files.
func (s *policyFlags) setOver(policy *scheduling.Policy, parts scheduling.Parts) error {
	for _, text := range s.sets {
		field, value, err := assignedSetting(text)
		if err != nil {
			return err
		}
		if policyfile.SetPart(policy, parts, policyfile.Setting{Key: field.Key, Value: value}) {
			continue
		}
		if err := field.Set(policy, value); err != nil {
			return usageError("--set %s: %s", words.Shown(text), badPolicy(err))
		}
	}
	return nil
}

// idleSets refuses settings of --set that have no effect in any of the policies.
func (s *schedulerFlags) idleSets(policies ...scheduling.Policy) error {
	for _, text := range s.sets {
		field, _, err := assignedSetting(text)
		if err != nil {
			return err
		}
		idle := func(p scheduling.Policy) bool { return field.Idle(&p) != "" }
		if !slices.ContainsFunc(policies, func(p scheduling.Policy) bool { return !idle(p) }) {
			return usageError("--set %s has no effect %s", words.Shown(text), field.Idle(&policies[0]))
		}
	}
	return nil
}

// says tells whether --policy or --set gives a setting below a key.
func (s *schedulerFlags) says(above string) bool {
	for _, text := range s.sets {
		if field, _, err := assignedSetting(text); err == nil && strings.HasPrefix(field.Key, above) {
			return true
		}
	}
	return s.files.policy != nil && s.files.policy.Says(above)
}

// printPolicy prints the preset or policy file of a name with all its settings.
func (p *program) printPolicy(name string, s *schedulerFlags) error {
	policy, err := s.policy(name)
	if err == nil {
		err = s.idleSets(policy)
	}
	if err != nil {
		return err
	}
	if said := s.says("locality.") || s.files.policy != nil; policy.Locality.Rule == scheduling.TimedWait && !said {
		policy.Locality.Auto = true // as run, batch and serve have it
	}
	preset := name
	if file, _ := s.policyFileOf(name); file != nil {
		preset = file.Scheduler
	}
	return policyfile.Write(p.stdout, cmp.Or(preset, policyfile.DefaultScheduler), &policy)
}
