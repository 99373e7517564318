package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// describeInvalid writes a record as "rejected `path` title [text at the span] -> rename => replace".
func describeInvalid(t testing.TB, set *source.Set, i model.Invalid) string {
	t.Helper()
	f, err := set.Get(i.Span.File)
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(i.Label)); n > lint.LabelLength || n == 0 {
		t.Errorf("label of %d characters: %s", n, i.Label)
	}
	s := "dropped"
	if i.Rejected {
		s = "rejected"
	}
	s += fmt.Sprintf(" `%s` %s [%s]", i.Path, i.Title, f.Data[i.Span.Start:i.Span.End])
	if i.Rename != "" {
		s += " -> " + i.Rename
	}
	if i.Replace != "" {
		s += " => " + i.Replace
	}
	return s
}

func describeAll(t testing.TB, set *source.Set, is []model.Invalid) []string {
	t.Helper()
	var out []string
	for _, i := range is {
		out = append(out, describeInvalid(t, set, i))
	}
	return out
}

// The table of SEMANTICS.md K1, and what lies around it.
func TestProbeInvalid(t *testing.T) {
	const get = "httpGet: {path: /, port: 8080}\n"
	tests := []struct {
		name, role, probe string
		want              []string
	}{
		// Accepted.
		{"all fields", "readiness", get + "initialDelaySeconds: 0\ntimeoutSeconds: 60\nperiodSeconds: 1\nsuccessThreshold: 5\nfailureThreshold: 99999\n", nil},
		{"named port that is no port", "liveness", "httpGet: {port: nosuchport}\n", nil},
		{"one word with a pipe", "liveness", "exec: {command: [\"a b | c\"]}\n", nil},
		{"host", "liveness", "tcpSocket: {port: 1, host: db.example.com}\n", nil},
		{"grace above the pod's", "liveness", get + "terminationGracePeriodSeconds: 600\n", nil},
		{"explicit zeros", "liveness", get + "timeoutSeconds: 0\nperiodSeconds: 0\nsuccessThreshold: 0\nfailureThreshold: 0\n", nil},
		{"nulls", "liveness", get + "timeoutSeconds: null\nexec: ~\ntcpSocket:\n", nil},
		{"numbers of YAML 1.1", "liveness", get + "timeoutSeconds: 0x2\nperiodSeconds: 1_0\nfailureThreshold: 3.0\n", nil},
		{"path without a slash", "liveness", "httpGet: {path: healthz, port: 65535, scheme: HTTPS}\n", nil},
		{"empty path", "liveness", "httpGet: {path: '', port: http}\n", nil},
		{"grpc without a service", "liveness", "grpc: {port: 9000}\n", nil},
		{"placeholders", "liveness", "httpGet: {port: '${PORT}', path: '${P}', scheme: '${S}'}\nperiodSeconds: ${PERIOD}\ntimeoutSeconds: '{{ .t }}'\n", nil},

		// Handlers.
		{"no handler", "liveness", "periodSeconds: 5\n", []string{"rejected `` has no handler [livenessProbe]"}},
		{"empty probe", "liveness", "{}\n", []string{"rejected `` has no handler [livenessProbe]"}},
		{"handler of null", "liveness", "httpGet:\n", []string{"rejected `` has no handler [livenessProbe]"}},
		{"two handlers", "liveness", get + "exec: {command: [a]}\n", []string{"rejected `exec` is a second handler beside `httpGet` [exec]"}},
		{"mis-cased handler", "liveness", "httpget: {path: /, port: 8080}\n", []string{"rejected `httpget` is no field of a probe: names are case-sensitive [httpget] -> httpGet"}},
		{"mis-spelled handler", "readiness", "tcpScoket: {port: 8080}\n", []string{"rejected `tcpScoket` is no field of a probe [tcpScoket] -> tcpSocket"}},
		{"not a mapping", "liveness", "[a]\n", []string{"rejected `` is a list, not a mapping [[a]]"}},
		{"text", "liveness", "/healthz\n", []string{"rejected `` is the text `\"/healthz\"`, not a mapping [/healthz]"}},
		{"exec without a command", "liveness", "exec: {}\n", []string{"rejected `exec` has no command [exec]"}},
		{"exec with text", "liveness", "exec: {command: cat /x}\n", []string{"rejected `exec.command` is the text `\"cat /x\"`, not a list [cat /x]"}},
		{"exec with a number", "liveness", "exec: {command: [sleep, 5, yes]}\n", []string{"rejected `exec.command[1]` is the number 5, not text [5] => \"5\"", "rejected `exec.command[2]` is the boolean yes, not text [yes] => \"yes\""}},
		{"exec with a quoted number", "liveness", "exec: {command: [sleep, '5', \"yes\"]}\n", nil},
		{"httpGet with text", "liveness", "httpGet: /healthz\n", []string{"rejected `httpGet` is the text `\"/healthz\"`, not a mapping [/healthz]"}},

		// Thresholds and numbers.
		{"successThreshold of liveness", "liveness", get + "successThreshold: 2\n", []string{"rejected `successThreshold` is 2, and a liveness probe takes 1 alone [2]"}},
		{"successThreshold of startup", "startup", get + "successThreshold: 3\n", []string{"rejected `successThreshold` is 3, and a startup probe takes 1 alone [3]"}},
		{"grace of readiness", "readiness", get + "terminationGracePeriodSeconds: 10\n", []string{"rejected `terminationGracePeriodSeconds` is not allowed in a readiness probe [terminationGracePeriodSeconds]"}},
		{"grace of zero", "liveness", get + "terminationGracePeriodSeconds: 0\n", []string{"rejected `terminationGracePeriodSeconds` is 0, and the least value of a probe is 1 [0]"}},
		{"negative grace", "startup", get + "terminationGracePeriodSeconds: -1\n", []string{"rejected `terminationGracePeriodSeconds` is -1, and the least value of a probe is 1 [-1]"}},
		{"negative", "liveness", get + "initialDelaySeconds: -1\nfailureThreshold: -3\n", []string{"rejected `initialDelaySeconds` is -1, and the least value is 0 [-1]", "rejected `failureThreshold` is -3, and the least value is 0 [-3]"}},
		{"quoted number", "liveness", get + "periodSeconds: \"10\"\n", []string{"rejected `periodSeconds` is the text `\"10\"`, not a whole number [\"10\"] => 10"}},
		{"duration", "liveness", get + "timeoutSeconds: 5s\n", []string{"rejected `timeoutSeconds` is the text `\"5s\"`, not a whole number [5s]"}},
		{"fraction", "liveness", get + "timeoutSeconds: 0.5\n", []string{"rejected `timeoutSeconds` is the number 0.5, not a whole number [0.5]"}},
		{"too large", "liveness", get + "timeoutSeconds: 3000000000\n", []string{"rejected `timeoutSeconds` is 3000000000, and the field has 32 bits [3000000000]"}},
		{"boolean", "liveness", get + "timeoutSeconds: true\n", []string{"rejected `timeoutSeconds` is the boolean true, not a whole number [true]"}},

		// Ports.
		{"quoted port", "liveness", "httpGet: {port: \"8080\"}\n", []string{"rejected `httpGet.port` is the text `\"8080\"`, not a number [\"8080\"] => 8080"}},
		{"long port name", "liveness", "tcpSocket: {port: a-very-long-port}\n", []string{"rejected `tcpSocket.port` is a name of 16 characters, and the longest has 15 [a-very-long-port]"}},
		{"upper-case port name", "liveness", "httpGet: {port: HTTP}\n", []string{"rejected `httpGet.port` is no port name: lower-case letters, digits, single hyphens [HTTP]"}},
		{"port with two hyphens", "liveness", "httpGet: {port: a--b}\n", []string{"rejected `httpGet.port` is no port name: lower-case letters, digits, single hyphens [a--b]"}},
		{"port 0", "liveness", "httpGet: {port: 0}\n", []string{"rejected `httpGet.port` is 0, outside 1 to 65535 [0]"}},
		{"port 65536", "liveness", "tcpSocket: {port: 65536}\n", []string{"rejected `tcpSocket.port` is 65536, outside 1 to 65535 [65536]"}},
		{"no port", "liveness", "httpGet: {path: /}\n", []string{"rejected `httpGet` has no port [httpGet]"}},
		{"empty port", "liveness", "httpGet: {port: ''}\n", []string{"rejected `httpGet.port` is empty ['']"}},
		{"boolean port", "liveness", "httpGet: {port: on}\n", []string{"rejected `httpGet.port` is the boolean on, not a number or a name [on]"}},
		{"grpc port name", "liveness", "grpc: {port: grpc}\n", []string{"rejected `grpc.port` is the text `\"grpc\"`, not a whole number [grpc]"}},
		{"quoted grpc port", "liveness", "grpc: {port: \"9000\"}\n", []string{"rejected `grpc.port` is the text `\"9000\"`, not a whole number [\"9000\"] => 9000"}},
		{"grpc without a port", "liveness", "grpc: {service: x}\n", []string{"rejected `grpc` has no port [grpc]"}},

		// httpGet and grpc.
		{"lower-case scheme", "liveness", "httpGet: {port: 1, scheme: https}\n", []string{"rejected `httpGet.scheme` is `https`: the schemes are HTTP and HTTPS [https] => HTTPS"}},
		{"unknown scheme", "liveness", "httpGet: {port: 1, scheme: tcp}\n", []string{"rejected `httpGet.scheme` is `tcp`: the schemes are HTTP and HTTPS [tcp]"}},
		{"header name", "liveness", "httpGet: {port: 1, httpHeaders: [{name: 'a b', value: x}]}\n", []string{"rejected `httpGet.httpHeaders[0].name` is no header name: letters, digits and hyphens ['a b']"}},
		{"header value", "liveness", "httpGet: {port: 1, httpHeaders: [{name: X, value: 1}]}\n", []string{"rejected `httpGet.httpHeaders[0].value` is the number 1, not text [1] => \"1\""}},
		{"headers as a mapping", "liveness", "httpGet: {port: 1, httpHeaders: {X: a}}\n", []string{"rejected `httpGet.httpHeaders` is a mapping, not a list [{X: a}]"}},
		{"grpc TLS", "liveness", "grpc: {port: 1, mode: TLS}\n", []string{"dropped `grpc.mode` is behind the gate GRPCContainerProbeTLS, which is off [TLS]"}},
		{"h2c", "liveness", "httpGet: {port: 1, protocol: HTTP2}\n", []string{"dropped `httpGet.protocol` is behind the gate H2CContainerProbe, which is off [HTTP2]"}},

		// Unknown fields.
		{"typo", "liveness", get + "failureTreshold: 5\n", []string{"dropped `failureTreshold` is no field of a probe [failureTreshold] -> failureThreshold"}},
		{"typo beside the right field", "liveness", get + "periodSecond: 5\nperiodSeconds: 3\n", []string{"dropped `periodSecond` is no field of a probe [periodSecond]"}},
		{"case", "liveness", get + "TimeoutSeconds: 5\n", []string{"dropped `TimeoutSeconds` is no field of a probe: names are case-sensitive [TimeoutSeconds] -> timeoutSeconds"}},
		{"nothing near", "liveness", get + "interval: 5\n", []string{"dropped `interval` is no field of a probe [interval]"}},
		{"timing in the handler", "liveness", "httpGet:\n  port: 1\n  timeoutSeconds: 5\n  failureThreshold: 2\n", []string{
			"dropped `httpGet.timeoutSeconds` belongs to the probe, not to `httpGet` [timeoutSeconds]",
			"dropped `httpGet.failureThreshold` belongs to the probe, not to `httpGet` [failureThreshold]",
		}},
		{"handler fields in the probe", "liveness", get + "path: /x\nport: 3\n", []string{
			"dropped `path` belongs to `httpGet`, not to the probe [path]", "dropped `port` belongs to `httpGet`, not to the probe [port]",
		}},
		{"probe in a probe", "liveness", get + "readinessProbe: {exec: {command: [a]}}\n", []string{"dropped `readinessProbe` belongs to the container, not to a probe [readinessProbe]"}},
		{"typo in the handler", "liveness", "httpGet: {pth: /, port: 1}\n", []string{"dropped `httpGet.pth` is no field of `httpGet` [pth] -> path"}},
		{"repeated key", "liveness", get + "periodSeconds: 5\nperiodSeconds: 7\n", []string{"dropped `periodSeconds` is written twice [periodSeconds]"}},
		{"repeated handler", "liveness", get + get, []string{"dropped `httpGet` is written twice [httpGet]"}},
		{"rejected before dropped", "liveness", "zzz: 1\n" + get + "timeoutSeconds: x\n", []string{
			"rejected `timeoutSeconds` is the text `\"x\"`, not a whole number [x]", "dropped `zzz` is no field of a probe [zzz]",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, set := readText(t, withProbe(tt.role+"Probe:\n"+indent(tt.probe, 2)))
			w := only(t, r)
			c := w.Containers[0]
			if len(c.Probes) != 1 {
				t.Fatalf("%d probes", len(c.Probes))
			}
			equal(t, "invalid", describeAll(t, set, c.Probes[0].Invalid), tt.want)
			equal(t, "elsewhere", describeAll(t, set, append(c.Invalid, w.Invalid...)), []string(nil))
			rejected := false
			for _, s := range tt.want {
				rejected = rejected || strings.HasPrefix(s, "rejected")
			}
			equal(t, "Rejected", c.Probes[0].Rejected(), rejected)
		})
	}
}

