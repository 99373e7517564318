package model

import "strings"

// Workload is any Kubernetes object that holds a pod template, or a Pod.
type Workload struct {
	ID         string `json:"id"`
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	File       string `json:"file"`
	Line       int    `json:"line"` // of the document's first key
	// Replicas is spec.replicas, or the maximum of a HorizontalPodAutoscaler in the input; 1 where nothing is written.
	// Absent for kinds without replicas (DaemonSet, Job, CronJob, Pod).
	Replicas *int `json:"replicas,omitempty"`
	// ReplicasFrom is "autoscaler" where Replicas is the maximum of one, so that fewer can run; "" where they are written.
	ReplicasFrom string `json:"replicasFrom,omitempty" jsonschema:"enum=autoscaler"`
	// Labels are those of the pod template; Annotations likewise.
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// ObjectLabels and ObjectAnnotations are those of the object itself, which its pods do not get.
	ObjectLabels      map[string]string `json:"objectLabels,omitempty"`
	ObjectAnnotations map[string]string `json:"objectAnnotations,omitempty"`
	// TerminationGracePeriodSeconds is the effective value (30 where nothing is written).
	TerminationGracePeriodSeconds int64      `json:"terminationGracePeriodSeconds"`
	ProgressDeadlineSeconds       *int64     `json:"progressDeadlineSeconds,omitempty"` // effective, Deployments only
	MinReadySeconds               int64      `json:"minReadySeconds,omitempty"`
	HostNetwork                   bool       `json:"hostNetwork,omitempty"`
	Services                      []*Service `json:"services,omitempty"`
	Ingresses                     []*Ingress `json:"ingresses,omitempty"`
	Budgets                       []*Budget  `json:"budgets,omitempty"`
	// PeerAuthentications are Istio's whose namespace and selector cover the pods, the most specific first.
	PeerAuthentications []*PeerAuthentication `json:"-"`
	Containers          []*Container          `json:"containers"`
	// Renderer is "" for a plain file, else "helm" or "kustomize".
	Renderer string `json:"renderer,omitempty" jsonschema:"enum=helm,enum=kustomize"`
	// RenderedWith is the values file of the rendering, relative to the root; "" for a chart's own defaults.
	RenderedWith string `json:"renderedWith,omitempty"`
	// Switched are the settings that the rendering adds to a chart's defaults, as written ("worker.enabled: true"): without them the
	// chart renders no such workload.
	Switched []string `json:"switched,omitempty"`

	// Span is the workload's name, or the document where it has none. Fields are paths below the document root
	// ("spec.replicas", "metadata.name"); TemplatePath is the path of the pod template ("spec.template", "" for a Pod), and
	// PodSpecPath that of the pod spec ("spec.template.spec", "spec" for a Pod). Keys with dots are joined like others:
	// "spec.template.metadata.annotations.sidecar.istio.io/inject".
	Span         Span   `json:"-"`
	Fields       Fields `json:"-"`
	TemplatePath string `json:"-"`
	PodSpecPath  string `json:"-"`
	// Invalid holds what the API server rejects or drops outside any container: probes written beside the containers.
	Invalid []Invalid `json:"-"`
}

// Ref is how a workload is named in text and in JSON: "Deployment/checkout".
func (w *Workload) Ref() string { return w.Kind + "/" + w.Name }

// BuiltIn reports whether the API server itself validates the pod template of this kind: Kubernetes' own groups, and OpenShift's
// DeploymentConfig. A custom kind, such as Argo's Rollout, has what its schema says checked, and its pods when they are made.
func (w *Workload) BuiltIn() bool {
	group, _, ok := strings.Cut(w.APIVersion, "/")
	if !ok {
		return true
	}
	switch group {
	case "apps", "batch", "extensions", "autoscaling", "policy", "apps.openshift.io":
		return true
	}
	return strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, ".x-k8s.io")
}

// RunsToCompletion reports whether the kind ends by itself (Job, CronJob), so that readiness means little.
func (w *Workload) RunsToCompletion() bool { return w.Kind == "Job" || w.Kind == "CronJob" }

