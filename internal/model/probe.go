package model

import (
	"bytes"
	"encoding/json"
)

// Role is what the kubelet does with a probe's verdict.
type Role string

// The three roles of a probe.
const (
	Liveness  Role = "liveness"
	Readiness Role = "readiness"
	Startup   Role = "startup"
)

// Key is the field of a container that holds a probe of this role: "livenessProbe".
func (r Role) Key() string { return string(r) + "Probe" }

// ProbeKind is the handler of a probe.
type ProbeKind string

// The kinds of probe. KindNone is a probe without a handler, which the API server rejects.
const (
	HTTPGet   ProbeKind = "httpGet"
	TCPSocket ProbeKind = "tcpSocket"
	Exec      ProbeKind = "exec"
	GRPC      ProbeKind = "grpc"
	KindNone  ProbeKind = ""
)

// Probe is one probe of a container. The five timings are effective: what the API server defaults are filled in, and an
// explicit 0 is turned into the default (SEMANTICS.md K1). Declared names the fields that were written.
type Probe struct {
	ID                            string    `json:"id"`
	Role                          Role      `json:"role" jsonschema:"enum=liveness,enum=readiness,enum=startup"`
	Kind                          ProbeKind `json:"kind" jsonschema:"enum=httpGet,enum=tcpSocket,enum=exec,enum=grpc,enum="`
	File                          string    `json:"file"`
	Line                          int       `json:"line"` // of the key, `livenessProbe:`
	Target                        Target    `json:"target"`
	PeriodSeconds                 int       `json:"periodSeconds"`
	TimeoutSeconds                int       `json:"timeoutSeconds"`
	FailureThreshold              int       `json:"failureThreshold"`
	SuccessThreshold              int       `json:"successThreshold"`
	InitialDelaySeconds           int       `json:"initialDelaySeconds"`
	TerminationGracePeriodSeconds *int64    `json:"terminationGracePeriodSeconds,omitempty"`
	Declared                      []string  `json:"declared"`
	Windows                       *Windows  `json:"windows,omitempty"`
	// Endpoint is the code that answers; absent where it is not known, and then Reason says why.
	Endpoint  *Endpoint  `json:"endpoint,omitempty"`
	Certainty Certainty  `json:"certainty,omitempty" jsonschema:"enum=proven,enum=likely,enum=guessed"` // of the link
	Evidence  []Evidence `json:"evidence,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	// Miss is what the link found instead of what the probe asks for; nil where it found that, or found nothing.
	Miss *Miss `json:"-"`
	// Elsewhere: what answers is known not to be a Go program of the input: a foreign image, another language, another host.
	Elsewhere bool `json:"-"`
	// Program and Server are those that the probe reaches, nil where they are not known.
	Program *Program `json:"-"`
	Server  *Server  `json:"-"`

	// Invalid holds what the API server rejects or drops in this probe (SEMANTICS.md K1), worst first. A probe with a
	// rejected field is judged by no other rule.
	Invalid []Invalid `json:"-"`
	// Unknown names timing fields whose value could not be read (a placeholder such as ${PERIOD}); the effective value of
	// such a field is the default and rules that need it stay silent.
	Unknown []string `json:"-"`
	// Exec are the commands of an exec probe that ask something, in order; nil for the other kinds (package execprobe).
	Exec []ExecCheck `json:"-"`
	// Command is what the command of an exec probe does as a whole; nil for the other kinds.
	Command *ExecCommand `json:"-"`
	// Guessed is true where there is no manifest (go vet): role and timings are assumptions.
	Guessed bool `json:"-"`
	// Span is the probe's key. Fields are paths below the probe ("httpGet.path", "periodSeconds").
	Span   Span   `json:"-"`
	Fields Fields `json:"-"`
}

// MarshalJSON leaves out the timing fields whose values are not known: unknown is absent.
func (p *Probe) MarshalJSON() ([]byte, error) {
	type plain Probe
	known := func(field string, v int) *int {
		if p.Omits(field) {
			return nil
		}
		return &v
	}
	var v any = (*plain)(p)
	if len(p.Unknown) > 0 {
		v = struct {
			*plain
			PeriodSeconds       *int `json:"periodSeconds,omitempty"`
			TimeoutSeconds      *int `json:"timeoutSeconds,omitempty"`
			FailureThreshold    *int `json:"failureThreshold,omitempty"`
			SuccessThreshold    *int `json:"successThreshold,omitempty"`
			InitialDelaySeconds *int `json:"initialDelaySeconds,omitempty"`
		}{
			(*plain)(p), known("periodSeconds", p.PeriodSeconds), known("timeoutSeconds", p.TimeoutSeconds),
			known("failureThreshold", p.FailureThreshold), known("successThreshold", p.SuccessThreshold),
			known("initialDelaySeconds", p.InitialDelaySeconds),
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the caller's encoder decides
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Omits reports whether a timing field is left out of JSON and of what policies see, because its value is not known.
func (p *Probe) Omits(field string) bool {
	if len(p.Unknown) == 0 {
		return false
	}
	switch field {
	case "periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold", "initialDelaySeconds":
		return p.IsUnknown(field) || p.IsUnknown(p.Role.Key())
	}
	return false
}

// IsDeclared reports whether a field was written in the manifest.
func (p *Probe) IsDeclared(field string) bool {
	for _, d := range p.Declared {
		if d == field {
			return true
		}
	}
	return false
}

// IsUnknown reports whether a field was written but could not be read.
func (p *Probe) IsUnknown(field string) bool {
	for _, d := range p.Unknown {
		if d == field {
			return true
		}
	}
	return false
}

// Rejected reports whether the API server refuses the object because of this probe.
func (p *Probe) Rejected() bool {
	for _, i := range p.Invalid {
		if i.Rejected {
			return true
		}
	}
	return false
}

// Invalid is one thing that the API server rejects or drops.
type Invalid struct {
	// Path is below the probe ("failureTreshold", "httpGet.port"), "" for the probe as a whole; Span its place.
	Path string
	Span Span
	// Message completes "`PATH` ..." as a fact: "is no field of a probe".
	Title string
	// Label says in at most 60 characters what the span contributes.
	Label string
	// Rejected: the object is refused. Otherwise the field is dropped in silence.
	Rejected bool
	// Rename is the right spelling of a mis-spelled key, or "" where none is near.
	Rename string
	// Replace is the text that belongs at Span where one alone is right: HTTP for `http`. Span is then the whole value.
	Replace string
	// Written is the value that Replace takes the place of, as it is written.
	Written string
}

// Target is what a probe asks. Port is resolved from PortName where the container declares it.
type Target struct {
	Scheme string `json:"scheme,omitempty"` // HTTP or HTTPS
	Host   string `json:"host,omitempty"`
	// Path is as written with the default "/" filled in, query included.
	Path     string   `json:"path,omitempty"`
	Port     int      `json:"port,omitempty"`
	PortName string   `json:"portName,omitempty"`
	Service  string   `json:"service,omitempty"` // gRPC
	Command  []string `json:"command,omitempty"` // exec
	Headers  []Header `json:"httpHeaders,omitempty"`
}

// Header is one entry of httpHeaders.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Range is a best and a worst case in seconds.
type Range struct {
	Best  float64 `json:"best"`
	Worst float64 `json:"worst"`
}

// Windows are the kubelet's windows for one probe in seconds (SEMANTICS.md, "The formulas").
type Windows struct {
	Detect  *Detect `json:"detect,omitempty"`
	Boot    *Range  `json:"boot,omitempty"`
	Recover *Range  `json:"recover,omitempty"`
	// Never says why no attempt of this probe ever counts; the windows are then absent.
	Never string `json:"never,omitempty"`
}

// Detect is the time from a fault to the verdict: Fast for an instance that refuses or answers an error at once, Hang for
// one that does not answer.
type Detect struct {
	Fast Range `json:"fast"`
	Hang Range `json:"hang"`
}

// Certainty says how a fact is known.
type Certainty string

// Proven: followed to the end. Likely: one step is an inference. Guessed: by convention only.
const (
	Proven  Certainty = "proven"
	Likely  Certainty = "likely"
	Guessed Certainty = "guessed"
)

// Evidence is one step of a link.
type Evidence struct {
	Step string `json:"step"` // image, program, port, route
	Fact string `json:"fact"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Span Span   `json:"-"`
}

// Limit is something that could not be read or followed, and what is off because of it.
type Limit struct {
	What     string   `json:"what"`
	Because  string   `json:"because"`
	RulesOff []string `json:"rulesOff,omitempty"`
	// Minor: nothing that is judged depends on it; text shows it only on request.
	Minor bool `json:"-"`
}
