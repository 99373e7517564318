package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

// say is a rule of a route in short.
func say(r model.IngressRoute) string {
	s := fmt.Sprintf("%s %s %s -> %s:%d%s", r.Host, r.Match, r.Path, r.Service, r.Port, r.PortName)
	if r.Method != "" || len(r.Headers) > 0 {
		s += fmt.Sprintf(" if %s%v", r.Method, r.Headers)
	}
	if r.Filtered {
		s += " filtered"
	}
	return s + " at " + r.Field
}

func TestRoutes(t *testing.T) {
	const service = "---\n{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {app: a}, ports: [{name: http, port: 80, targetPort: 8080}]}}\n---\n"
	for _, x := range []struct {
		what, text string
		want       []string
	}{
		{"ingress v1", `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {defaultBackend: {service: {name: a, port: {number: 80}}}, rules: [
{host: h, http: {paths: [{path: /p, pathType: Prefix, backend: {service: {name: a, port: {name: http}}}}, {path: /x, pathType: Exact, backend: {service: {name: b, port: {number: 1}}}},
 {path: /y, pathType: ImplementationSpecific, backend: {service: {name: a, port: {number: 80}}}}, {path: /z/*, pathType: ImplementationSpecific, backend: {service: {name: a, port: {number: 80}}}}]}},
{http: {paths: [{pathType: Prefix, backend: {service: {name: a, port: {number: 80}}}}, {path: /r, pathType: Prefix, backend: {resource: {kind: Bucket, name: b}}}]}}]}}`, []string{
			"   -> a:80 at spec.defaultBackend", "h prefix /p -> a:0http at spec.rules[0].http.paths[0].path", "h exact /x -> b:1 at spec.rules[0].http.paths[1].path",
			"h pattern /y -> a:80 at spec.rules[0].http.paths[2].path", "h prefix /z/ -> a:80 at spec.rules[0].http.paths[3].path", "   -> a:80 at spec.rules[1].http.paths[0].backend",
		}},
		{"ingress v1beta1 of nginx", `{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: i, annotations: {kubernetes.io/ingress.class: nginx}}, spec: {backend: {serviceName: a, servicePort: 80}, rules: [
{http: {paths: [{path: /p, backend: {serviceName: a, servicePort: http}}, {path: "/(a|b)", backend: {serviceName: a, servicePort: 80}}]}}]}}`, []string{
			"   -> a:80 at spec.backend", " prefix /p -> a:0http at spec.rules[0].http.paths[0].path", " pattern /(a|b) -> a:80 at spec.rules[0].http.paths[1].path",
		}},
		{"regular expressions of nginx", `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, annotations: {nginx.ingress.kubernetes.io/use-regex: "true"}}, spec: {rules: [
{http: {paths: [{path: /p, pathType: ImplementationSpecific, backend: {service: {name: a, port: {number: 80}}}}]}}]}}`, []string{" pattern /p -> a:80 at spec.rules[0].http.paths[0].path"}},
		{"http route", `{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: i}, spec: {hostnames: [h, g], rules: [
{matches: [{path: {value: /p}}, {path: {type: Exact, value: /x}, method: POST, headers: [{name: v, value: "2"}], queryParams: [{name: q, value: "1"}]}], backendRefs: [{name: a, port: 80}, {name: b, kind: Backend}]},
{filters: [{type: RequestHeaderModifier}], matches: [{path: {type: RegularExpression, value: /r.*}}], backendRefs: [{name: a, port: 80}]}, {filters: [{type: URLRewrite}], backendRefs: [{name: a, port: 80}]}]}}`, []string{
			"h prefix /p -> a:80 at spec.rules[0].matches[0].path.value", "g prefix /p -> a:80 at spec.rules[0].matches[0].path.value",
			"h exact /x -> a:80 if POST[v q] at spec.rules[0].matches[1].path.value", "g exact /x -> a:80 if POST[v q] at spec.rules[0].matches[1].path.value",
			"h pattern /r.* -> a:80 at spec.rules[1].matches[0].path.value", "g pattern /r.* -> a:80 at spec.rules[1].matches[0].path.value",
			"h   -> a:80 filtered at spec.rules[2].backendRefs", "g   -> a:80 filtered at spec.rules[2].backendRefs",
		}},
		{"route of a mesh", `{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: i}, spec: {parentRefs: [{kind: Service, name: a}], rules: [{backendRefs: [{name: a, port: 80}]}]}}`, nil},
		{"grpc route", `{apiVersion: gateway.networking.k8s.io/v1, kind: GRPCRoute, metadata: {name: i}, spec: {rules: [{matches: [{method: {service: s, method: m}}], backendRefs: [{name: a, port: 80}]}]}}`, []string{
			" pattern /s/m -> a:80 at spec.rules[0].backendRefs",
		}},
		{"openshift", `{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: i}, spec: {host: h, path: /p, to: {kind: Service, name: a}, port: {targetPort: http}, alternateBackends: [{kind: Service, name: b}]}}`, []string{
			"h prefix /p -> a:0http at spec.path", "h prefix /p -> b:0http at spec.path",
		}},
		{"traefik", "{apiVersion: traefik.io/v1alpha1, kind: IngressRoute, metadata: {name: i}, spec: {routes: [{match: 'Host(`h`) && PathPrefix(`/p`)', services: [{name: a, port: 80}]}, {match: 'Path(`/x`)', middlewares: [{name: m}], services: [{name: a, port: http}]}, {match: 'Host(`h`) || Host(`g`)', services: [{name: a, port: 80}]}, {match: Host(`h`), services: [{name: a, port: 80}, {name: t, kind: TraefikService}]}]}}", []string{
			"h prefix /p -> a:80 at spec.routes[0].match", " exact /x -> a:0http filtered at spec.routes[1].match", " pattern Host(`h`) || Host(`g`) -> a:80 at spec.routes[2].match",
			"h   -> a:80 at spec.routes[3].match",
		}},
		{"contour", `{apiVersion: projectcontour.io/v1, kind: HTTPProxy, metadata: {name: i}, spec: {virtualhost: {fqdn: h}, routes: [{conditions: [{prefix: /p}, {header: {name: v, exact: "1"}}], services: [{name: a, port: 80}]}, {conditions: [{exact: /x}], pathRewritePolicy: {}, services: [{name: a, port: 80}]}, {conditions: [{regex: r}], services: [{name: a, port: 80}]}, {services: [{name: a, port: 80}]}]}}`, []string{
			"h prefix /p -> a:80 if [v] at spec.routes[0].conditions[0].prefix", "h exact /x -> a:80 filtered at spec.routes[1].conditions[0].exact",
			"h pattern r -> a:80 at spec.routes[2].conditions[0].regex", "h   -> a:80 at spec.routes[3].services",
		}},
	} {
		r, _ := readText(t, app("a", "")+service+x.text+"\n")
		var got []string
		in := r.Workloads[0].Ingresses
		if len(in) != 1 {
			t.Errorf("%s: %d joined", x.what, len(in))
			continue
		}
		for _, route := range in[0].Routes {
			got = append(got, say(route))
			if _, ok := in[0].Fields[route.Field]; !ok {
				t.Errorf("%s: no field %q", x.what, route.Field)
			}
		}
		equal(t, x.what, strings.Join(got, "\n"), strings.Join(x.want, "\n"))
	}
}

