package kubelet_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want string
	}{
		{0, "0s"},
		{20, "20s"},
		{1.5, "1.5s"},
		{0.25, "0.25s"},
		{901, "901s"},
		{3600, "3600s"},
		{3601, "1h1s"},
		{5400, "1h30m"},
		{7200, "2h"},
		{90061.5, "25h1m1.5s"},
		{0.1 + 0.2, "0.3s"},
		{-5, "-5s"},
		{math.Inf(1), "unbounded"},
	} {
		if got := kubelet.Seconds(c.in); got != c.want {
			t.Errorf("Seconds(%v) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := kubelet.Span(model.Range{Best: 20, Worst: 31}); got != "20s to 31s" {
		t.Error(got)
	}
	if got := kubelet.Span(model.Range{Best: 20, Worst: 20}); got != "20s" {
		t.Error(got)
	}
}

func probe(role model.Role, p, timeout, f, d int) *model.Probe {
	return &model.Probe{
		Role: role, Kind: model.HTTPGet, Target: model.Target{Path: "/", Port: 8080},
		PeriodSeconds: p, TimeoutSeconds: timeout, FailureThreshold: f, SuccessThreshold: 1, InitialDelaySeconds: d,
	}
}

func TestWindows(t *testing.T) {
	r := func(best, worst float64) model.Range { return model.Range{Best: best, Worst: worst} }
	live, ready, start := probe(model.Liveness, 30, 3, 3, 5), probe(model.Readiness, 1, 15, 60, 1), probe(model.Startup, 5, 3, 24, 0)
	detect := func(fast, hang model.Range) *model.Detect { return &model.Detect{Fast: fast, Hang: hang} }
	boot := func(best, worst float64) *model.Range { x := r(best, worst); return &x }
	unread := probe(model.Readiness, 10, 1, 3, 0)
	unread.Unknown = []string{"failureThreshold"}
	nothing := probe(model.Readiness, 10, 1, 3, 0)
	nothing.Unknown = []string{"periodSeconds"}
	named := probe(model.Liveness, 10, 1, 3, 0)
	named.Target = model.Target{Path: "/", PortName: "web"}
	placeholder := probe(model.Readiness, 10, 1, 3, 0)
	placeholder.Target = model.Target{Path: "/", PortName: "${PORT}"}
	placeholder.Unknown = []string{"httpGet.port"}
	none := probe(model.Liveness, 10, 1, 3, 0)
	none.Kind = model.KindNone
	for _, c := range []struct {
		name string
		p    *model.Probe
		c    *model.Container
		want *model.Windows
	}{
		{
			"liveness without a startup probe", live, &model.Container{Probes: []*model.Probe{live}},
			&model.Windows{Detect: detect(r(60, 90), r(63, 93)), Boot: boot(64, 95)},
		},
		{
			"liveness with one", live, &model.Container{Probes: []*model.Probe{live, start}},
			&model.Windows{Detect: detect(r(60, 90), r(63, 93))},
		},
		{
			"readiness, a hung attempt in flight", ready, nil,
			&model.Windows{Detect: detect(r(59, 60), r(900, 901)), Recover: boot(0, 15)},
		},
		{"startup", start, nil, &model.Windows{Boot: boot(115, 120)}},
		{"a threshold that could not be read", unread, nil, &model.Windows{Recover: boot(0, 10)}},
		{"a period that could not be read", nothing, nil, nil},
		{
			"unknown port name", named, nil,
			&model.Windows{Never: `no port of the container is named "web": every attempt errors and is discarded`},
		},
		{
			"a port that could not be read", placeholder, nil,
			&model.Windows{Detect: detect(r(20, 30), r(21, 31)), Recover: boot(0, 10)},
		},
		{"no handler", none, nil, nil},
	} {
		if diff := cmp.Diff(c.want, kubelet.Windows(c.p, c.c)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

// Values that no API server accepts reach the arithmetic before anything judges them.
func TestTimingOfNeverGivesNegativeWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-5, 5)
		p := probe(model.Liveness, n.Draw(t, "p"), n.Draw(t, "t"), n.Draw(t, "f"), n.Draw(t, "d"))
		p.SuccessThreshold = n.Draw(t, "s")
		tm := kubelet.TimingOf(p)
		for _, r := range []model.Range{tm.DetectFast(), tm.DetectHang(), tm.Boot(), tm.BootHang(), tm.Recover()} {
			if r.Best < 0 || r.Worst < r.Best {
				t.Fatalf("%+v: %+v", tm, r)
			}
		}
	})
}

