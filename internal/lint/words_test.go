package lint

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/model"
)

func TestShortCall(t *testing.T) {
	for symbol, want := range map[string]string{
		"(*database/sql.DB).PingContext":                     "DB.PingContext",
		"(github.com/redis/go-redis/v9.UniversalClient).Get": "UniversalClient.Get",
		"net/http.Get":                           "http.Get",
		"github.com/redis/go-redis/v9.NewClient": "redis.NewClient",
		"os.Getenv":                              "os.Getenv",
		"example.com/shop.main.func1":            "shop.main.func1",
		"":                                       "",
		"(":                                      "(",
	} {
		if got := ShortCall(symbol); got != want {
			t.Errorf("ShortCall(%q) = %q, want %q", symbol, got, want)
		}
	}
}

func TestDependencyName(t *testing.T) {
	for _, c := range []struct{ name, target, want string }{
		{"PostgreSQL", "", "PostgreSQL"},
		{"SQL Server", "db", "SQL Server"},
		{"SQL database", "", "the SQL database"},
		{"Kubernetes API", "", "the Kubernetes API"},
		{"HTTP service", "", "an HTTP service"},
		{"HTTP service", "https://user:pw@catalog.prod:8443/health?x", "`catalog.prod`"},
		{"gRPC service", "", "a gRPC service"},
		{"SMTP server", "", "an SMTP server"},
		{"TCP endpoint", "10.0.0.1:80", "`10.0.0.1`"},
		{"OAuth2 server", "", "an OAuth2 server"},
		{"", "", "`http.Get`"},
	} {
		if got := DependencyName(&model.Dependency{Name: c.name, Target: c.target, Call: "net/http.Get"}); got != c.want {
			t.Errorf("%q at %q = %q, want %q", c.name, c.target, got, c.want)
		}
	}
}

// Whatever the names in a program are, a title and a label keep their length and their backticks.
func TestTitlesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching("[a-zäß/.-]{0,120}")
		a, b := Quote(name.Draw(t, "a")), name.Draw(t, "b")
		for limit, s := range map[int]string{
			TitleLength: Title("liveness probe of %s fails whenever %s does", a, b),
			LabelLength: Text("leads to %s and %s", a, b),
		} {
			if n := utf8.RuneCountInString(s); n > limit {
				t.Fatalf("%d code points: %q", n, s)
			}
			if strings.Count(s, "`")%2 != 0 {
				t.Fatalf("odd backticks: %q", s)
			}
		}
		if n := utf8.RuneCountInString(FirstFit(a+b, b+b+b)); n > LabelLength {
			t.Fatalf("label of %d code points", n)
		}
	})
}

// Names are cut last and evenly, and stay long enough to be known.
func TestNamesStayKnown(t *testing.T) {
	const long = "kserve-controller-manager-metrics-service"
	for _, c := range []struct{ got, want string }{
		{Title("%s behind Service %s has no readiness probe", Quote("kserve-controller-manager-x/kube-rbac-proxy"), Quote(long)), "`kserve-controller-mana…` behind Service `kserve-controller-manag…` has no readiness probe"},
		{Title("%s asks %s, and %s answers", "liveness probe of `descheduler`", Quote("/healthz"), Quote(strings.Repeat("x", 60))), "liveness probe of `descheduler` asks `/healthz`, and `xxxxxxxxxxxxxxxxxxxxxxxxxx…` answers"},
		{Title("%s cannot be read: "+strings.Repeat("word ", 20), Quote("deploy/self.yaml")), "`deploy/self.yaml` cannot be read: word word word word word word word word word word word…"},
		{Text("the kubelet restarts container %s when this fails", Quote("order-service-main")), "the kubelet restarts container `order-serv…` when this fails"},
		{FirstTitle(strings.Repeat("x", 100), strings.Repeat("word ", 17)+Quote("name")), strings.Repeat("word ", 17) + "`na…`"},
		{FirstTitle(strings.Repeat("word ", 17) + "tail `name`"), strings.Repeat("word ", 17) + "tail…"},
	} {
		if n := utf8.RuneCountInString(c.got); c.got != c.want || n > TitleLength {
			t.Errorf("%d code points:\n got %s\nwant %s", n, c.got, c.want)
		}
	}
}