// A HealthCheckPolicy is joined with the Service that it names, and a BackendConfig with the one that names it.
func TestHealthCheckPolicy(t *testing.T) {
	r, _ := readText(t, app("a", "shop")+`---
{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop, annotations: {cloud.google.com/backend-config: '{"default": "b"}'}}, spec: {selector: {app: a}, ports: [{port: 80}]}}
---
{apiVersion: networking.gke.io/v1, kind: HealthCheckPolicy, metadata: {name: p, namespace: shop}, spec: {default: {checkIntervalSec: 7, timeoutSec: 3, unhealthyThreshold: 4, config: {type: HTTP2, http2HealthCheck: {requestPath: /p, port: 9090, portSpecification: USE_FIXED_PORT}}}, targetRef: {group: "", kind: Service, name: a}}}
---
{apiVersion: networking.gke.io/v1, kind: HealthCheckPolicy, metadata: {name: serving, namespace: shop}, spec: {default: {config: {type: HTTP, httpHealthCheck: {requestPath: /s, port: 1, portSpecification: USE_SERVING_PORT}}}, targetRef: {kind: Service, name: a}}}
---
{apiVersion: networking.gke.io/v1, kind: HealthCheckPolicy, metadata: {name: elsewhere}, spec: {default: {config: {type: TCP}}, targetRef: {kind: Service, name: a}}}
---
{apiVersion: networking.gke.io/v1, kind: HealthCheckPolicy, metadata: {name: import, namespace: shop}, spec: {default: {config: {type: TCP}}, targetRef: {kind: ServiceImport, name: a}}}
---
{apiVersion: example.com/v1, kind: HealthCheckPolicy, metadata: {name: foreign, namespace: shop}, spec: {targetRef: {kind: Service, name: a}}}
---
{apiVersion: cloud.google.com/v1, kind: BackendConfig, metadata: {name: b, namespace: shop}, spec: {healthCheck: {checkIntervalSec: 20, requestPath: /b}}}
`)
	var got []string
	for _, b := range r.Workloads[0].Services[0].BackendConfigs {
		got = append(got, fmt.Sprintf("%s/%s %s %s %d %g %g %d %v", b.Kind, b.Name, b.Type, b.Path, b.Port, b.Interval, b.Timeout, b.Unhealthy, !b.Fields[b.TargetFields+".requestPath"].Value.IsZero()))
	}
	equal(t, "checks", got, []string{
		"HealthCheckPolicy/p HTTP2 /p 9090 7 3 4 true", "HealthCheckPolicy/serving HTTP /s 0 0 0 0 true", "BackendConfig/b  /b 0 20 0 0 true",
	})
}