func TestNullProbeIsAbsent(t *testing.T) {
	for _, v := range []string{"", " null", " ~"} {
		r, _ := readText(t, withProbe("livenessProbe:"+v+"\n"))
		if n := len(only(t, r).Containers[0].Probes); n != 0 {
			t.Errorf("%q: %d probes", v, n)
		}
	}
}

func TestUnknownValues(t *testing.T) {
	r, _ := readText(t, withProbe("livenessProbe:\n  httpGet: {path: /x, port: $PORT}\n  periodSeconds: ${PERIOD}\n  timeoutSeconds: 3\n"))
	p := only(t, r).Containers[0].Probes[0]
	equal(t, "unknown", p.Unknown, []string{"httpGet.port", "periodSeconds"})
	equal(t, "declared", p.Declared, []string{"timeoutSeconds", "periodSeconds"})
	equal(t, "effective", []int{p.PeriodSeconds, p.TimeoutSeconds, p.Target.Port}, []int{10, 3, 0})
	equal(t, "path", p.Target.Path, "/x")
	equal(t, "port name", p.Target.PortName, "")
}

// One field that does not decode loses nothing else.
func TestBadFieldKeepsTheRest(t *testing.T) {
	r, _ := readText(t, withProbe("livenessProbe:\n  httpGet: {path: /x, port: http}\n  periodSeconds: five\n  timeoutSeconds: 3\nresources: {limits: {cpu: lots, memory: 1Mi}}\nenv: {A: b}\n"))
	c := only(t, r).Containers[0]
	p := c.Probes[0]
	equal(t, "target", p.Target, model.Target{Scheme: "HTTP", Path: "/x", Port: 8080, PortName: "http"})
	equal(t, "timeout", p.TimeoutSeconds, 3)
	equal(t, "memory", *c.MemoryLimitBytes, int64(1<<20))
	if c.CPULimitMillis != nil {
		t.Error("a limit that does not parse is a limit")
	}
}