func TestElsewhere(t *testing.T) {
	w := &model.Workload{Services: []*model.Service{{Name: "shop", Namespace: "prod"}}}
	for host, want := range map[string]bool{
		"": false, "localhost": false, "127.0.0.1": false, "[::1]": false, "0.0.0.0": false, "/var/run/pg": false,
		"$(POD_IP)": false, "${HOST}": false, "{{ .host }}": false,
		"shop": false, "shop.prod.svc.cluster.local": false, "shop.other.svc": true,
		"db": true, "10.1.2.3": true, "status.example.com": true,
	} {
		if got := Elsewhere(host, w); got != want {
			t.Errorf("Elsewhere(%q) = %v", host, got)
		}
	}
}

func TestSuggestedFits(t *testing.T) {
	for timeout, want := range map[float64]string{1: "800ms", 2: "1600ms", 5: "4s", 10: "8s"} {
		if got := Suggested(timeout); got != want {
			t.Errorf("Suggested(%g) = %q, want %q", timeout, got, want)
		}
	}
}

func TestWaitOf(t *testing.T) {
	known := func(s float64) *model.Deadline { return &model.Deadline{Seconds: s, Known: true} }
	for _, c := range []struct {
		d    model.Dependency
		want Waits
	}{
		{model.Dependency{Bound: model.BoundNone}, WaitsLong},
		{model.Dependency{Bound: model.BoundRequest}, WaitsLong},
		{model.Dependency{Bound: model.BoundAnswer, Deadline: known(1)}, WaitsLong},
		{model.Dependency{Bound: model.BoundDeadline, Deadline: known(2)}, WaitsLong},
		{model.Dependency{Bound: model.BoundDeadline, Deadline: known(1.9)}, WaitsNot},
		{model.Dependency{Bound: model.BoundConfigured}, WaitsMaybe},
		{model.Dependency{Bound: model.BoundUnknown}, WaitsMaybe},
		{model.Dependency{Bound: model.BoundNone, AfterAnswer: true}, WaitsNot},
		{model.Dependency{Bound: model.BoundNone, Mode: "detached"}, WaitsNot},
	} {
		if got := WaitOf(&c.d, 2); got != c.want {
			t.Errorf("WaitOf(%+v) = %v, want %v", c.d, got, c.want)
		}
	}
}

// Names in a program are no formats.
func TestNamesAreNoFormats(t *testing.T) {
	got := AnyOf("`/a%2Fb` fails whenever", []string{"`%s`", "B", "C"}, "does", "do")
	if want := "`/a%2Fb` fails whenever `%s` or 2 others do"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	long := strings.Repeat("x", 60)
	got = AnyOf("liveness probe of `shop` fails whenever", []string{long, "B"}, "does", "do")
	if want := "liveness probe of `shop` fails whenever any of 2 dependencies does"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestViaLabelsBeginAtTheHandler(t *testing.T) {
	at := func(line int) model.Span { return model.Span{File: "a.go", Start: line, End: line + 1, Line: line} }
	d := &model.Dependency{Call: "(*database/sql.DB).Ping", Span: at(99)}
	for i, symbol := range []string{"mw.log", "mw.auth", "app.health", "app.a", "app.b", "app.c", "app.c"} {
		d.Via = append(d.Via, model.Frame{Symbol: symbol, Span: at(10 * (i + 1))})
	}
	d.Via[6].Span = d.Span // the last frame is the call itself
	p := &Pass{Endpoint: &model.Endpoint{Symbol: "app.health"}}
	var lines []int
	for _, l := range p.ViaLabels(d) {
		lines = append(lines, l.Span.Line)
	}
	if want := []int{30, 50, 60}; !slices.Equal(lines, want) {
		t.Errorf("got the lines %v, want %v", lines, want)
	}
	p.Endpoint.Symbol = "elsewhere"
	if got := p.ViaLabels(d); len(got) != 3 || got[0].Span.Line != 10 {
		t.Errorf("without the handler's frame: %v", got)
	}
}
