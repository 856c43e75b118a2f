package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// profile starts the profiles that are asked for; stop ends and writes them.
func (r *runFlags) profile() (stop func() error, err error) {
	var cpu *os.File
	if r.cpuProfile != "" {
		if cpu, err = os.Create(r.cpuProfile); err != nil {
			return nil, configError("--cpuprofile: %w", err)
		}
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, errors.Join(fmt.Errorf("--cpuprofile: %w", err), cpu.Close())
		}
	}
	return func() error {
		var errs []error
		if cpu != nil {
			pprof.StopCPUProfile()
			errs = append(errs, cpu.Close())
		}
		if r.memProfile != "" {
			f, err := os.Create(r.memProfile)
			if err != nil {
				return errors.Join(append(errs, err)...)
			}
			runtime.GC() // so that the profile shows what is in use, not what is yet to be collected
			errs = append(errs, pprof.Lookup("heap").WriteTo(f, 0), f.Close())
		}
		return errors.Join(errs...)
	}, nil
}
