package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
)

// profile starts the profiles that are asked for; stop ends and writes them. Their files are made at once, so that what cannot be
// written fails before the job.
func (r *clusterFlags) profile() (stop func() error, err error) {
	create := func(flag, name string) *os.File {
		if name == "" || err != nil {
			return nil
		}
		f, bad := os.Create(name)
		if bad != nil {
			err = configError("--%s: %w", flag, plainPathError(name, bad))
		}
		return f
	}
	cpu, memory := create("cpuprofile", r.cpuProfile), create("memprofile", r.memProfile)
	if err == nil && cpu != nil {
		err = pprof.StartCPUProfile(cpu)
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		var errs []error
		if cpu != nil {
			pprof.StopCPUProfile()
			errs = append(errs, cpu.Close())
		}
		if memory != nil {
			runtime.GC() // so that the profile shows what is in use, not what is yet to be collected
			errs = append(errs, pprof.Lookup("heap").WriteTo(memory, 0), memory.Close())
		}
		return errors.Join(errs...)
	}, nil
}
