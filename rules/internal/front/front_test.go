package front

import (
	"testing"

	"github.com/probelint/probelint/internal/model"
)

func workload(annotations map[string]string, routes ...model.IngressRoute) *model.Workload {
	for i := range routes {
		if routes[i].Service == "" {
			routes[i].Service, routes[i].Port = "a", 80
		}
	}
	return &model.Workload{
		Services:  []*model.Service{{Name: "a", Ports: []model.ServicePort{{Name: "http", Port: 80, TargetPort: 8080, TargetName: "web"}}}},
		Ingresses: []*model.Ingress{{Kind: "Ingress", Name: "i", Services: []string{"a"}, Routes: routes, Annotations: annotations}},
	}
}

func TestWays(t *testing.T) {
	type route = model.IngressRoute
	for _, x := range []struct {
		what   string
		path   string
		routes []route
		want   int
	}{
		{"every path", "/livez", []route{{}}, 1},
		{"root", "/livez", []route{{Path: "/", Match: model.MatchPrefix}}, 1},
		{"a query is no part of the path", "/livez?full=1", []route{{Path: "/livez", Match: model.MatchExact}}, 1},
		{"whole elements", "/healthz", []route{{Path: "/health", Match: model.MatchPrefix}}, 0},
		{"a prefix with a slash", "/health/live", []route{{Path: "/health/", Match: model.MatchPrefix}}, 1},
		{"exactly", "/livez/", []route{{Path: "/livez", Match: model.MatchExact}}, 0},
		{"the longest wins", "/health/live", []route{{Path: "/", Match: model.MatchPrefix}, {Path: "/health", Match: model.MatchPrefix, Service: "other"}}, 0},
		{"exact wins over a longer text", "/health", []route{{Path: "/health", Match: model.MatchPrefix, Service: "other"}, {Path: "/health", Match: model.MatchExact}}, 1},
		{"of several hosts one is enough", "/livez", []route{{Host: "x", Path: "/livez", Match: model.MatchExact, Service: "other"}, {Host: "y"}}, 1},
		{"two hosts are one way", "/livez", []route{{Host: "x"}, {Host: "y"}}, 1},
		{"a pattern of the host", "/livez", []route{{}, {Path: "/l.*", Match: model.MatchPattern}}, 0},
		{"a pattern of another host", "/livez", []route{{Host: "x", Path: "/l.*", Match: model.MatchPattern}, {Host: "y"}}, 1},
		{"another method", "/livez", []route{{Method: "POST"}}, 0},
		{"a header", "/livez", []route{{Headers: []string{"x"}}}, 0},
		{"a filter", "/livez", []route{{Filtered: true}}, 0},
		{"another port of the Service", "/livez", []route{{Service: "a", Port: 81}}, 0},
		{"a port by name", "/livez", []route{{Service: "a", PortName: "http"}}, 1},
		{"a port by the pod's name", "/livez", []route{{Service: "a", PortName: "web"}}, 0},
		{"the only port", "/livez", []route{{Service: "a"}}, 1},
	} {
		if got := len(Ways(workload(nil, x.routes...), x.path, 8080)); got != x.want {
			t.Errorf("%s: %d ways, want %d", x.what, got, x.want)
		}
	}
	if len(Ways(workload(nil, route{}), "/livez", 9090)) != 0 || len(Ways(workload(nil, route{}), "/livez", 0)) != 0 {
		t.Error("a way to a port that nothing leads to")
	}
	w := workload(nil, route{Service: "a", PortName: "web"})
	w.Ingresses[0].Kind = "Route"
	if len(Ways(w, "/livez", 8080)) != 1 {
		t.Error("OpenShift names the port of the pod")
	}
}

func TestGuards(t *testing.T) {
	for _, x := range []struct {
		key, value string
		open       bool
	}{
		{"nginx.ingress.kubernetes.io/proxy-body-size", "8m", true},
		{"cert-manager.io/cluster-issuer", "letsencrypt", true},
		{"nginx.ingress.kubernetes.io/auth-url", "http://auth", false},
		{"nginx.ingress.kubernetes.io/whitelist-source-range", "10.0.0.0/8", false},
		{"haproxy.org/allow-list", "10.0.0.0/8", false},
		{"nginx.ingress.kubernetes.io/rewrite-target", "/$1", false},
		{"traefik.ingress.kubernetes.io/router.middlewares", "login@kubernetescrd", false},
		{"konghq.com/plugins", "key-auth", false},
		{"alb.ingress.kubernetes.io/scheme", "internet-facing", true},
		{"alb.ingress.kubernetes.io/scheme", "internal", false},
		{"alb.ingress.kubernetes.io/target-type", "ip", false},
		{"kubernetes.io/ingress.class", "gce-internal", false},
		{"kubernetes.io/ingress.class", "nginx", true},
		{"nginx.ingress.kubernetes.io/configuration-snippet", "more_set_headers x;\n", true},
		{"nginx.ingress.kubernetes.io/configuration-snippet", "allow 10.0.0.0/8;\ndeny all;", false},
		{"nginx.ingress.kubernetes.io/server-snippet", "location /livez { internal; }", false},
	} {
		if got := len(Ways(workload(map[string]string{x.key: x.value}, model.IngressRoute{}), "/livez", 8080)) > 0; got != x.open {
			t.Errorf("%s: %q: open %v", x.key, x.value, got)
		}
	}
}

func TestStores(t *testing.T) {
	const key = "nginx.ingress.kubernetes.io/configuration-snippet"
	for text, want := range map[string]string{
		"proxy_cache a;\nproxy_cache_valid 200 5m;":        "5m",
		"proxy_cache a; proxy_cache_valid 10s;":            "10s",
		"proxy_cache a; proxy_cache_valid any 1h;":         "1h",
		"proxy_cache a; proxy_cache_valid 200 301 302 1d;": "1d",
		"proxy_cache a;": "",
		"proxy_cache off; proxy_cache_valid 200 5m;":                                   "",
		"proxy_cache a; proxy_cache_valid 404 5m;":                                     "",
		"proxy_cache a; proxy_cache_valid 200 0;":                                      "",
		"# proxy_cache a;\nproxy_cache_valid 200 5m;":                                  "",
		"proxy_cache_valid 200 5m;":                                                    "",
		"proxy_cache a; proxy_cache_valid 200 5m; proxy_no_cache 1;":                   "",
		"proxy_cache a; proxy_cache_valid 200 5m; proxy_ignore_headers Cache-Control;": "",
	} {
		c, ok := Stores(&model.Ingress{Annotations: map[string]string{key: text}})
		if c.For != want || ok != (want != "") {
			t.Errorf("%q: %q %v", text, c.For, ok)
		}
	}
	if _, ok := Stores(&model.Ingress{Annotations: map[string]string{"example.com/x-snippet": "proxy_cache a; proxy_cache_valid 200 5m;"}}); ok {
		t.Error("a stranger's snippet")
	}
}
