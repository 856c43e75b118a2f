# Two commands to begin with: `make run` counts the words of a real book, `make test` passes the tests.
# `make check` is what CI runs. Nothing needs to be installed but Go and make.

GO           ?= go
GOLANGCI     := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT      := $(GO) run mvdan.cc/gofumpt@v0.12.0
BENCHTIME    ?= 1x
FUZZTIME     ?= 20s
TEST_TIMEOUT ?= 10m
GOFILES       = $(shell git ls-files -co --exclude-standard '*.go')
# contrib/beam is a module of its own, which compiles for a minute: make test-engines ENGINE=beam tests it.
PACKAGES      = ./...

.PHONY: run build build-beam test test-page test-play test-long lint fmt fmt-check vet elsewhere tidy-check scenarios examples experiments bench bench-quick bench-programs bench-baseline bench-compare bench-smoke bench-serve fuzz fuzz-jobs differential test-engines test-engines-light chaos whatif mutants mutants-experiments golden check clean

build: ## bin/tarry with the playground's module, without tables for debuggers: they are a quarter of it
	$(GO) generate ./actors/play/site
	CGO_ENABLED=0 $(GO) build -ldflags="-s -w" -o bin/tarry ./cmd/tarry

build-beam: ## bin/tarry that has --on prism and beam://HOST:PORT, too: 80 MB in all, two minutes of processor time the first time
	$(GO) generate ./actors/play/site
	GOWORK=$(CURDIR)/contrib/beam/go.work CGO_ENABLED=0 $(GO) build -ldflags="-s -w" -o bin/tarry ./contrib/beam/cmd/tarry

# WordCount of a real book. -v shows the packages as they are built: the first build takes a minute or two.
run: ## without the playground's module, which takes longer to compile than all else
	CGO_ENABLED=0 $(GO) build -v -ldflags="-s -w" -o bin/tarry ./cmd/tarry
	./bin/tarry run wordcount --words --fold --top 10 examples/genesis.txt

# Jobs of many types and forms on the cluster against plain Go. Coverage says that each fast path was taken.
DIFFERENTIAL = $(GO) test -cover -coverpkg=./mapreduce/...,./jobs/... -timeout 60m ./actors/differential

test:
	$(GO) test -race -timeout $(TEST_TIMEOUT) $(PACKAGES)
	$(GO) test -timeout $(TEST_TIMEOUT) ./scheduling/simulator/replay
	$(DIFFERENTIAL)

# TestMatrix and the others of actors/differential with more seeds and larger inputs; what fails says how to run it again. Minutes.
differential:
	LONG_TESTS=1 $(DIFFERENTIAL)
	LONG_TESTS=1 $(GO) test -run TestBuiltInJobs -timeout 60m ./internal/cli

# The page: its functions under Node, its types, and all of it in Chromium, as far as these are there.
test-page:
	./internal/tools/test-page.sh

# The playground: the module's answers under Node, byte for byte, and all of it in Chromium, where they are.
test-play:
	./internal/tools/test-play.sh

# The long modes: 10,000 tiny files, a 100 MB line, more random cases.
test-long:
	LONG_TESTS=1 $(GO) test -timeout 60m $(PACKAGES)

lint:
	$(GOLANGCI) run --allow-parallel-runners $(PACKAGES)

fmt:
	$(GOFUMPT) -w $(GOFILES)

fmt-check:
	@out=$$($(GOFUMPT) -l $(GOFILES)) || exit 1; if [ -n "$$out" ]; then echo "gofumpt would change:"; echo "$$out"; exit 1; fi

vet:
	$(GO) vet $(PACKAGES)

# Files of other systems are compiled there alone: a file left behind in a move is missed nowhere else.
elsewhere: ## the program's packages compile for macOS and Windows
	GOOS=darwin GOARCH=arm64 $(GO) build ./internal/cli ./contrib/hdfs ./contrib/s3 ./contrib/parquet
	GOOS=windows GOARCH=amd64 $(GO) build ./internal/cli ./contrib/hdfs ./contrib/s3 ./contrib/parquet

tidy-check:
	./internal/tools/tidy-check.sh

