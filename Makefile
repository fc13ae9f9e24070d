# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors

include Scripts/settings

# The settings have an array.
SHELL := bash

RELEASE := -c release --static-swift-stdlib --scratch-path $(RELEASE_SCRATCH)
# The demo is built without an index and debug information. It has its own scratch path, because different flags would
# rebuild everything in the scratch path of the tests.
DEMO := --package-path Programs --scratch-path $(DEMO_SCRATCH) --disable-index-store -Xswiftc -gnone -Xcc -g0 -Xcxx -g0 \
	-Xswiftc -whole-module-optimization -Xswiftc -disable-batch-mode -Xswiftc -num-threads -Xswiftc 2
ARGS ?=

.PHONY: help demo examples tessera test model simulate simulate-faults torture backend-torture partitions power-loss hostile coverage claims dependencies sanitize libcurl-versions check lint format redactions layering api apple-check apple floor consumer generate generate-check generate-all docs names fuzz bench bench-smoke dist dist-check breakage workflows release-check clean

help: ## List all targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

demo: ## Sign in to a local provider and list Drive files, step by step (ARGS=--headless to use no browser)
	@echo 'Building tessera-provider and its dependencies. In a new clone, this takes about four minutes on two cores.'
	@IFS=$$'\n'; TESSERA_DEMO=1 swift build $(DEMO) $$(Scripts/precompiled-headers "$(CURDIR)/$(DEMO_SCRATCH)/headers.pch") \
		--product tessera-provider
	@$(DEMO_SCRATCH)/debug/tessera-provider demo $(ARGS)

examples: ## Build the example programs and print their location
	@. Scripts/settings && swift build --package-path Examples "$${DEBUG_FLAGS[@]}"
	@echo "Built: $$(swift build --package-path Examples --scratch-path $(SCRATCH) --show-bin-path)"

tessera: ## Build the command-line tool for release and print its location
	swift build $(RELEASE) --traits $(TRAITS) --product google-api-generator
	for program in tessera tessera-databases tessera-api tessera-provider; do \
		swift build $(RELEASE) --package-path Programs --product $$program || exit; \
	done
	@echo "Built: $$(swift build $(RELEASE) --package-path Programs --show-bin-path)/tessera"

test: ## Install test dependencies, build, and run all tests
	@Scripts/test

model: ## Check the model of sessions that processes share (ARGS=--full for three; slow. ARGS=--replay for traces only)
	@Scripts/check-model $(ARGS)

simulate-faults: ## Plant each fault in Tests/Faults, which the simulator must find (ARGS="NAME..." for some of them; slow)
	@Scripts/check-faults --run $(ARGS)

simulate: ## Simulate sessions from a million seeds (ARGS="--seeds 20000" for fewer, ARGS="--show 42" for one history; slow)
	@Scripts/simulate $(ARGS)

torture: ## Refresh one account from several processes with each store, 500 times each (ARGS=50 for fewer; slow)
	@Scripts/torture $(ARGS)

backend-torture: ## Stop and kill instances of the backend example under load (ARGS="100 30" for less; slow)
	@Scripts/backend-torture $(ARGS)

partitions: ## Refresh sessions from five hosts while the network, a database and its standby fail (ARGS="--runs 3"; root; slow)
	@Scripts/partitions $(ARGS)

power-loss: ## Check what stores hold after a power loss, in 1,000 states each (ARGS="--states 100" for fewer; root; slow)
	@Scripts/power-loss $(ARGS)

hostile: ## Run all tests and print the result of each hostile case
	@Scripts/hostile

coverage: ## Check that each row of Docs/Coverage.md, Differences.md and Sessions.md has tests that passed in the last run
	@Scripts/check-coverage --logs $(SCRATCH)/test-logs

claims: ## Check that each claim of THREAT_MODEL.md has tests that passed in the last run
	@Scripts/check-claims --logs $(SCRATCH)/test-logs