// Service is a Service whose selector matches the workload's pod template.
type Service struct {
	ID                       string        `json:"id"`
	Name                     string        `json:"name"`
	Namespace                string        `json:"namespace,omitempty"`
	Type                     string        `json:"type,omitempty"` // ClusterIP, NodePort, LoadBalancer, ExternalName
	Headless                 bool          `json:"headless,omitempty"`
	PublishNotReadyAddresses bool          `json:"publishNotReadyAddresses,omitempty"`
	Ports                    []ServicePort `json:"ports,omitempty"`
	File                     string        `json:"file"`
	Line                     int           `json:"line"`
	Span                     Span          `json:"-"`
	// Annotations configure the load balancer's own health check; Fields are paths below the object.
	Annotations map[string]string `json:"-"`
	Fields      Fields            `json:"-"`
	// BackendConfigs are the health checks of GKE's load balancers for the Service, nil where none is in the input.
	BackendConfigs []*BackendConfig `json:"-"`
}

// BackendConfig is the health check of a load balancer of GKE: cloud.google.com/BackendConfig (spec.healthCheck), which the
// Service names, or networking.gke.io/HealthCheckPolicy (spec.default), which names the Service. A number that is not written
// is 0.
type BackendConfig struct {
	Kind string // BackendConfig, HealthCheckPolicy
	Name string
	// ServicePort is the key of the Service's annotation: a port's name or number, "default" for all others. "" for a policy.
	ServicePort string
	Type        string // HTTP, HTTPS, HTTP2, TCP, GRPC
	Path        string // requestPath
	Port        int
	// Interval and Timeout are in seconds.
	Interval, Timeout float64
	Unhealthy         int
	File              string
	Span              Span
	Fields            Fields
	// TargetFields is the path in Fields below which path and port are written, TimeFields that of the interval.
	TargetFields, TimeFields string
}

// ServicePort is one port of a Service. TargetPort is the number on the pod with a named port resolved, 0 when unknown.
type ServicePort struct {
	Name       string `json:"name,omitempty"`
	Port       int    `json:"port"`
	TargetPort int    `json:"targetPort,omitempty"`
	TargetName string `json:"targetPortName,omitempty"`
}

// Ingress is an Ingress or a Gateway route that leads to one of the workload's Services.
type Ingress struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	Span Span   `json:"-"`
	// Routes are what it says of requests, in the order of the object; those to Services of other workloads are among them.
	Routes []IngressRoute `json:"routes,omitempty"`
	// Services are the names of the workload's Services that it leads to. Annotations configure the controller's own
	// health check; Fields are paths below the object.
	Services    []string          `json:"-"`
	Annotations map[string]string `json:"-"`
	Fields      Fields            `json:"-"`
}

// IngressRoute is one rule of an Ingress or a route: which requests it takes and where it leads them.
type IngressRoute struct {
	Host string `json:"host,omitempty"` // "" for any
	// Path is compared as Match says; "" takes every path. A pattern is a regular expression, or depends on the controller.
	Path  string `json:"path,omitempty"`
	Match string `json:"match,omitempty" jsonschema:"enum=prefix,enum=exact,enum=pattern"`
	// Method and Headers are what a request needs besides: the method, and the names of headers with a certain value.
	Method  string   `json:"method,omitempty"`
	Headers []string `json:"headers,omitempty"`
	Service string   `json:"service"`
	Port    int      `json:"port,omitempty"` // of the Service; PortName where it is named
	// PortName is the name of the Service's port. OpenShift names the port of the pod, which can have the same name.
	PortName string `json:"portName,omitempty"`
	// Filtered: something stands before the Service that can change the path or refuse the request: a rewrite, a middleware.
	Filtered bool `json:"filtered,omitempty"`
	// Field is the path in the object's Fields where the path is written, or else the rule.
	Field string `json:"-"`
}