scenarios: build
	@mkdir -p out
	./bin/tarry scenario scheduling/testdata/*.scenario >out/scenarios.txt || { grep ': want ' out/scenarios.txt; exit 1; }
	@tail -n 1 out/scenarios.txt

examples: build
	$(GO) test -count=1 ./examples/...

# The published figures beside ours, quick versions, and that they are the same at a second run;
# `bin/tarry experiment all -o DIR` makes the full ones.
experiments: build
	./bin/tarry experiment all --quick -o out/experiments
	$(GO) test -count=1 ./experiments/...

# Every benchmark once, but for the two that simulate a million tasks and more: proves that they run,
# measures nothing.
bench-smoke:
	$(GO) test -run '^$$' -bench . -skip 'Facebook2010|Sim/10000nodes' -benchtime $(BENCHTIME) -timeout 10m $(PACKAGES)

# Side by side: Tarry, the hand-tuned limit and the tools on this machine; docs/benchmarks.md. Some minutes for 1 GiB.
#   make bench SIZE=1GiB REAL=book.txt ROUNDS=5 ARGS='-slow -only wordcount -json figures.json'    LONG=1 adds the long rows
bench: bench-programs
	./bin/bench -size $(or $(SIZE),1GiB) -rounds $(or $(ROUNDS),5) $(if $(REAL),-real $(REAL)) $(if $(LONG),-long) $(ARGS)

# The same with small inputs, in less than a minute: for CI. It fails when a program fails or a result is wrong, never for being slow.
bench-quick: bench-programs
	./bin/bench -size $(or $(SIZE),16MiB) -rounds $(or $(ROUNDS),3) $(ARGS)

# 1,000 submissions of tiny jobs a second for a minute, to a server without and with --state. Three minutes.
#   make bench-serve ARGS='-rate 200 -seconds 10'
bench-serve:
	ARGS='$(ARGS)' internal/tools/bench-serve.sh

# Function by function: save figures now, compare with them later, on the same, quiet machine.
BASELINE ?= internal/bench/baseline.txt
BENCHES = $(GO) test -run '^$$' -bench '$(or $(BENCH),.)' -benchtime 200ms -count 6 -timeout 60m $(or $(PKGS),./mapreduce/... ./scheduling ./actors ./internal/bench/limit)

bench-baseline:
	$(BENCHES) | tee $(BASELINE)

bench-compare:
	@mkdir -p out
	$(BENCHES) | tee out/now.txt
	$(GO) run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da $(BASELINE) out/now.txt

bench-programs: build
	$(GO) build -o bin/ ./internal/bench/cmd/...

# Jobs on real engines - Hadoop Streaming in one process and on YARN, Spark, Slurm, Beam - which it installs into
# a cache folder and starts itself. Some forty minutes; ENGINE=light|yarn|spark|slurm|s3|beam for one of them.
test-engines:
	internal/tools/engines/test.sh $(ENGINE)

# 10,000 random jobs on the cluster against plain Go code; a seed that fails says how to run it again.
fuzz-jobs:
	LONG_TESTS=1 $(GO) test -run TestRandomJobs -timeout 60m ./actors

# 10,000 plans of faults on a live cluster in virtual time; one that fails says how to run it again. Minutes.
chaos:
	LONG_TESTS=1 $(GO) test -run 'TestChaos$$' -timeout 60m ./actors

# Ten live runs, and what another scheduler would have made of them, said and really run. Minutes.
whatif:
	LONG_TESTS=1 $(GO) test -run TestWhatIfOfLiveRuns -timeout 60m -v ./internal/cli

# Deliberate faults, one at a time: the tests must notice each. Minutes.
mutants:
	$(GO) run ./internal/tools/mutants

# Deliberate faults, one at a time: each row of the experiments that is judged must notice one. The
# table goes to docs/experiments-faults. One to two hours on two cores; it goes on where it stopped,
# so remove out/faults after a change.
mutants-experiments:
	$(GO) run ./internal/tools/mutants -experiments out/faults -keep $(ARGS)

fuzz:
	./internal/tools/fuzz.sh $(FUZZTIME)

# The one engine of them that is light, in a minute, where java 17 and mvn are.
test-engines-light:
	internal/tools/engines/test.sh light

check: fmt-check vet elsewhere lint tidy-check test test-page test-play test-engines-light scenarios examples experiments bench-smoke

clean:
	rm -rf bin out