func TestContainerInvalid(t *testing.T) {
	const probe = "{exec: {command: [a]}}"
	tests := []struct {
		name, yaml string
		want       []string // of workload, then containers, then probes
	}{
		{"typo of a probe", withProbe("livenesProbe: " + probe + "\n"), []string{"dropped `livenesProbe` is no field of a container [livenesProbe] -> livenessProbe"}},
		{"case of a probe", withProbe("ReadinessProbe: " + probe + "\n"), []string{"dropped `ReadinessProbe` is no field of a container [ReadinessProbe] -> readinessProbe"}},
		{"timing in the container", withProbe("livenessProbe: " + probe + "\nperiodSeconds: 5\n"), []string{"dropped `periodSeconds` belongs to a probe, not to a container [periodSeconds]"}},
		{"handler in the container", withProbe("httpGet: {port: 1}\n"), []string{"dropped `httpGet` belongs to a probe, not to a container [httpGet]"}},
		{"grace in the container", withProbe("terminationGracePeriodSeconds: 5\n"), []string{"dropped `terminationGracePeriodSeconds` belongs to the pod spec or to a probe, not to a container [terminationGracePeriodSeconds]"}},
		{"preStop in the container", withProbe("preStop: {sleep: {seconds: 5}}\n"), []string{"dropped `preStop` belongs to `lifecycle`, not to a container [preStop]"}},
		{"probe in resources", withProbe("resources:\n  livenessProbe: " + probe + "\n"), []string{"dropped `resources.livenessProbe` belongs to a container, not to `resources` [livenessProbe]"}},
		{"probe in ports", deployment("- name: a\n  image: b\n  ports:\n  - containerPort: 1\n    readinessProbe: " + probe + "\n"), []string{"dropped `ports[0].readinessProbe` belongs to a container, not to `ports[0]` [readinessProbe]"}},
		{"probe twice", withProbe("livenessProbe: " + probe + "\nlivenessProbe: " + probe + "\n"), []string{"dropped `livenessProbe` is written twice [livenessProbe]"}},
		{"unrelated typo", withProbe("imagePullPolcy: Always\n"), nil},
		{"probe in the pod spec", strings.Replace(deployment("- {name: a, image: b}\n"), "      containers", "      livenessProbe: "+probe+"\n      containers", 1), []string{"dropped `spec.template.spec.livenessProbe` belongs to a container, not to the pod spec [livenessProbe]"}},
		{"probe in the template", strings.Replace(deployment("- {name: a, image: b}\n"), "    spec:", "    readinessProbe: "+probe+"\n    spec:", 1), []string{"dropped `spec.template.readinessProbe` belongs to a container, not to `spec.template` [readinessProbe]"}},
		{"probe in the spec", strings.Replace(deployment("- {name: a, image: b}\n"), "  template:", "  startupProbe: "+probe+"\n  template:", 1), []string{"dropped `spec.startupProbe` belongs to a container, not to `spec` [startupProbe]"}},
		{"grace in the spec", strings.Replace(deployment("- {name: a, image: b}\n"), "  template:", "  terminationGracePeriodSeconds: 5\n  template:", 1), []string{"dropped `spec.terminationGracePeriodSeconds` belongs to the pod spec, not to `spec` [terminationGracePeriodSeconds]"}},
		{"typo of the grace", strings.Replace(deployment("- {name: a, image: b}\n"), "      containers", "      terminationGracePeriodSecond: 5\n      containers", 1), []string{"dropped `spec.template.spec.terminationGracePeriodSecond` is no field of a pod spec [terminationGracePeriodSecond] -> terminationGracePeriodSeconds"}},
		{"quoted grace", strings.Replace(deployment("- {name: a, image: b}\n"), "      containers", "      terminationGracePeriodSeconds: '5'\n      containers", 1), []string{"rejected `spec.template.spec.terminationGracePeriodSeconds` is the text `\"5\"`, not a whole number ['5']"}},
		{"containers twice", deployment("- {name: a, image: b}\n") + "      containers:\n        - {name: c, image: d}\n", []string{"dropped `spec.template.spec.containers` is written twice [containers]"}},
		{"init container", strings.Replace(deployment("- {name: a, image: b}\n"), "      containers", "      initContainers: [{name: i, image: j, livenessProbe: "+probe+", lifecycle: {preStop: {exec: {command: [a]}}}}]\n      containers", 1), []string{
			"rejected `lifecycle` is not allowed in an init container without `restartPolicy: Always` [lifecycle]",
			"rejected `` is not allowed in an init container without `restartPolicy: Always` [livenessProbe]",
		}},
		{"sidecar", strings.Replace(deployment("- {name: a, image: b}\n"), "      containers", "      initContainers: [{name: i, image: j, restartPolicy: Always, livenessProbe: "+probe+"}]\n      containers", 1), nil},
		{"ephemeral container", strings.Replace(deployment("- {name: a, image: b}\n"), "      containers", "      ephemeralContainers: [{name: i, image: j, livenessProbe: "+probe+"}]\n      containers", 1), []string{
			"rejected `` is not allowed in an ephemeral container [livenessProbe]",
		}},
		{"preStop sleep above the grace", withProbe("lifecycle: {preStop: {sleep: {seconds: 31}}}\n"), []string{"rejected `lifecycle.preStop.sleep.seconds` is 31, above `terminationGracePeriodSeconds` of 30 [31]"}},
		{"preStop sleep of the grace", withProbe("lifecycle: {preStop: {sleep: {seconds: 30}}}\n"), nil},
		{"preStop exec above the grace", withProbe("lifecycle: {preStop: {exec: {command: [sleep, '3000']}}}\n"), nil},
		{"preStop tcpSocket", withProbe("lifecycle: {preStop: {tcpSocket: {port: 1}}}\n"), nil},
		{"preStop without a handler", withProbe("lifecycle: {preStop: {}}\n"), []string{"rejected `lifecycle.preStop` has no handler [preStop]"}},
		{"two preStop handlers", withProbe("lifecycle: {preStop: {sleep: {seconds: 1}, exec: {command: [a]}}}\n"), []string{"rejected `lifecycle.preStop.exec` is a second handler beside `sleep` [exec]"}},
		{"case of preStop", withProbe("lifecycle: {prestop: {sleep: {seconds: 1}}}\n"), []string{"dropped `lifecycle.prestop` is no field of `lifecycle` [prestop] -> preStop"}},
		{"quoted sleep", withProbe("lifecycle: {preStop: {sleep: {seconds: '5'}}}\n"), []string{"rejected `lifecycle.preStop.sleep.seconds` is the text `\"5\"`, not a whole number ['5']"}},
		{"a custom kind has fields of its own", "apiVersion: example.com/v1\nkind: App\nmetadata: {name: x}\nspec:\n  livenessProbe: {path: /}\n  podTemplate: {spec: {livenessProbe: {}, containers: [{name: a, image: b, httpGet: {}, livenessProbe: {periodSeconds: 5}}]}}\n", nil},
		{"Knative fills in", "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: x}\nspec: {template: {spec: {timeoutSeconds: 300, containers: [{image: b, readinessProbe: {httpGet: {path: /}}, livenessProbe: {periodSeconds: 5}}]}}}\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, set := readText(t, tt.yaml)
			w := only(t, r)
			got := describeAll(t, set, w.Invalid)
			for _, c := range w.Containers {
				got = append(got, describeAll(t, set, c.Invalid)...)
				for _, p := range c.Probes {
					got = append(got, describeAll(t, set, p.Invalid)...)
				}
			}
			equal(t, "invalid", got, tt.want)
		})
	}
}