func TestMeetMeetsTheBudget(t *testing.T) {
	if got, ok := timing(1, 15, 60).Meet(45); !ok || got.Period != 15 || got.Timeout != 10 || got.FailureThreshold != 2 {
		t.Errorf("%+v %v", got, ok)
	}
	rapid.Check(t, func(t *rapid.T) {
		tm := drawTiming(t)
		budget := rapid.Float64Range(0, 200).Draw(t, "budget")
		got, ok := tm.Meet(budget)
		worst := got.DetectHang().Worst
		switch {
		case ok && worst > budget:
			t.Fatalf("%+v becomes %+v, which takes %vs", tm, got, worst)
		case ok && got != tm && (got.FailureThreshold < 2 || got.Timeout >= got.Period || got.Timeout > tm.Timeout):
			t.Fatalf("%+v becomes %+v", tm, got)
		case !ok && budget >= 5: // every 2 s, 1 s, twice
			t.Fatalf("nothing found for %+v in %vs", tm, budget)
		}
	})
}

func TestShutdown(t *testing.T) {
	for _, c := range []struct {
		s                        kubelet.Shutdown
		drain, needs, kill, gone float64
		cuts                     bool
	}{
		{kubelet.Shutdown{Grace: 30}, 0, 2, 30, 30, false},
		{kubelet.Shutdown{PreStop: 10, Timeout: 20, Grace: 30}, 10, 32, 20, 30, true},
		{kubelet.Shutdown{PreStop: 5, Wait: 3, Timeout: 20, Grace: 30}, 8, 30, 25, 30, false},
		// The hook eats the whole grace period: two seconds are left, and the container lives that much longer.
		{kubelet.Shutdown{PreStop: 3000, Grace: 30}, 3000, 3002, 2, 32, true},
		{kubelet.Shutdown{PreStop: 29, Grace: 30}, 29, 31, 2, 31, true},
	} {
		if c.s.Drain() != c.drain || c.s.Needs() != c.needs || c.s.TermToKill() != c.kill || c.s.StopMax() != c.gone || c.s.Cuts() != c.cuts {
			t.Errorf("%+v: drain %v needs %v kill %v gone %v cuts %v", c.s, c.s.Drain(), c.s.Needs(), c.s.TermToKill(), c.s.StopMax(), c.s.Cuts())
		}
	}
	if s := (kubelet.Shutdown{PreStop: 2}); s.Refuses(2) || !s.Refuses(5) {
		t.Error("a drain as long as the propagation refuses nobody")
	}
}

func TestPropagationAndLoad(t *testing.T) {
	svc := &model.Service{Name: "a"}
	for _, c := range []struct {
		w     *model.Workload
		delay float64
		front string
	}{
		{&model.Workload{}, 0, ""},
		{&model.Workload{Services: []*model.Service{svc}}, 2, "Service `a`"},
		{&model.Workload{Services: []*model.Service{svc, {Name: "b", Type: "LoadBalancer"}}}, 5, "load balancer Service `b`"},
		{&model.Workload{Services: []*model.Service{svc}, Ingresses: []*model.Ingress{{Kind: "Ingress", Name: "c"}}}, 5, "Ingress `c`"},
	} {
		if delay, front := kubelet.Propagation(c.w); delay != c.delay || front != c.front {
			t.Errorf("%v %q, want %v %q", delay, front, c.delay, c.front)
		}
	}
	if got := kubelet.FleetLoad(100, 1, 1); got != 100 {
		t.Error(got)
	}
	if got := kubelet.FleetLoad(6, 2, 0); got != 1.2 {
		t.Error(got)
	}
}
