# What people and CI run here. "make help" lists the targets.

GO       ?= go
# Nobody debugs these programs: they are linked without what debuggers read.
export GOFLAGS ?= -ldflags=-w
export CGO_ENABLED ?= 0# as releases are built
GOLANGCI  = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
CLIENTS   = internal/dev/interop/clients
NPM       = $(addprefix internal/dev/interop/, ts conformance browser sse signin pack restart webhooks)
FUZZTIME ?= 10s
SOAK     ?= 20m
TESTRUN   = $(CURDIR)/.ci/gotest -vet=off # make lint vets
ADAPTERS  = bus/nats bus/redis events/sqlite tasks/sqlite auth otel
MODULES   = internal/dev/interop fleet $(ADAPTERS) pack golden/crm golden/repo golden/diary # besides this one; all are linted and generated alike
PARTS    ?= lint+fleet drift test race

.DEFAULT_GOAL := help
.PHONY: clients queries help setup npm chromium redis programs demo test official race race-rest lint generate drift conformance fuzz mutation bench bench-gate attacks soak planted fleet fleet-planted fleet-long fleet-events demo-fleet next-revision drafts compile-cost release vuln quick nightly cold check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what the tests need besides Go: clients of the TypeScript SDK, bridges to HTTP+SSE, an authorization server, the judge of bundles, verifiers of webhooks, the conformance suite, the Inspector, Chromium, Redis
	@$(MAKE) --no-print-directory -j4 npm
	@$(MAKE) --no-print-directory chromium redis programs

npm: $(addsuffix /node_modules/.package-lock.json, $(NPM))

%/node_modules/.package-lock.json: %/package-lock.json
	@if command -v npm >/dev/null; then cd $* && npm ci --no-progress; \
	elif [ "$$CI" = true ]; then echo "npm is not installed"; exit 1; \
	else echo "npm is not installed: the tests of $* are skipped"; fi

chromium:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then exit 0; fi; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -q && apt-get install -yq --no-install-recommends chromium && exit 0; fi; \
	if [ "$$CI" = true ]; then echo "chromium is not installed"; exit 1; fi; \
	echo "chromium is not installed (make installs it for root where apt-get is): the test of internal/dev/interop/browser is skipped"

redis:
	@if command -v redis-server >/dev/null; then exit 0; fi; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -q && apt-get install -yq --no-install-recommends redis-server && exit 0; fi; \
	if [ "$$CI" = true ]; then echo "redis-server is not installed"; exit 1; fi; \
	echo "redis-server is not installed (make installs it for root where apt-get is): the tests of bus/redis are skipped"

programs:
	@for p in nginx caddy strace prometheus; do \
		if command -v $$p /usr/sbin/$$p >/dev/null; then continue; fi; \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
			apt-get update -q && apt-get install -yq --no-install-recommends $$p && continue; fi; \
		if [ "$$CI" = true ]; then echo "$$p is not installed"; exit 1; fi; \
		echo "$$p is not installed (make installs it for root where apt-get is): its test in fleet is skipped"; \
	done

demo: ## generate, build and start golden/notes; list, read, subscribe, edit, see the update
	@$(GO) run ./internal/dev/demo

demo-fleet: ## a broker, three replicas and a balancer: subscribe, edit elsewhere, kill one, see the update
	@cd fleet && $(GO) run ./cmd/demo

test: setup ## all tests, those with foreign clients too; says which tests are skipped and why
	$(TESTRUN) -p 3 -timeout 40m ./... # some packages wait a lot
	cd bench && $(GO) run . -generate && $(GO) vet ./...
	cd bench && $(TESTRUN) -timeout 40m ./...
	cd internal/dev/drafts && $(TESTRUN) -timeout 40m ./...
	@printf '%s\n' $(MODULES) | xargs -P 2 -I {} sh -c \
		'cd {} && out=$$($(TESTRUN) -timeout 40m ./... 2>&1); code=$$?; echo "== {}"; echo "$$out"; exit $$code' # they wait a lot

RACE     = CGO_ENABLED=1 $(TESTRUN) -race -timeout 40m -exec 'env CGO_ENABLED=0' # programs that tests build are those of make test
UNRACED  = ^(TestCheckerNoticesWhatIsMissing|TestRunningBytes|TestOldFailuresDoNotCount|TestOneOfManyDies|TestFloodOfTokens|TestCluster)$$