func TestKnativePort(t *testing.T) {
	r, _ := readText(t, "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: x}\nspec: {template: {spec: {containers: [{image: b, ports: [{containerPort: 3000}], readinessProbe: {httpGet: {path: /}}, livenessProbe: {}}]}}}\n")
	c := only(t, r).Containers[0]
	equal(t, "readiness", c.Probe(model.Readiness).Target.Port, 3000)
	equal(t, "liveness", c.Probe(model.Liveness).Kind, model.TCPSocket)
}

func TestNearest(t *testing.T) {
	probe := []string{"exec", "httpGet", "tcpSocket", "grpc", "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "terminationGracePeriodSeconds"}
	for word, want := range map[string]string{
		"failureTreshold": "failureThreshold", "initalDelaySeconds": "initialDelaySeconds", "httpget": "httpGet", "HTTPGet": "httpGet",
		"timeoutSecond": "timeoutSeconds", "exce": "exec", "excc": "exec", "perioudSeconds": "periodSeconds", "tcpScoket": "tcpSocket", "x": "", "timeout": "",
		"interval": "", "sucessTreshold": "successThreshold", "httpGte": "httpGet", "": "", strings.Repeat("a", 1000): "",
	} {
		if got := nearest(word, probe); got != want {
			t.Errorf("nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
	if got := nearest("cat", []string{"bat", "rat"}); got != "" {
		t.Errorf("of two equally near names %q was chosen", got)
	}
}
