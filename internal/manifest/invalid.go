package manifest

import (
	"fmt"
	"reflect"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/probelint/probelint/internal/model"
)

// Labels of what the API server does with a field.
const (
	labelDropped  = "dropped by the API server"
	labelRejected = "the API server rejects the object"
)

// customLabels says of a custom kind, whose own schema may know less, who rejects and drops.
func customLabels(w *model.Workload) {
	of := func(all []model.Invalid) {
		for i := range all {
			switch rest, dropped := strings.CutPrefix(all[i].Label, labelDropped); {
			case all[i].Label == labelRejected:
				all[i].Label = "the API server rejects the pods made from it"
			case dropped:
				all[i].Label = "no effect" + rest
			}
		}
	}
	of(w.Invalid)
	for _, c := range w.Containers {
		of(c.Invalid)
		for _, p := range c.Probes {
			of(p.Invalid)
		}
	}
}

// checker collects what is invalid in one probe.
type checker struct {
	b     *builder
	p     *model.Probe
	value *yaml.Node
}

func (c *checker) reject(path string, span model.Span, title, label string) *model.Invalid {
	c.p.Invalid = append(c.p.Invalid, model.Invalid{Path: path, Span: span, Title: title, Label: label, Rejected: true})
	return &c.p.Invalid[len(c.p.Invalid)-1]
}

func (c *checker) drop(path string, span model.Span, title, label string) *model.Invalid {
	i := c.reject(path, span, title, label)
	i.Rejected = false
	return i
}

// at is the place of a value of the probe, or of the probe's key where it is not written.
func (c *checker) at(path string) model.Span { return c.p.Fields.Value(path, c.p.Span) }

// validate records what the API server rejects or drops in a probe: SEMANTICS.md K1, from
// pkg/apis/core/validation/validation.go of Kubernetes v1.37.2.
func (b *builder) validate(p *model.Probe, ct *model.Container, t *corev1.Probe, value *yaml.Node, problems []problem) {
	c := &checker{b, p, value}
	switch ct.Kind {
	case model.Init:
		c.reject("", p.Span, "is not allowed in an init container without `restartPolicy: Always`", "init containers run once and are not probed")
	case model.Ephemeral:
		c.reject("", p.Span, "is not allowed in an ephemeral container", labelRejected)
	}
	broken := c.problems(problems)
	if deref(value).Kind != yaml.MappingNode {
		byStart(p.Invalid)
		return
	}
	c.handlers()
	c.timings(t, broken)
	switch p.Kind {
	case model.HTTPGet:
		c.httpGet(t.HTTPGet, broken)
	case model.TCPSocket:
		if t.TCPSocket != nil {
			c.port("tcpSocket", t.TCPSocket.Port, broken)
		}
	case model.GRPC:
		if t.GRPC != nil {
			c.port("grpc", intstr.FromInt32(t.GRPC.Port), broken)
			if m := t.GRPC.Mode; m != nil && *m != corev1.GRPCProbeModePlaintext {
				c.drop("grpc.mode", c.at("grpc.mode"), "is behind the gate GRPCContainerProbeTLS, which is off", labelDropped+": the probe is plain text")
			}
		}
	case model.Exec:
		if t.Exec != nil && len(t.Exec.Command) == 0 && !broken["exec.command"] {
			c.reject("exec", c.p.Fields.Key("exec", p.Span), "has no command", labelRejected)
		}
	}
	byStart(p.Invalid)
}

// problems records what did not decode, and returns the paths whose values are not to be judged further.
func (c *checker) problems(all []problem) map[string]bool {
	broken := map[string]bool{}
	for _, pr := range all {
		broken[pr.path] = true
		doc := c.b.o.doc
		name := lastOf2(pr.path)
		switch pr.kind {
		case repeatedKey:
			if pr.path == "" {
				continue // the container's
			}
			delete(broken, pr.path)
			c.drop(pr.path, doc.keySpan(pr.key), "is written twice", "the `"+clip(name)+"` below overrides this one")
		case wrongType:
			i := c.reject(pr.path, doc.valueSpan(pr.key, pr.value), mismatch(pr), labelRejected)
			i.Replace, i.Written = replacement(pr), asWritten(pr.value)
		case unknownField:
			c.unknown(pr, name)
		}
	}
	return broken
}

