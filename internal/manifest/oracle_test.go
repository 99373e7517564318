package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	kjson "sigs.k8s.io/json"
	kyaml "sigs.k8s.io/yaml"
)

// The oracle decodes as the API server does: YAML to JSON by sigs.k8s.io/yaml, as kubectl sends it, then the API server's
// case-sensitive strict JSON decoder into the type of k8s.io/api.
func oracle(text string, into any) (strict []string, err error) {
	j, err := kyaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	errs, err := kjson.UnmarshalStrict(j, into)
	for _, e := range errs {
		strict = append(strict, e.Error())
	}
	return strict, err
}

func decodeText(t interface{ Fatalf(string, ...any) }, text string, into any) []problem {
	doc, serr := parseText2(text)
	if serr != nil {
		t.Fatalf("%v in %q", serr, text)
	}
	d := &decoder{types: newTypeTable(), doc: doc}
	d.value(nil, nil, doc.root, reflect.ValueOf(into).Elem())
	return d.problems
}

// scalars are values as people write them, right and wrong.
var scalars = []string{
	"5", "0", "-1", `"10"`, "'7'", "1.5", "3.0", "1e1", "0x10", "010", "0o17", "1_000", "2147483647", "2147483648", "-2147483649", "99999999999999999999",
	"true", "yes", "no", "on", "Off", "y", "N", "null", "~", "", "text", "http", `"8080"`, "8080", "65536", "[1, 2]", "[a, b]", "{a: 1}", "[]", "{}",
	"!!str 5", "!!int \"5\"", "2024-01-01", ".5", "+5", "0b11", "'yes'", "\"true\"", "True", "NO", ".inf", "- 5", "5s", "<<", "=",
}

// Values, wrong types, unknown and repeated fields of a probe agree with the oracle.
func TestDecodeAgreesWithTheAPIServer(t *testing.T) {
	fields := []string{
		"periodSeconds", "timeoutSeconds", "failureThreshold", "terminationGracePeriodSeconds", "httpGet", "exec", "grpc", "tcpSocket",
		"failureTreshold", "PeriodSeconds", "httpget", "interval",
	}
	inner := []string{"path", "port", "scheme", "host", "command", "service", "Port", "timeoutSeconds"}
	rapid.Check(t, func(t *rapid.T) {
		scalar := rapid.SampledFrom(scalars)
		var b strings.Builder
		wrong := 0
		for range rapid.IntRange(1, 4).Draw(t, "fields") {
			f := rapid.SampledFrom(fields).Draw(t, "field")
			nested := strings.ToLower(f) == "httpget" || f == "exec" || f == "grpc" || f == "tcpSocket"
			if nested && rapid.IntRange(0, 4).Draw(t, "nest") > 0 {
				fmt.Fprintf(&b, "%s:\n", f)
				for range rapid.IntRange(1, 3).Draw(t, "inner fields") {
					fmt.Fprintf(&b, "  %s: %s\n", rapid.SampledFrom(inner).Draw(t, "inner"), scalar.Draw(t, "value"))
				}
				continue
			}
			fmt.Fprintf(&b, "%s: %s\n", f, scalar.Draw(t, "value"))
		}
		text := b.String()
		var want, got corev1.Probe
		strict, err := oracle(text, &want)
		if err != nil && !strings.Contains(err.Error(), "cannot unmarshal") {
			return // YAML that sigs.k8s.io/yaml itself refuses
		}
		if _, serr := parseText2(text); serr != nil {
			return
		}
		problems := decodeText(t, text, &got)
		var unknown, wantUnknown []string
		repeated := false
		for _, p := range problems {
			switch p.kind {
			case repeatedKey:
				repeated = true
			case wrongType:
				wrong++
			case unknownField:
				unknown = append(unknown, p.path)
			}
		}
		// Below a field that is unknown nothing is read.
		if _, twice := kyaml.YAMLToJSONStrict([]byte(text)); !strings.Contains(text, "httpget:") && (twice != nil && strings.Contains(twice.Error(), "already set in map")) != repeated {
			t.Fatalf("%q: the strict oracle says %v, we found %v", text, twice, problems)
		}
		if (err != nil) != (wrong > 0) {
			t.Fatalf("%q: the oracle says %v, we found %d wrong types in %v", text, err, wrong, problems)
		}
		if err != nil {
			return // the oracle stops at the first
		}
		for _, s := range strict {
			if rest, ok := strings.CutPrefix(s, "unknown field "); ok {
				wantUnknown = append(wantUnknown, strings.Trim(rest, `"`))
			}
		}
		sort.Strings(unknown)
		sort.Strings(wantUnknown)
		if d := cmp.Diff(wantUnknown, unknown); d != "" {
			t.Fatalf("%q: unknown fields (-oracle +got):\n%s", text, d)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q (-oracle +got):\n%s", text, d)
		}
	})
}

// A whole container decodes to what the API server decodes.
func TestContainerAgreesWithTheAPIServer(t *testing.T) {
	const text = `
name: api
image: example.com/api:1
command: ["/api"]
args: [--a, "1"]
ports: [{name: http, containerPort: 8080, protocol: TCP}, {containerPort: 1}]
env:
  - {name: A, value: "1"}
  - {name: B, valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}
  - {name: C, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
envFrom: [{prefix: P_, configMapRef: {name: c}}]
resources: {limits: {cpu: 500m, memory: 1Gi, example.com/gpu: 1}, requests: {cpu: 0.1}}
volumeMounts: [{name: v, mountPath: /v, readOnly: true}]
securityContext: {runAsUser: 1000, capabilities: {drop: [ALL]}, runAsNonRoot: yes}
imagePullPolicy: Always
terminationMessagePath: /x
livenessProbe: {httpGet: {path: /, port: http, httpHeaders: [{name: a, value: b}]}, periodSeconds: 3}
readinessProbe: {grpc: {port: 1, service: s}, terminationGracePeriodSeconds: 4}
startupProbe: {exec: {command: [a, b]}}
lifecycle: {preStop: {sleep: {seconds: 3}}, postStart: {exec: {command: [x]}}}
stdin: true
`
	var want, got corev1.Container
	strict, err := oracle(text, &want)
	if err != nil || len(strict) > 0 {
		t.Fatal(strict, err)
	}
	if ps := decodeText(t, text, &got); len(ps) > 0 {
		t.Errorf("problems: %v", ps)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if d := cmp.Diff(string(a), string(b)); d != "" {
		t.Errorf("(-oracle +got):\n%s", d)
	}
}

// Keys that are written twice: the API server keeps the last one, and so do we.
func TestRepeatedKeysAgreeWithTheAPIServer(t *testing.T) {
	const text = "periodSeconds: 5\ntimeoutSeconds: 1\nperiodSeconds: 7\n"
	var want, got corev1.Probe
	if _, err := oracle(text, &want); err != nil {
		t.Fatal(err)
	}
	ps := decodeText(t, text, &got)
	if len(ps) != 1 || ps[0].kind != repeatedKey || got.PeriodSeconds != want.PeriodSeconds || got.PeriodSeconds != 7 {
		t.Errorf("period %d, the oracle has %d, problems %v", got.PeriodSeconds, want.PeriodSeconds, ps)
	}
}
