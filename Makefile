# Needs Go and nothing else. `make` lists the targets.

GO       ?= go
TOOL     := $(GO) tool -modfile tools/go.mod
PACKAGES ?= ./...
# How many random seeds a row of the faults draws from (faults: five; chaos: many), and how long tests may take.
SEEDS    ?= 20
TIMEOUT  ?= 20m
FAULTS   ?= ./cmd/baton/faults
ROW      ?= .
BENCH    ?= .

# The demo has an installation of its own inside the checkout, so that it touches nothing of yours.
DEMO_ENV := BATON_HOME="$(CURDIR)/.demo" BATON_SKILLS_PATH="$(CURDIR)/examples/skills"
DEMO     := $(DEMO_ENV) "$(CURDIR)/bin/baton"

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## run the main example: two branches, a join, a report; then its trace
	@$(DEMO) --quiet session new --goal "choose a supplier for battery packs" >/dev/null
	@$(DEMO) workflow run examples/workflows/compare.yaml
	@echo
	@$(DEMO) trace
	@$(DEMO) --quiet stop >/dev/null
	@echo
	@echo "report:  $$(ls -t outputs/*/files/report.md | head -1)"
	@echo "trace:   $$(ls -t outputs/*/pipeline_trace.json | head -1)"
	@echo 'go on:   export $(DEMO_ENV) PATH="$(CURDIR)/bin:$$PATH"; baton status'

.PHONY: agent
agent: build ## run the example that drives a coding agent, if one is installed
	@$(DEMO) --quiet session new --goal "ask an agent about the notes" >/dev/null
	@$(DEMO) workflow run examples/workflows/agent.yaml; code=$$?; $(DEMO) --quiet stop >/dev/null; exit $$code

.PHONY: build
build: ## build bin/baton
	@mkdir -p bin
	$(GO) build -trimpath -ldflags "-s -w" -o bin/baton ./cmd/baton

.PHONY: check
check: fmt vet lint tidy race faults ## everything that must hold before a commit (what CI runs)

.PHONY: test
test: ## all tests, without the race detector
	$(GO) test -timeout $(TIMEOUT) $(PACKAGES)

.PHONY: race
race: ## all tests but those of faults with the race detector
	$(GO) test -race -timeout $(TIMEOUT) $$($(GO) list $(PACKAGES) | grep -v /faults$$)

# What breaks there are other processes, which no race detector sees; beside other packages they would starve.
.PHONY: faults
faults: ## fault tests with five seeds a row
	$(GO) test -count=1 -timeout $(TIMEOUT) $(FAULTS)

.PHONY: fmt
fmt: ## fail when a file is not formatted
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted (gofmt -w):"; echo "$$files"; exit 1; fi

.PHONY: vet
vet: ## go vet
	$(GO) vet $(PACKAGES)

.PHONY: lint
lint: ## staticcheck, as staticcheck.conf says
	$(TOOL) staticcheck $(PACKAGES)

.PHONY: tidy
tidy: ## fail when go.mod or go.sum is not tidy
	$(GO) mod tidy -diff
	$(GO) -C tools mod tidy -diff
	$(GO) -C test/otel mod tidy -diff
	$(GO) -C test/browser mod tidy -diff
	$(GO) mod verify

.PHONY: otel
otel: ## what is exported, against a real OpenTelemetry collector (a module of its own)
	$(GO) -C test/otel vet ./...
	$(GO) -C test/otel test -timeout $(TIMEOUT) ./...

.PHONY: browser
browser: ## the page in a real headless Chromium (a module of its own; skipped where there is none)
	$(GO) -C test/browser vet ./...
	$(GO) -C test/browser test -v -timeout $(TIMEOUT) ./...

.PHONY: screenshots
screenshots: ## take the screenshots of docs/page.md anew; look at them
	$(GO) -C test/browser test -v -timeout $(TIMEOUT) -run Screenshots ./... -update

.PHONY: vuln
vuln: ## known vulnerabilities in what the program uses (asks a database on the net)
	$(TOOL) govulncheck $(PACKAGES)

.PHONY: update
update: ## rewrite goldens, JSON Schemas and docs/EVENTS.md; look at the diff
	$(GO) test $$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"' . | xargs -n 1 dirname | sort -u) -update

.PHONY: bench
bench: build ## measure this machine: steps against plain publishes on the same server
	@home=$$(mktemp -d "$(CURDIR)/bin/bench-XXXXXX") && trap 'rm -rf "$$home"' EXIT && BATON_HOME="$$home" bin/baton bench

.PHONY: gobench
gobench: ## Go benchmarks of the packages; BENCH=Chain picks some
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem $(PACKAGES)

.PHONY: eval
eval: ## how well requests find skills: BATON_EVAL_DATA=folder, and WRITE=docs/routing-quality.md to record
	$(GO) run ./cmd/eval $(if $(WRITE),-write $(WRITE))

.PHONY: fuzz
fuzz: ## every fuzz test for half a minute
	@grep -rlE --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | while read -r dir; do \
		for name in $$(grep -hoE '^func Fuzz[A-Za-z]+' "$$dir"/*_test.go | cut -c 6-); do \
			echo "$$dir $$name"; $(GO) test "$$dir" -run '^$$' -fuzz "^$$name$$" -fuzztime 30s || exit 1; \
		done; \
	done

.PHONY: chaos
chaos: ## fault tests with many seeds; SEEDS=100 for more
	$(GO) test -count=1 -timeout 1h ./stream/jetstream -run TestDamagedStore -damage.offsets=$(SEEDS)
	$(GO) test -count=1 -timeout 2h -v $(FAULTS) -faults.seeds=$(SEEDS)

.PHONY: soak
soak: ## 2,000 short runs under random kills, then the fault tests until one fails or you stop it
	$(GO) test -count=1 -timeout 2h -v -run TestSoak $(FAULTS) -faults.soak=2000
	@n=0; while $(GO) test -count=1 -timeout 2h $(FAULTS) -faults.seeds=$(SEEDS); do n=$$((n + 1)); echo "round $$n held"; done; exit 1

.PHONY: clean
clean: ## remove what was built and what the demo left
	@if [ -x bin/baton ] && [ -d .demo ]; then $(DEMO) --quiet stop --force >/dev/null 2>&1 || true; fi
	rm -rf bin .demo outputs