// unknown records a field that the type of its place does not have.
func (c *checker) unknown(pr problem, name string) {
	doc := c.b.o.doc
	span := doc.keySpan(pr.key)
	inProbe := pr.typ == reflect.TypeFor[corev1.Probe]()
	place := "a probe"
	if !inProbe {
		place = "`" + parentOf(pr.path) + "`"
	}
	switch {
	case inProbe && isRoleKey(name):
		c.drop(pr.path, span, "belongs to the container, not to a probe", labelDropped)
		return
	case !inProbe && isTiming(name):
		c.drop(pr.path, span, "belongs to the probe, not to "+place, labelDropped+": "+valueInForce(c.p, name))
		return
	case inProbe && (name == "path" || name == "port" || name == "scheme" || name == "host" || name == "httpHeaders"):
		c.drop(pr.path, span, "belongs to `httpGet`, not to the probe", labelDropped)
		return
	case inProbe && name == "command":
		c.drop(pr.path, span, "belongs to `exec`, not to the probe", labelDropped)
		return
	}
	known := c.b.r.types.of(pr.typ).names
	i := c.drop(pr.path, span, "is no field of "+place, labelDropped)
	if near := nearest(name, known); near != "" {
		i.Label = "dropped: the field is `" + near + "`"
		if strings.EqualFold(near, name) {
			i.Title += ": names are case-sensitive"
		}
		if k, _ := child(pr.parent, near); k == nil {
			i.Rename = near
		}
	}
}

// valueInForce says which value of a timing field holds where the one that was meant is dropped.
func valueInForce(p *model.Probe, name string) string {
	for _, f := range timings {
		if f.name == name && !p.IsDeclared(name) {
			return fmt.Sprintf("%d is in force", *f.set(p))
		}
	}
	return "it has no effect"
}

// handlers checks that exactly one handler is written.
func (c *checker) handlers() {
	var have []string
	for i := 0; i+1 < len(c.value.Content); i += 2 {
		name := deref(c.value.Content[i]).Value
		for _, h := range handlers {
			if string(h) == name && written(c.value, name) {
				have = append(have, name)
			}
		}
	}
	for _, second := range have[min(1, len(have)):] {
		c.reject(second, c.p.Fields.Key(second, c.p.Span), "is a second handler beside `"+have[0]+"`", "a probe takes one handler")
	}
	if len(have) > 0 || c.b.knative() || !c.b.t.known {
		return // Knative and other operators fill the handler in
	}
	// A mis-spelled handler is the cause of having none.
	for i := range c.p.Invalid {
		v := &c.p.Invalid[i]
		for _, h := range handlers {
			if v.Rename == string(h) {
				v.Rejected = true
				v.Label = "dropped, which leaves the probe without a handler"
				return
			}
		}
	}
	c.reject("", c.p.Span, "has no handler", "no httpGet, tcpSocket, exec or grpc")
}

// timings checks the numbers of a probe.
func (c *checker) timings(t *corev1.Probe, broken map[string]bool) {
	for _, f := range timings {
		v := f.of(t)
		switch {
		case broken[f.name]:
		case v < 0:
			c.reject(f.name, c.at(f.name), fmt.Sprintf("is %d, and the least value is 0", v), labelRejected)
		case f.name == "successThreshold" && v > 1 && c.p.Role != model.Readiness:
			c.reject(f.name, c.at(f.name), fmt.Sprintf("is %d, and a %s probe takes 1 alone", v, c.p.Role), labelRejected)
		}
	}
	g := t.TerminationGracePeriodSeconds
	switch {
	case g == nil || broken[graceField]:
	case c.p.Role == model.Readiness:
		c.reject(graceField, c.p.Fields.Key(graceField, c.p.Span), "is not allowed in a readiness probe", labelRejected)
	case *g <= 0:
		c.reject(graceField, c.at(graceField), fmt.Sprintf("is %d, and the least value of a probe is 1", *g), labelRejected)
	}
}

func (c *checker) httpGet(g *corev1.HTTPGetAction, broken map[string]bool) {
	if g == nil {
		return
	}
	c.port("httpGet", g.Port, broken)
	if s := g.Scheme; s != "" && s != corev1.URISchemeHTTP && s != corev1.URISchemeHTTPS && !broken["httpGet.scheme"] && !isPlaceholder(string(s)) {
		i := c.reject("httpGet.scheme", c.at("httpGet.scheme"), "is `"+clip(string(s))+"`: the schemes are HTTP and HTTPS", labelRejected)
		if up := strings.ToUpper(string(s)); up == "HTTP" || up == "HTTPS" {
			i.Replace, i.Written = up, asWritten(deref2(deref2(c.value, "httpGet"), "scheme"))
		}
	}
	if isPlaceholder(string(g.Scheme)) {
		c.p.Unknown = append(c.p.Unknown, "httpGet.scheme")
	}
	for i, h := range g.HTTPHeaders {
		path := fmt.Sprintf("httpGet.httpHeaders[%d].name", i)
		if !broken[path] && len(validation.IsHTTPHeaderName(h.Name)) > 0 && !isPlaceholder(h.Name) {
			c.reject(path, c.at(path), "is no header name: letters, digits and hyphens", labelRejected)
		}
	}
	if g.Protocol != nil && *g.Protocol != "HTTP1" {
		c.drop("httpGet.protocol", c.at("httpGet.protocol"), "is behind the gate H2CContainerProbe, which is off", labelDropped+": the probe is HTTP/1.1")
	}
}