race: ## the runtime, the adapters and the servers under the race detector
	$(RACE) -p 3 -skip '$(UNRACED)' ./mcp/... ./generated/... $$($(GO) list ./golden/... | grep -v '/golden$$')
	@set -e; for m in $(ADAPTERS); do (set -x; cd $$m && $(RACE) -skip '$(UNRACED)' ./...); done

race-rest: ## the tests that make race leaves out: long computations, simulated hours, floods, clusters
	$(RACE) -run '$(UNRACED)' ./mcp/internal/relay ./mcp/internal/taskrun ./mcp/internal/webhook/deliver
	@set -e; for m in bus/nats bus/redis auth; do (set -x; cd $$m && $(RACE) -run '$(UNRACED)' .); done

queries: programs ## a fleet that Prometheus reads: each query of the dashboard finds something, and faults raise alerts
	cd fleet && $(GO) test -count=1 -v ./internal/telemetry

clients: setup ## Claude Code, codex and opencode sign in at golden/diary; 1.2 GB are installed for that
	cd $(CLIENTS) && npm ci --no-progress
	cd internal/dev/interop && $(GO) test -count=1 -timeout 40m -v -run TestCommandLines ./signin

official: setup ## the tests that judge by the official schemas, which must be there; make test judges by the facts without them
	@dir=$${MCPGEN_MCP_SCHEMA:-$(CURDIR)/../shared/mcp-schema}; \
	ls "$$dir"/*/schema.json >/dev/null || { echo "no official schemas in $$dir"; exit 1; }; \
	export MCPGEN_MCP_SCHEMA="$$dir"; set -x; \
	$(TESTRUN) ./schema && (cd internal/dev/interop && $(TESTRUN) . ./validator ./examples ./values) && \
	(cd bench && $(TESTRUN) ./clients)

conformance: ## the official suite's required sets of 2025-11-25 and 2026-07-28, against one running server
	cd internal/dev/interop/conformance && $(GO) test -count=1 -v .

lint: ## gofmt, golangci-lint, which has vet; all modules in one workspace, four minutes
	@files=$$(git ls-files -co --exclude-standard '*.go' ':!**/testdata/**' | xargs gofmt -l); \
	if [ -n "$$files" ]; then echo "run gofmt on:"; echo "$$files"; exit 1; fi
	@set -e; for m in . $(MODULES); do (cd $$m && $(GO) mod tidy -diff); done
	cd internal/dev/drafts && $(GO) vet ./...
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && export GOWORK="$$dir/go.work" && $(GO) work init $(CURDIR) $(MODULES:%=$(CURDIR)/%) && set -ex && \
	$(GOLANGCI) run ./... $(MODULES:%=./%/...)

generate: ## write all generated code again
	$(GO) run ./cmd/mcpgen protocol
	$(GO) run ./cmd/mcpgen ./...
	$(GO) build -o bin/mcpgen ./cmd/mcpgen && cd bench && ../bin/mcpgen ./servers/ours/...
	@set -e; for m in $(MODULES); do (cd $$m && $(CURDIR)/bin/mcpgen ./...); done

drift: ## fail if committed generated code differs from what the generator writes
	$(GO) run ./cmd/mcpgen protocol -check
	$(GO) run ./cmd/mcpgen -check -strict ./...
	$(GO) build -o bin/mcpgen ./cmd/mcpgen && cd bench && ../bin/mcpgen -check -strict ./servers/ours/...
	@set -e; for m in $(MODULES); do (cd $$m && $(CURDIR)/bin/mcpgen -check -strict ./...); done

# Sometimes go test takes the end of the fuzz time for a failure. A failure of the target names an input.
FUZZ_OVER = awk '/Failing input/ { bad = 1 } /^ +context deadline exceeded$$/ { over = 1 } END { exit bad || !over }'

fuzz: ## every hostile text in every slot, 50,000 ways to lose messages between replicas; then every fuzz target in turn, FUZZTIME=10s for each
	MCPGEN_HOSTILE=all $(GO) test ./golden -run TestHostileText -timeout 30m
	$(GO) test ./mcp/internal/relay -run TestConverges -timeout 2h -seeds 50000
	@for dir in . internal/dev/interop; do cd $(CURDIR)/$$dir || exit 1; \
	list=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	echo "$$list" | awk '/^Fuzz/ { name[++n] = $$1 } /^ok/ { for (i = 1; i <= n; i++) print $$2, name[i]; n = 0 }' | \
	while read -r pkg name; do \
		echo "== $$pkg $$name"; \
		out=$$($(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s "$$pkg" </dev/null 2>&1) && failed= || failed=1; \
		printf '%s\n' "$$out"; \
		if [ -n "$$failed" ] && ! printf '%s\n' "$$out" | $(FUZZ_OVER); then exit 1; fi; \
	done || exit 1; \
	done

mutation: ## change two generated files a piece at a time; every change must be noticed or have a reason
	@$(GO) run ./internal/dev/mutation -o docs/mutation.md

planted: ## each planted bug with the test of a package that finds it, 10 minutes; BUGS="NAME NAME" for some
	@$(GO) run ./internal/dev/planted $(BUGS)

fleet: ## replicas, brokers and clients of all revisions: exams without faults, and single faults
	@cd fleet && $(GO) run ./cmd/fleet -short
	@cd fleet && $(GO) run ./cmd/fleet -events short
	@cd fleet && $(GO) run ./cmd/fleet -events short -engine nats

fleet-planted: ## all planted bugs, each with three seeds, two at a time: hours; at least 20 must be found. FLEETFLAGS="-only NAME,NAME"
	@cd fleet && nice $(GO) run ./cmd/fleet -planted $(FLEETFLAGS)

fleet-long: ## the same until 1,000,000 writes, 300 kills and 100 restarts of the broker; FLEETFLAGS="-resume FILE -wall 1h"
	@cd fleet && nice $(GO) run ./cmd/fleet -long $(FLEETFLAGS)

fleet-events: ## events at webhooks: 100 kills, 100,000 events for three of 1,000 subscriptions each and 1,000 for all
	@cd fleet && nice $(GO) run ./cmd/fleet -events long

bench: ## this project beside go-sdk and mcp-go, an echo loop and a hand-written floor; one table
	@cd bench && $(GO) run .

bench-gate: ## the same, and fail if a ratio misses its target; never part of check
	@cd bench && $(GO) run . -gate

attacks: ## the attacks of internal/dev/robustness/attack on this project, go-sdk and mcp-go; one table, more than an hour
	@cd bench && $(GO) run ./attacks

soak: ## streams, abandoned connections and hostile messages for SOAK=20m, beside honest clients; nothing may be left
	$(GO) run ./internal/dev/robustness/soak -d $(SOAK)

next-revision: ## hide the newest revision, bring it back, add one nobody has seen; on a copy of the tree
	@$(GO) run ./internal/dev/nextrevision

drafts: ## every draft of the specification as one more revision; DRAFTS=DIR names its git directory or a folder of files
	@cd internal/dev/drafts && $(GO) run . -drafts "$(abspath $(DRAFTS))" $(DRAFTFLAGS)

compile-cost: ## what large packages cost mcpgen and the compiler, N=1000,5000 declarations; fails above 2 GiB
	@$(GO) run ./internal/dev/compilecost -n $(or $(N),1000) -most 2048

quick: ## what a commit needs, 6 minutes on two cores: vet, drift, the tests of this module without internal/dev
	$(GO) vet ./...
	@$(MAKE) --no-print-directory drift
	$(TESTRUN) -short -timeout 10m $$($(GO) list ./... | grep -v /internal/dev/) ./internal/dev/importrules ./internal/dev/measure

release: ## try a release VERSION=v0.1.0 of all modules from a proxy of its own, with programs in dist; TAG=1 tags it
	@$(GO) run ./internal/dev/release $(if $(TAG),-tag) '$(VERSION)'

vuln: ## known vulnerabilities in what is linked; skipped where the database cannot be reached
	@for m in . $(ADAPTERS) pack; do (cd $$m && echo "== $$m" && $(CURDIR)/.ci/vuln) || exit 1; done

nightly: ## what takes hours, for a release: bugs, kills, faults, attacks, mutations, to the last; DRAFTS=DIR as in make drafts
	@MAKE='$(MAKE)' N=5000 .ci/parts -k next-revision planted fleet-planted fleet-long fleet-events race-rest soak attacks fuzz mutation compile-cost clients $(if $(DRAFTS),drafts)

cold: ## make demo and make test as on a new machine: a clone alone, empty caches, nothing skipped
	@dir=$$(mktemp -d) && trap 'chmod -R u+w "$$dir"; rm -rf "$$dir"' EXIT && .ci/cold "$$dir/cold"

check: ## all that CI runs, with the minutes of each part; CI runs "make cold" before
	@MAKE='$(MAKE)' .ci/parts $(PARTS)
