package knowledge

import (
	"strings"
	"testing"
)

func ptr(i int) *int { return &i }

func TestExtraAsksFirst(t *testing.T) {
	x := Extra{
		Version: 1,
		Clients: []ExtraClient{{
			ID: "bus", Kind: "queue", Display: "order bus", Limit: "4s", IgnoresContext: true,
			Calls: []ExtraCall{
				{Call: "(*example.com/bus.Client).Ping", Effect: "remote", Operation: "ping"},
				{Call: "example.com/bus.Dial", Effect: "connect", Timeout: ptr(1), Limit: "90s"},
				{Call: "net/http.Get", Effect: "local"},
			},
			Settings: []ExtraSetting{
				{Field: "example.com/bus.Options.Timeout", Bounds: "total"},
				{Func: "example.com/bus.WithTimeout", Argument: 0, Bounds: "read", Unit: "ms"},
				{Func: "(*example.com/bus.Client).SetTimeout", Bounds: "total"},
				{Parameter: "timeout", Bounds: "total"},
			},
		}},
		Wrappers: []ExtraWrapper{{Call: "example.com/again.Do", Role: "retry"}},
	}
	tables, errs := x.Tables()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b := Default().With(tables)
	c, ok := b.LookupCall("example.com/bus", "Client", "Ping", Sig{})
	if !ok || c.Effect != Remote || c.Entry != "bus" || !c.Shared || c.Ctx != -1 || c.Op != "ping" {
		t.Errorf("Ping: %+v", c)
	}
	if c, _ := b.LookupCall("example.com/bus", "", "Dial", Sig{}); c.Dur != 1 || c.Limit != 90 || c.Effect != Connect {
		t.Errorf("Dial: %+v", c)
	}
	if c, _ := b.LookupCall("net/http", "", "Get", Sig{}); c.Effect != Local {
		t.Errorf("what the project says does not come first: %+v", c)
	}
	if c, _ := b.LookupCall("net/http", "", "Post", Sig{}); c.Effect != Remote {
		t.Errorf("what ships is not asked: %+v", c)
	}
	if cl, ok := b.LookupClient("bus"); !ok || cl.NoDeadlineSeconds != 4 || cl.Honors != CtxNo || cl.Display != "order bus" {
		t.Errorf("client: %+v", cl)
	}
	for _, want := range []Setting{
		{Path: "example.com/bus", Recv: "Options", Name: "Timeout", Entry: "bus", Scope: "total", Dur: -1},
		{Path: "example.com/bus", Recv: "", Name: "WithTimeout", Entry: "bus", Scope: "read", Unit: "ms"},
		{Path: "example.com/bus", Recv: "Client", Name: "SetTimeout", Entry: "bus", Scope: "total"},
	} {
		if got, ok := b.LookupSetting(want.Path, want.Recv, want.Name); !ok || got != want {
			t.Errorf("setting %s: %+v", want.Name, got)
		}
	}
	if got := b.DSNSettings("bus"); len(got) != 1 || got[0].Name != "timeout" || got[0].Unit != "duration" {
		t.Errorf("parameters: %+v", got)
	}
	if w, ok := b.LookupWrapper("example.com/again", "", "Do"); !ok || w.Role != WrapRetry {
		t.Errorf("wrapper: %+v", w)
	}
	if !b.Adds("example.com/bus", "Client", "Ping") || b.Adds("net/http", "", "Post") || Default().Adds("net/http", "", "Get") {
		t.Error("Adds does not tell the project's rows from those that ship")
	}
}

func TestExtraFaults(t *testing.T) {
	for name, c := range map[string]struct {
		x    Extra
		want string
	}{
		"version":   {Extra{Version: 2}, "version 2 is not known"},
		"no id":     {Extra{Version: 1, Clients: []ExtraClient{{Kind: "queue"}}}, "clients[0] has no id"},
		"no kind":   {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus"}}}, "clients[0] `bus` has no kind"},
		"limit":     {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus", Kind: "queue", Limit: "5"}}}, "limit `5` is no duration"},
		"symbol":    {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus", Kind: "queue", Calls: []ExtraCall{{Call: "Ping", Effect: "remote"}}}}}, "`Ping` is no function or method"},
		"effect":    {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus", Kind: "queue", Calls: []ExtraCall{{Call: "a/b.C", Effect: "slow"}}}}}, "effect `slow` is none of remote, connect"},
		"bounds":    {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus", Kind: "queue", Settings: []ExtraSetting{{Field: "a.B.C", Bounds: "all"}}}}}, "bounds `all` is none of total"},
		"no place":  {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus", Kind: "queue", Settings: []ExtraSetting{{Bounds: "total"}}}}}, "names no field, func or parameter"},
		"field":     {Extra{Version: 1, Clients: []ExtraClient{{ID: "bus", Kind: "queue", Settings: []ExtraSetting{{Field: "Timeout", Bounds: "total"}}}}}, "`Timeout` is no symbol"},
		"wrapper":   {Extra{Version: 1, Wrappers: []ExtraWrapper{{Call: "again", Role: "retry"}}}, "`again` is no function"},
		"role":      {Extra{Version: 1, Wrappers: []ExtraWrapper{{Call: "a.Do", Role: "loop"}}}, "role `loop` is none of retry"},
		"router":    {Extra{Version: 1, Routers: []ExtraRouter{{}}}, "routers[0] has no id"},
		"syntax":    {Extra{Version: 1, Routers: []ExtraRouter{{ID: "m", Syntax: "dots"}}}, "syntax `dots` is none of brace, colon"},
		"route":     {Extra{Version: 1, Routers: []ExtraRouter{{ID: "m", Calls: []ExtraRouterCall{{Call: "a/b.On", Role: "register"}}}}}, "a registration has a path and a handler"},
		"routing":   {Extra{Version: 1, Routers: []ExtraRouter{{ID: "m", Calls: []ExtraRouterCall{{Call: "a/b.On", Role: "route"}}}}}, "role `route` is none of new, register"},
		"health":    {Extra{Version: 1, Health: []ExtraHealth{{}}}, "health[0] has no id"},
		"cached":    {Extra{Version: 1, Health: []ExtraHealth{{ID: "p", Cached: "yes"}}}, "cached `yes` is none of no, ttl"},
		"timeout":   {Extra{Version: 1, Health: []ExtraHealth{{ID: "p", Timeout: "2"}}}, "limit `2` is no duration"},
		"checking":  {Extra{Version: 1, Health: []ExtraHealth{{ID: "p", Calls: []ExtraHealthCall{{Call: "a.B", Role: "probe"}}}}}, "role `probe` is none of new, check"},
		"no method": {Extra{Version: 1, Wrappers: []ExtraWrapper{{Call: "(*a/b.T).", Role: "retry"}}}, "is no function or method"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := c.x.Tables()
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want) {
				t.Errorf("got %v, want one that says %q", errs, c.want)
			}
		})
	}
}
