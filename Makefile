.DEFAULT_GOAL := help
.PHONY: help test thorough race lint fuzz bench api projects ci build-examples copy-examples pictures types

help: ## Describe the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

test: ## Run the tests
	go test work

thorough: ## Run all of what the tests try a share of (TEST_THOROUGH=1)
	.ci/run thorough

race: ## Run the tests with the race detector
	.ci/run race

lint: ## Check formatting, go vet and golangci-lint (built on first use)
	.ci/run gofmt vet lint

fuzz: ## Fuzz every target for FUZZ_TIME (6s)
	.ci/run fuzz

bench: ## Compare with aws-lambda-go/cfn and print one table
	cd bench && go run .

api: ## Write the listing of the exported API anew
	go test ./internal/repo -run TestAPI -update

projects: ## Write anew the tables in the examples' READMEs, and the archive of those with modules of their own
	go test ./cfnlocal -run TestReadmesHoldTheTables -update
	go test ./examples -run TestTheArchiveIsUpToDate -update

pictures: ## Make the pictures of the documents anew, from real runs, in Chromium
	PICTURES=$(CURDIR)/docs/pictures .ci/with-chromium go test -count=1 -v -run TestPictures ./cfnlocal/test/browser

# The package with the facts about CloudFormation's types, and the day on which it was published.
SPEC = 0.1.216
SPEC_DATE = 2026-09-29

types: ## Write anew the table of CloudFormation's types, from npm
	.ci/with-npm SPEC_DIR @aws-cdk/aws-service-spec@$(SPEC) -- sh -c \
		'node .ci/types.mjs "$$SPEC_DIR/node_modules/@aws-cdk/aws-service-spec" $(SPEC_DATE) > table.txt' \
		&& mv table.txt internal/cfn/resourcetype/

ci: ## Run all checks, as before a merge
	.ci/run

build-examples: ## Build the examples for Lambda on arm64
	.ci/run examples

copy-examples: ## Copy the examples, build and test the copies
	.ci/run copy