dependencies: ## Check that the last build used the tested version of each package
	@Scripts/check-dependencies

sanitize: ## Run core tests with ThreadSanitizer and AddressSanitizer (ARGS=thread for one of them; slow)
	@Scripts/sanitize $(ARGS)

libcurl-versions: ## Test the transport with other libcurl versions (ARGS=trixie-gnutls for one of them; slow)
	@Scripts/libcurl-versions $(ARGS)

check: lint test layering api breakage apple-check docs ## Run lint, tests, layering, public API, Apple and documentation checks

test-filter: ## Build and run the library's test suites whose names match FILTER
	@. Scripts/settings && swift test --traits "$$TRAITS" "$${DEBUG_FLAGS[@]}" --explicit-target-dependency-import-check error \
		--disable-xctest --filter "$(FILTER)"

lint: ## Check formatting and code style
	@Scripts/lint

format: ## Format all Swift files in place
	swift format --in-place --recursive --parallel Package.swift Sources Tools Tests \
		Programs/Package.swift Programs/Sources Programs/Tests Fuzz/Package.swift Fuzz/Sources

redactions: ## Check that the canary tests fail without each redaction (ARGS=Secret for some of them; slow)
	@Scripts/check-redactions $(ARGS)

layering: ## Check the imports of each layer and the libraries that the command links
	@Scripts/check-layering

api: ## Check that the public API of the last build matches Docs/API (ARGS=--update to update it)
	@Scripts/check-api $(ARGS)

breakage: ## Check that changes since the last release that can break a program are announced (ARGS=--list to list them)
	@Scripts/check-breakage --self-test
	@Scripts/check-breakage $(ARGS)

workflows: ## Check the GitHub workflows, the issue forms and .spi.yml
	@Scripts/check-workflows

release-check: ## Check that no placeholder or wrong version is left for a release (ARGS=--list to list them)
	@Scripts/check-release $(ARGS)

errors: ## Write Docs/Errors.md from the errors of the last build
	@. Scripts/settings && TESSERA_WRITE_ERRORS=1 swift test --skip-build --disable-xctest --package-path Programs "$${DEBUG_FLAGS[@]}" --filter ErrorPageInternalTests

apple: apple-check
apple-check: ## Type-check the libraries and example apps for Apple platforms
	@Scripts/check-apple

floor: ## Check the availability of APIs against the deployment targets (ARGS=--all to include iOS, tvOS and watchOS)
	@Scripts/check-floor $(ARGS)

consumer: ## Build each product in a package that depends on this one (ARGS=--quick, or --all for both build systems)
	@Scripts/check-consumer $(ARGS)

generate: ## Generate the Google APIs and their tests from the discovery documents
	@Scripts/generate

generate-check: ## Check that the generated code is up to date
	@Scripts/generate --check

generate-all: ## Generate code from all 610 discovery documents and compile 30 of them (slow)
	@Scripts/generate --all

docs: ## Build the documentation of all library products (ARGS=Tessera for one of them)
	@Scripts/docs $(ARGS)

names: ## Check that each public name of the original libraries is used by a test or listed as a difference
	@Scripts/generate-names --check

fuzz: ## Run every fuzz target for 10 seconds (ARGS="--seconds 60 json" for one target)
	@Fuzz/run $(ARGS)

bench: ## Run the benchmarks and compare them with other libraries
	@Benchmarks/compare

bench-smoke: ## Run each benchmark once as a smoke test
	@Benchmarks/compare --smoke

dist: ## Build the release archive, packages and container image for this machine (ARGS="--only archive" for some of them)
	@Packaging/dist $(ARGS)

dist-check: ## Check the files of 'make dist' (ARGS=reproducible for one step, ARGS=--list for all names; slow)
	@Packaging/dist-check $(ARGS)

clean: ## Remove build products
	rm -rf $(SCRATCH) $(RELEASE_SCRATCH) $(DEMO_SCRATCH) Fuzz/.build Programs/.build Examples/.build Benchmarks/.build
