# Everything here is a short name for a command that also works without make. `make` alone builds.
.DEFAULT_GOAL := build
.PHONY: build test lint bench bench-go bench-check microbench generate rule update ci clean help

build: ## bin/probelint
	go build -trimpath -o bin/ ./cmd/...

test: ## all tests
	go test ./...

lint: ## golangci-lint with .golangci.yml; .ci/run installs the right version
	golangci-lint run ./...

SIZES ?= 200,2000,20000,100000
GO_SIZES ?= 1000,10000

bench: build ## whole processes beside the peers on $PATH (docs/performance.md): make bench SIZES=200,2000 ROUNDS=5 PEERS=dir
	go run ./internal/bench -bin bin/probelint -sizes '$(SIZES)' -rounds '$(or $(ROUNDS),5)' -peers '$(PEERS)'

bench-go: build ## one process on Go modules of 1,000 and 10,000 files: make bench-go GO_SIZES=1000,10000 ROUNDS=3
	go run ./internal/bench -bin bin/probelint -go '$(GO_SIZES)' -rounds '$(or $(ROUNDS),3)'

bench-check: ## the benchmarks against those of BASE by turns; fails on a significant loss above 10 %: make bench-check BASE=main ROUNDS=8
	go run ./internal/bench/check -base '$(or $(BASE),origin/main)' -rounds '$(or $(ROUNDS),8)' $(if $(PACKAGES),-packages '$(PACKAGES)')

microbench: ## the benchmarks beside the code, no tests
	go test -run '^$$' -bench . -benchmem ./...

generate: ## the catalogue, the rule pages, the knowledge tables
	go generate ./...

update: ## rewrites the goldens; read the diff before you commit it
	go test $$(grep -rl --include=*_test.go 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update

rule: ## a new rule: make rule NAME=probe-does-something
	@test -n '$(NAME)' || { echo 'usage: make rule NAME=probe-does-something'; exit 2; }
	go run rules/internal/scaffold/new.go '$(NAME)'
	go generate ./rules

ci: ## what has to pass before a change goes in
	.ci/run

clean:
	rm -rf bin

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12
