# Two commands to begin with: `make run` counts the words of a real book, `make test` passes the tests.
# `make check` is what CI runs. Nothing needs to be installed but Go and make.

GO       ?= go
GOLANGCI := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
TOOLS    := internal/tools
TIMEOUT  ?= 15m

# Packages that start goroutines or share memory are tested under the race detector, and only they: it
# takes ten times as long. TestRaced (internal/tools) holds the list. contrib/beam is a module of its own.
RACED := $(addprefix ./, \
	actors actors/serve actors/state actors/worker contrib/hdfs dfs dfs/stores dfs/stores/storetest \
	internal/cli/internal/progress internal/gen internal/journal internal/scratch jobs/internal/search \
	mapreduce mapreduce/cluster mapreduce/internal/combine mapreduce/internal/csvfile \
	mapreduce/internal/input mapreduce/internal/kept mapreduce/internal/memory \
	mapreduce/internal/output mapreduce/internal/read mapreduce/internal/run \
	mapreduce/internal/segment mapreduce/internal/watch)
# These count which paths were taken, and are tested with -cover.
COVERED   := ./actors/differential
COVER     := -cover -coverpkg=./mapreduce/...,./jobs/...
UNRACED    = $(filter-out $(RACED:.%=github.com/tarry-mr/tarry%) $(COVERED:.%=github.com/tarry-mr/tarry%), \
	$(shell $(GO) list ./...))

BENCHED    = $(sort $(dir $(shell git grep -l '^func Benchmark' -- '*_test.go' | sed 's|^|./|')))

# LONG=1: 10,000 tiny files, a 100 MB line, more random cases, more seeds.
GOTEST = $(if $(LONG),LONG_TESTS=1) $(GO) test -vet=off -timeout $(if $(LONG),60m,$(TIMEOUT))
BUILD  = CGO_ENABLED=0 $(GO) build -ldflags="-s -w" -o bin/tarry

.PHONY: help run build test smoke test-page test-play test-engines changed lint fmt elsewhere \
	bench mutants check clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## build bin/tarry without the playground and count the words of the Book of Genesis
	$(BUILD) -v ./cmd/tarry
	./bin/tarry run wordcount --words --fold --top 10 examples/genesis.txt

build: ## bin/tarry with the playground; BEAM=1: with Apache Beam, too (80 MB, two minutes the first time)
	$(GO) generate ./actors/play/site
	$(if $(BEAM),GOWORK=$(CURDIR)/contrib/beam/go.work) $(BUILD) $(if $(BEAM),./contrib/beam/cmd/tarry,./cmd/tarry)

test: ## all tests; LONG=1: more cases and larger inputs, for minutes to hours
	$(GOTEST) -race $(RACED)
	$(GOTEST) $(UNRACED)
	$(GOTEST) -race -run TestMatrix $(COVERED) # few types and jobs; the last line runs all of them
	$(GOTEST) -run 'TestFaults|TestPlayedEngines' ./actors/worker # many processes, slow when raced
	$(GOTEST) $(COVER) $(COVERED)

# The largest rows run the same code as the smaller ones, for a minute.
LARGEST = Facebook2010|Sim/10000nodes|Scale/.*/nodes=10000|Scale/.*/jobs=4000|Assign/large
smoke: ## every benchmark once, but for the largest rows: proves that they run, measures nothing
	$(GO) test -vet=off -run '^$$' -bench . -skip '$(LARGEST)' -benchtime 1x -timeout 10m $(BENCHED)

test-page: ## the page under Node, its types, and all of it in Chromium, as far as these are there
	$(TOOLS)/test-page.sh

test-play: ## the playground's answers under Node, and all of it in Chromium, as far as these are there
	$(TOOLS)/test-play.sh

test-engines: ## jobs on real engines, which it installs: forty minutes; ENGINE=light|yarn|kerberos|spark|slurm|s3|beam
	$(TOOLS)/engines/test.sh $(ENGINE)

changed: ## those three, each if its folders changed since it last passed; FULL=1: all of them
	FULL=$(FULL) $(TOOLS)/changed.sh

lint: ## golangci-lint, go vet in it, the format of all files, and whether go.mod is tidy
	$(TOOLS)/tidy-check.sh
	$(GOLANGCI) fmt --diff
	$(GOLANGCI) run --allow-parallel-runners ./...

fmt: ## gofumpt and goimports
	$(GOLANGCI) fmt

# Files of other systems are compiled there alone: a file left behind in a move is missed nowhere else.
PROGRAM = ./internal/cli ./contrib/hdfs ./contrib/s3 ./contrib/parquet
elsewhere: ## the program compiles for macOS and Windows
	GOOS=darwin GOARCH=arm64 $(GO) build -gcflags='all=-N -l' $(PROGRAM) # unoptimized, in two thirds of the time
	GOOS=windows GOARCH=amd64 $(GO) build -gcflags='all=-N -l' $(PROGRAM)

# Tarry, programs written by hand and the tools of this machine, side by side; docs/benchmarks.md.
#   make bench SIZE=1GiB REAL=book.txt ROUNDS=5 ARGS='-only wordcount -json figures.json'
bench: build ## contests with other programs, some minutes; QUICK=1: less than one; LONG=1: the long row, too
	$(GO) build -o bin/ ./internal/bench/cmd/...
	./bin/bench -size $(or $(SIZE),$(if $(QUICK),16MiB,1GiB)) -rounds $(or $(ROUNDS),$(if $(QUICK),3,5)) \
		$(if $(REAL),-real $(REAL)) $(if $(LONG),-long) $(ARGS)

mutants: ## deliberate faults, one at a time, which the tests must notice; ARGS='-experiments out/faults -keep'
	$(GO) run ./$(TOOLS)/mutants $(ARGS)

# Two at a time: while the last test of a package runs alone, other targets use the second core.
check: ## what CI runs
	$(MAKE) -j2 test lint elsewhere smoke changed

clean: ## remove bin and out
	rm -rf bin out
