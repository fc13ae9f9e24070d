# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors

include Scripts/settings

RELEASE := -c release --static-swift-stdlib --scratch-path $(RELEASE_SCRATCH)
# What the demo needs and no more: without an index and debug information. Other flags than the tests' would build
# everything again in their scratch path.
DEMO := --package-path Programs --scratch-path $(DEMO_SCRATCH) --disable-index-store -Xswiftc -gnone
ARGS ?=

.PHONY: help demo examples tessera test torture backend-torture hostile coverage claims dependencies sanitize libcurl-versions check lint format redactions layering api apple-check apple floor consumer generate generate-check generate-all docs fuzz bench bench-smoke clean

help: ## Show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

demo: ## Sign in at a local provider and list Drive files, told step by step (ARGS=--headless without a browser)
	@echo 'Building tessera-demo and what it needs. From a clean clone, this takes about five minutes on two cores.'
	@swift build $(DEMO) --product tessera-demo
	@$(DEMO_SCRATCH)/debug/tessera-demo $(ARGS)

examples: ## Build the programs of Examples/, and say where they are
	swift build --package-path Examples --scratch-path $(SCRATCH)
	@echo "Built: $$(swift build --package-path Examples --scratch-path $(SCRATCH) --show-bin-path)"

tessera: ## Build the command line for use, and say where it is
	swift build $(RELEASE) --traits $(TRAITS) --product google-api-generator
	for program in tessera tessera-databases tessera-api tessera-provider tessera-demo; do \
		swift build $(RELEASE) --package-path Programs --product $$program || exit; \
	done
	@echo "Built: $$(swift build $(RELEASE) --package-path Programs --show-bin-path)/tessera"

test: ## Install what the tests need, build, run the whole suite
	@Scripts/test

torture: ## Several processes on one account of each store, 500 expiries each (ARGS=50 for fewer); takes long
	@Scripts/torture $(ARGS)

backend-torture: ## Two instances of the backend example, ended and killed under the load of 500 people (ARGS="100 30"); takes long
	@Scripts/backend-torture $(ARGS)

hostile: ## Each hostile case with the result of its tests, after a run of the whole suite
	@Scripts/hostile

coverage: ## Each row of Docs/Coverage.md has its tests, and they passed in the last run
	@Scripts/check-coverage --logs $(SCRATCH)/test-logs

claims: ## Each claim of THREAT_MODEL.md has its tests, and they passed in the last run
	@Scripts/check-claims --logs $(SCRATCH)/test-logs

dependencies: ## The last build used the tested version of each package (Scripts/check-dependencies --update records them)
	@Scripts/check-dependencies

sanitize: ## The core's tests under ThreadSanitizer and AddressSanitizer (ARGS=thread for one of them; takes long)
	@Scripts/sanitize $(ARGS)

libcurl-versions: ## The transport with other versions and TLS libraries of libcurl (ARGS=trixie-gnutls for one of them; takes long)
	@Scripts/libcurl-versions $(ARGS)

check: lint test layering api apple-check docs ## Lint, warnings as errors, explicit imports, tests, layering, public API, documentation

lint: ## Format and house rules
	@Scripts/lint

format: ## Format every Swift file in place
	swift format --in-place --recursive --parallel Package.swift Sources Tools Tests \
		Programs/Package.swift Programs/Sources Programs/Tests Fuzz/Package.swift Fuzz/Sources

redactions: ## Each redaction taken away by itself has to fail the canary suite (ARGS=Secret for some of them; takes long)
	@Scripts/check-redactions $(ARGS)

layering: ## Which room imports what, and what the command links
	@Scripts/check-layering

api: ## The public API of the last build is the one of Docs/API (ARGS=--update writes the lists)
	@Scripts/check-api $(ARGS)

apple: apple-check
apple-check: ## Type-check the libraries and example apps for Apple's systems
	@Scripts/check-apple

floor: ## What needs a newer system than the package supports says so (ARGS=--all for iOS, tvOS and watchOS, too)
	@Scripts/check-floor $(ARGS)

consumer: ## A package that depends on this one builds each product (ARGS=--quick for less, --all for both build systems)
	@Scripts/check-consumer $(ARGS)

generate: ## Google's APIs anew from their discovery documents, and the code that tests them
	@Scripts/generate

generate-check: ## What is committed in GoogleAPIs is what is generated
	@Scripts/generate --check

generate-all: ## All 610 discovery documents parse and emit; a sample of 30 compiles (takes long)
	@Scripts/generate --all

docs: ## The documentation of every library product, by docc; a warning is an error (ARGS=Tessera for one of them)
	@Scripts/docs $(ARGS)

fuzz: ## Every fuzz target for 10 seconds over the kept corpus (ARGS="--seconds 60 json")
	@Fuzz/run $(ARGS)

bench: ## The benchmarks, and the ratio table side by side
	@Benchmarks/compare

bench-smoke: ## Each benchmark once, quickly
	@Benchmarks/compare --smoke

clean: ## Remove what was built
	rm -rf $(SCRATCH) $(RELEASE_SCRATCH) $(DEMO_SCRATCH) Fuzz/.build Programs/.build Examples/.build Benchmarks/.build
