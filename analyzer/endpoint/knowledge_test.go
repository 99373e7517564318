package endpoint_test

import (
	"context"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/knowledge"
)

// added is what a project says of a client that nothing else knows, and of a function of its own.
var added = knowledge.Extra{
	Version: 1,
	Clients: []knowledge.ExtraClient{{
		ID: "bus", Kind: "queue", Display: "order bus", Limit: "20s",
		Calls: []knowledge.ExtraCall{
			{Call: "(*example.com/bus.Client).Ping", Effect: "remote", Operation: "ping"},
			{Call: "example.com/app/ledger.Ready", Effect: "remote", Operation: "ping", Limit: "2s"},
		},
		Settings: []knowledge.ExtraSetting{
			{Field: "example.com/bus.Options.Timeout", Bounds: "total"},
			{Parameter: "timeout", Bounds: "total"},
		},
	}},
}

const busProgram = `
-- go.mod --
module example.com/app

go 1.26

require example.com/bus v1.0.0

replace example.com/bus => ./bus
-- ledger/ledger.go --
package ledger

// Ready asks in a way that is not seen here.
func Ready() error { return nil }
-- main.go --
package main

import (
	"net/http"

	"example.com/app/ledger"
	"example.com/bus"
)

func check(path string, f func() error) {
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if err := f(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}

func main() {
	check("/plain", bus.New("bus://orders", bus.Options{}).Ping)
	check("/option", bus.New("bus://orders", bus.Options{Timeout: 3e9}).Ping)
	check("/parameter", bus.New("bus://orders?timeout=1s", bus.Options{}).Ping)
	check("/ledger", ledger.Ready)
	http.ListenAndServe(":8080", nil)
}
-- bus/go.mod --
module example.com/bus

go 1.26
-- bus/bus.go --
package bus

import "time"

type Options struct{ Timeout time.Duration }

type Client struct {
	address string
	options Options
}

func New(address string, o Options) *Client { return &Client{address, o} }

// Ping asks through something that is not Go.
func (c *Client) Ping() error { return nil }
`

func TestAProjectsOwnKnowledge(t *testing.T) {
	tables, errs := added.Tables()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	code := loadFiles(t, txtar.Parse([]byte(busProgram)).Files)
	a := endpoint.AnalyzeWith(context.Background(), code, knowledge.Default().With(tables))
	compare(t, a, `
GET /plain: 200,503; dep (*example.com/bus.Client).Ping gates sequential client 20s library; budget 0s-20s single constant
GET /option: 200,503; dep (*example.com/bus.Client).Ping gates sequential deadline 3s; budget 3s single constant
GET /parameter: 200,503; dep (*example.com/bus.Client).Ping gates sequential deadline 1s; budget 1s single constant
GET /ledger: 200,503; dep example.com/app/ledger.Ready gates sequential client 2s library; budget 0s-2s single constant
`)
	compare(t, endpoint.Analyze(context.Background(), code), `
GET /ledger: 200 static
`)
}