// The values of IngressRoute.Match.
const (
	MatchPrefix  = "prefix"
	MatchExact   = "exact"
	MatchPattern = "pattern"
)

// PeerAuthentication is Istio's setting of mutual TLS between the pods of a mesh.
type PeerAuthentication struct {
	Name      string
	Namespace string
	// Mode is STRICT, PERMISSIVE, DISABLE, or "" where it is inherited; PortModes are the exceptions of ports.
	Mode      string
	PortModes map[int]string
	// Selects: it has a selector, so that it is about these pods and not about the whole namespace. Apart: it is about the whole
	// mesh, and lies in another part of the repository than the workload.
	Selects, Apart bool
	File           string
	Line           int
	// Span is the value of the mode, or the object's name where it sets none.
	Span Span
}

// Budget is a PodDisruptionBudget that selects the workload's pods.
type Budget struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	Span Span   `json:"-"`
}

// ContainerKind says how the kubelet treats a container.
type ContainerKind string

// The kinds of container. A sidecar is an init container with restartPolicy Always.
const (
	Main      ContainerKind = "main"
	Sidecar   ContainerKind = "sidecar"
	Init      ContainerKind = "init"
	Ephemeral ContainerKind = "ephemeral"
)

// Container is one container of a pod template.
type Container struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Image   string          `json:"image,omitempty"`
	Kind    ContainerKind   `json:"kind" jsonschema:"enum=main,enum=sidecar,enum=init,enum=ephemeral"`
	Ports   []ContainerPort `json:"ports,omitempty"`
	Command []string        `json:"command,omitempty"`
	Args    []string        `json:"args,omitempty"`
	// Env are the values in force, in the order of the manifest, envFrom before env. A value that comes from a Secret or
	// from a ConfigMap that is not in the input has Known false.
	Env     []EnvVar `json:"env,omitempty"`
	PreStop *PreStop `json:"preStop,omitempty"`
	// Contents is what is known of the image's file system; nil where nothing is.
	Contents *Image `json:"-"`
	// CPULimitMillis and MemoryLimitBytes are absent where no limit is written.
	CPULimitMillis   *int64   `json:"cpuLimitMillis,omitempty"`
	MemoryLimitBytes *int64   `json:"memoryLimitBytes,omitempty"`
	Probes           []*Probe `json:"probes"`

	// Span is the value of the container's name. Fields are paths below the container ("image", "ports[0].name").
	Span   Span   `json:"-"`
	Fields Fields `json:"-"`
	// Invalid holds what the API server rejects or drops in this container outside its probes: a mis-spelled probe key, a
	// probe on a plain init container, a preStop longer than the grace period.
	Invalid []Invalid `json:"-"`
}

// Probe returns the container's probe of that role, or nil.
func (c *Container) Probe(r Role) *Probe {
	for _, p := range c.Probes {
		if p.Role == r {
			return p
		}
	}
	return nil
}

// ContainerPort is one entry of ports.
type ContainerPort struct {
	Name     string `json:"name,omitempty"`
	Port     int    `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

// EnvVar is one environment variable of a container.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	Known bool   `json:"known"`
	// From says where the value was written: "manifest", "configMap NAME", "secret NAME", "fieldRef PATH".
	From string `json:"from"`
	Span Span   `json:"-"`
}

// PreStop is the preStop hook of a container.
type PreStop struct {
	Kind    string   `json:"kind" jsonschema:"enum=exec,enum=httpGet,enum=tcpSocket,enum=sleep"`
	Command []string `json:"command,omitempty"`
	// Seconds is the known length of the hook (sleep, or an exec of sleep N); absent where unknown.
	Seconds *float64 `json:"seconds,omitempty"`
	// AtLeastSeconds is set instead where the hook sleeps that long and then does something of unknown length.
	AtLeastSeconds *float64 `json:"atLeastSeconds,omitempty"`
	// Does is what an exec hook does; nil for the other kinds.
	Does *ExecCommand `json:"-"`
	Span Span         `json:"-"`
}