// port checks the port of a handler.
func (c *checker) port(handler string, port intstr.IntOrString, broken map[string]bool) {
	path := handler + ".port"
	if broken[path] || c.b.knative() && port == (intstr.IntOrString{}) {
		return
	}
	if port.Type == intstr.Int {
		v := port.IntVal
		switch {
		case v == 0 && !written(deref2(c.value, handler), "port"):
			c.reject(handler, c.p.Fields.Key(handler, c.p.Span), "has no port", labelRejected)
		case v < 1 || v > 65535:
			c.reject(path, c.at(path), fmt.Sprintf("is %d, outside 1 to 65535", v), labelRejected)
		}
		return
	}
	name := port.StrVal
	switch {
	case name == "":
		c.reject(path, c.at(path), "is empty", labelRejected)
	case strings.Trim(name, "0123456789") == "":
		i := c.reject(path, c.at(path), "is the text `\""+clip(name)+"\"`, not a number", "in quotes a port is a name, and a name has a letter")
		i.Replace, i.Written = number(name), asWritten(deref2(deref2(c.value, handler), "port"))
	case len(name) > 15:
		c.reject(path, c.at(path), fmt.Sprintf("is a name of %d characters, and the longest has 15", len(name)), labelRejected)
	case len(validation.IsValidPortName(name)) > 0:
		c.reject(path, c.at(path), "is no port name: lower-case letters, digits, single hyphens", labelRejected)
	}
}

func deref2(n *yaml.Node, key string) *yaml.Node {
	_, v := get(n, key)
	return v
}

func lastOf2(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func parentOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return path
}

func isRoleKey(name string) bool {
	return name == "livenessProbe" || name == "readinessProbe" || name == "startupProbe"
}

func isTiming(name string) bool {
	if name == graceField {
		return true
	}
	for _, f := range timings {
		if f.name == name {
			return true
		}
	}
	return false
}

// mismatch says why a value does not decode.
func mismatch(p problem) string {
	if n := deref(p.value); n.Kind == yaml.ScalarNode && n.Tag == "!!int" && p.typ.Kind() == reflect.Int32 {
		return "is " + clip(n.Value) + ", and the field has 32 bits"
	}
	return "is " + describe(p.value) + ", not " + wanted(p.typ)
}

// replacement is the one value that is meant where only the quotes are wrong: a number in quotes, or a text without.
func replacement(p problem) string {
	n := deref(p.value)
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	switch p.typ.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		if isText(n) {
			return number(n.Value)
		}
	case reflect.String:
		if !isText(n) && n.Style == 0 {
			return `"` + n.Value + `"`
		}
	}
	return ""
}

// number is a decimal number as it is written without quotes, "" for any other text.
func number(s string) string {
	if s == "" || len(s) > 9 || s != "0" && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return s
}

// asWritten is the text of a scalar on one line, "" where that does not follow from its value.
func asWritten(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || strings.ContainsAny(n.Value, "\\\"'\n") {
		return ""
	}
	switch n.Style {
	case 0:
		return n.Value
	case yaml.DoubleQuotedStyle:
		return `"` + n.Value + `"`
	case yaml.SingleQuotedStyle:
		return "'" + n.Value + "'"
	}
	return ""
}

// describe says what a value is, in the words of YAML.
func describe(n *yaml.Node) string {
	switch n = deref(n); {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!int" || n.Tag == "!!float":
		return "the number " + clip(n.Value)
	case !isText(n):
		return "the boolean " + clip(n.Value)
	}
	if n.Value == "" {
		return "empty text"
	}
	return "the text `\"" + clip(n.Value) + "\"`"
}

// wanted says what a type takes.
func wanted(t reflect.Type) string {
	if t == intOrStringType {
		return "a number or a name"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Int32, reflect.Int64:
		return "a whole number"
	}
	return "a number"
}
