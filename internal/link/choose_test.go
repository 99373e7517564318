package link

import (
	"sort"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

func dockerfileFor(pkg string) string {
	return "FROM golang:1.25 AS b\nWORKDIR /src\nCOPY . .\nRUN go build -o /out/bin " + pkg + "\nFROM scratch\nCOPY --from=b /out/bin /app\nENTRYPOINT [\"/app\"]\n"
}

func TestWhichProgram(t *testing.T) {
	health := func() *model.Server { return server(":8080", "/healthz") }
	three := []*model.Program{prog("cmd/api", health()), prog("cmd/mailer", server(":9000", "/healthz")), prog("cmd/ledger", server(":7000", "/ready"))}
	servers := []*model.Program{prog("cmd/server", health()), prog("cmd/worker", server(":9000", "/healthz"))}
	for _, tt := range []struct {
		name     string
		programs []*model.Program
		files    map[string]string
		bindings []Bind
		image    string
		c        model.Container
		probe    *model.Probe
		want     string // package and certainty, or the reason
	}{
		{name: "binding", programs: three, image: "redis:7", bindings: []Bind{{Workload: "Deployment/w", Container: "app", Package: "./cmd/ledger"}}, want: "./cmd/ledger proven"},
		{
			name: "binding to what was not read", programs: three, image: "x/api", bindings: []Bind{{Workload: "w", Package: "./cmd/none"}},
			want: "not read: the configuration binds it to ./cmd/none, which is no main package that was read",
		},
		{name: "ko", programs: three, image: "ko://example.com/shop/cmd/mailer", want: "./cmd/mailer proven"},
		{name: "ko digest", programs: three, image: "gcr.io/p/mailer-0123456789abcdef0123456789abcdef@sha256:00", want: "./cmd/mailer proven"},
		{name: "ko of another module", programs: three, image: "ko://knative.dev/serving/cmd/activator", want: "not read: ko builds knative.dev/serving/cmd/activator, which is not among the Go packages read"},
		{name: "skaffold names the image", programs: three, image: "eu.gcr.io/p/front:1", files: map[string]string{
			"skaffold.yaml":    "build:\n  artifacts:\n  - image: eu.gcr.io/p/front\n    context: .\n    docker: {dockerfile: build/Dockerfile}\n",
			"build/Dockerfile": dockerfileFor("./cmd/ledger"),
		}, want: "./cmd/ledger proven"},
		{name: "skaffold with ko", programs: three, image: "front", files: map[string]string{
			"skaffold.yaml": "build:\n  artifacts:\n  - image: front\n    ko: {main: ./cmd/ledger}\n",
		}, want: "./cmd/ledger proven"},
		{name: "compose service and build argument", programs: three, image: "reg/billing:2", files: map[string]string{
			"compose.yaml": "services:\n  billing:\n    build:\n      context: .\n      args: {S: ledger}\n",
			"Dockerfile":   "FROM golang AS b\nARG S\nWORKDIR /src\nCOPY . .\nRUN go build -o /bin/a ./cmd/$S\nFROM scratch\nCOPY --from=b /bin/a /a\nCMD [\"/a\"]\n",
		}, want: "./cmd/ledger proven"},
		{name: "makefile builds image and binary", programs: three, image: "org/front:dev", files: map[string]string{
			"Makefile":   "IMG ?= org/front:latest\nBIN = bin/front\nbuild:\n\tCGO_ENABLED=0 go build -o $(BIN) ./cmd/ledger\nimage: build\n\tdocker build -t ${IMG} -f Dockerfile .\n",
			"Dockerfile": "FROM gcr.io/distroless/static\nCOPY bin/front /\nENTRYPOINT [\"/front\"]\n",
		}, want: "./cmd/ledger proven"},
		{name: "goreleaser", programs: three, image: "ghcr.io/org/front:v1", files: map[string]string{
			".goreleaser.yaml": "builds:\n- id: l\n  main: ./cmd/ledger\n  binary: front\ndockers:\n- ids: [l]\n  image_templates: ['ghcr.io/org/front:{{ .Tag }}']\n",
		}, want: "./cmd/ledger proven"},
		{name: "workflow", programs: three, image: "ghcr.io/org/front:v1", files: map[string]string{
			".github/workflows/ci.yml": "jobs:\n  image:\n    steps:\n    - uses: docker/build-push-action@v6\n      with:\n        file: build/front.Dockerfile\n        tags: 'ghcr.io/org/front:${{ github.sha }}'\n",
			"build/front.Dockerfile":   dockerfileFor("./cmd/ledger"),
		}, want: "./cmd/ledger proven"},
		{name: "folder of a Dockerfile", programs: three, image: "org/front:1", files: map[string]string{"docker/front/Dockerfile": dockerfileFor("./cmd/ledger")}, want: "./cmd/ledger proven"},
		{name: "not Go", programs: three, image: "org/web:1", files: map[string]string{"web/Dockerfile": "FROM node:22\nCMD [\"node\", \"x\"]\n"}, want: "not Go: `org/web:1` is built by web/Dockerfile with Node.js"},
		{name: "the only Dockerfile, the image a placeholder", programs: servers, image: "${IMAGE}", files: map[string]string{"Dockerfile": dockerfileFor("./cmd/server")}, want: "./cmd/server likely"},
		{name: "kubebuilder", programs: servers, image: "controller:latest", files: map[string]string{"Dockerfile": dockerfileFor("./cmd/worker"), "docs/Dockerfile": "FROM node\n"}, want: "./cmd/worker likely"},
		{name: "stage by the container's name", programs: servers, image: "org/shop:1", c: model.Container{Name: "worker"}, files: map[string]string{
			"Makefile": "i:\n\tdocker build -t org/shop .\n",
			"Dockerfile": "FROM golang AS b\nWORKDIR /s\nCOPY . .\nRUN go build -o /server ./cmd/server\nRUN go build -o /worker ./cmd/worker\n" +
				"FROM scratch AS worker\nCOPY --from=b /worker /\nENTRYPOINT [\"/worker\"]\nFROM scratch AS server\nCOPY --from=b /server /\nENTRYPOINT [\"/server\"]\n",
		}, want: "./cmd/worker likely"},
		{name: "image name", programs: three, image: "registry.example.com/org/mailer:1", want: "./cmd/mailer proven"},
		{name: "image name with the repository before it", programs: three, image: "org/shop-mailer:1", want: "./cmd/mailer likely"},
		{name: "module name means the server", programs: servers, image: "org/shop:1", c: model.Container{Name: "server"}, want: "./cmd/server likely"},
		{name: "command", programs: three, image: "org/everything:1", c: model.Container{Command: []string{"/usr/local/bin/ledger", "--x"}}, want: "./cmd/ledger proven"},
		{name: "command behind a shell", programs: three, image: "org/everything:1", c: model.Container{Command: []string{"sh", "-c", "sleep 1; exec ledger"}}, want: "./cmd/ledger proven"},
		{name: "a script that hands over", programs: three, image: "org/everything:1", c: model.Container{Command: []string{"/entrypoint.sh", "ledger"}, Args: []string{"--x"}}, want: "./cmd/ledger proven"},
		{name: "a script that hands over to a shell", programs: three, image: "org/everything:1", c: model.Container{Command: []string{"/entrypoint.sh"}, Args: []string{"/bin/sh", "-c", "exec ledger"}}, want: "./cmd/ledger proven"},
		{name: "the image's script before the manifest's word", programs: three, image: "org/shop:1", c: model.Container{Command: []string{"/docker-entrypoint.sh", "shop"}}, files: map[string]string{
			"Dockerfile": "FROM golang AS b\nWORKDIR /s\nCOPY . .\nRUN go build -o /usr/local/bin/shop ./cmd/ledger\nRUN go build -o /usr/local/bin/shop-mailer ./cmd/mailer\n" +
				"FROM scratch\nCOPY --from=b /usr/local/bin/shop /usr/local/bin/\nCOPY --from=b /usr/local/bin/shop-mailer /usr/local/bin/\nENTRYPOINT [\"/docker-entrypoint.sh\"]\n",
		}, want: "./cmd/ledger likely"},
		{
			name: "the repository's name beside a module within it", image: "ghcr.io/org/shop:1", c: model.Container{Command: []string{"/entrypoint.sh", "shop"}},
			probe: getProbe("/healthz", 8080), programs: append(nested(), servers...), files: map[string]string{
				"compose.yaml": "services:\n  shop:\n    build: .\n",
				"Dockerfile":   "FROM golang AS b\nWORKDIR /s\nCOPY . .\nRUN make\nFROM alpine\nCOPY --from=b /bin/shop /bin/\nENTRYPOINT [\"/entrypoint.sh\"]\n",
			}, want: "./cmd/server likely",
		},
		{
			name: "escaped quotes in a build", programs: servers, image: "ghcr.io/org/shop:1", c: model.Container{Command: []string{"/entrypoint.sh", "shop"}}, files: map[string]string{
				"compose.yaml": "services:\n  shop:\n    build: .\n",
				"Dockerfile": "FROM golang AS b\nWORKDIR /s\nCOPY . .\nRUN go build -ldflags \"-linkmode external -extldflags \\\"-static\\\" -X main.v=${V}\" -tags musl -o /bin/shop ./cmd/worker\n" +
					"RUN go build -o /bin/shop-server ./cmd/server\nFROM alpine\nCOPY --from=b /bin/shop /bin/\nENTRYPOINT [\"/entrypoint.sh\"]\n",
			}, want: "./cmd/worker proven",
		},
		{name: "a repository of one module within it", image: "ghcr.io/org/shop:1", programs: nested(), want: "./collector/cmd likely"},
		{name: "container name", programs: three, image: "org/everything:1", c: model.Container{Name: "ledger"}, want: "./cmd/ledger likely"},
		{name: "official image", programs: three, image: "redis:7", want: "not our image: `redis:7` is an official image"},
		{name: "official image, one main", programs: three[:1], image: "docker.io/library/postgres:16", want: "not our image: `docker.io/library/postgres:16` is an official image"},
		{name: "vendor", programs: three[:1], image: "grafana/grafana:11", want: "not our image: `grafana/grafana:11` is an image of grafana"},
		{name: "own image of an official name", programs: []*model.Program{{Package: "example.com/vault", Module: "example.com/vault", Dir: ".", Complete: true}}, image: "vault:1", want: "vault proven"},
		{
			name: "another image beside own ones", programs: three, image: "ghcr.io/dexidp/dex:v2", files: map[string]string{"Makefile": "i:\n\tdocker build -t org/front .\n"},
			want: "not our image: `ghcr.io/dexidp/dex:v2` bears no name of this tree, whose own images are such as `front`",
		},
		{name: "one main, any image", programs: three[:1], image: "registry.example.com/whatever:1", want: "./cmd/api proven"},
		{name: "one main and a tool", programs: []*model.Program{three[0], prog("hack/gen")}, image: "registry.example.com/whatever:1", want: "./cmd/api likely"},
		{name: "only one answers", programs: three, image: "registry.example.com/whatever:1", probe: getProbe("/healthz", 9000), want: "./cmd/mailer likely"},
		{
			name: "none answers", programs: three, image: "registry.example.com/whatever:1", probe: getProbe("/nothing", 9000),
			want: "ambiguous: image `registry.example.com/whatever:1` could run ./cmd/api, ./cmd/ledger or ./cmd/mailer",
		},
		{name: "no main", image: "org/api:1", want: "no Go main package was read"},
		{name: "no image", programs: three, want: "no image: the manifest names none for this container"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			probe := tt.probe
			if probe == nil {
				probe = getProbe("/none", 1)
			}
			in := Input{Root: "/x/repository", Workloads: []*model.Workload{workload(tt.image, tt.c, probe)}, Code: &code{programs: tt.programs}, Bindings: tt.bindings, Read: files(tt.files)}
			for f := range tt.files {
				if sortOfDockerfile(f) {
					in.Dockerfiles = append(in.Dockerfiles, f)
				} else {
					in.BuildFiles = append(in.BuildFiles, f)
				}
			}
			sort.Strings(in.Dockerfiles)
			res := Join(in)
			got := probe.Reason
			if len(res.Bound) == 1 {
				got = Label(res.Bound[0].Program) + " " + string(res.Bound[0].Certainty)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Where two kinds of evidence name two programs, the stronger one decides.
func TestStrongerEvidenceWins(t *testing.T) {
	three := []*model.Program{prog("cmd/api", server(":8080", "/healthz")), prog("cmd/mailer", server(":9000", "/healthz")), prog("cmd/ledger", server(":7000", "/ready"))}
	for _, tt := range []struct {
		name     string
		files    map[string]string
		bindings []Bind
		image    string
		c        model.Container
		want     string
	}{
		{name: "binding before ko", bindings: []Bind{{Workload: "Deployment/w", Package: "./cmd/ledger"}}, image: "ko://example.com/shop/cmd/mailer", want: "./cmd/ledger proven"},
		{name: "ko before the container's name", image: "ko://example.com/shop/cmd/mailer", c: model.Container{Name: "ledger"}, want: "./cmd/mailer proven"},
		{name: "Dockerfile before the image's name", image: "org/mailer:1", files: map[string]string{
			"skaffold.yaml":    "build:\n  artifacts:\n  - image: org/mailer\n    context: .\n    docker: {dockerfile: build/Dockerfile}\n",
			"build/Dockerfile": dockerfileFor("./cmd/ledger"),
		}, want: "./cmd/ledger proven"},
		{name: "compose before the container's name", image: "reg/billing:2", c: model.Container{Name: "mailer"}, files: map[string]string{
			"compose.yaml": "services:\n  billing:\n    build: .\n", "Dockerfile": dockerfileFor("./cmd/ledger"),
		}, want: "./cmd/ledger proven"},
		{name: "Makefile before the container's name", image: "org/front:1", c: model.Container{Name: "mailer"}, files: map[string]string{
			"Makefile": "image:\n\tdocker build -t org/front .\n", "Dockerfile": dockerfileFor("./cmd/ledger"),
		}, want: "./cmd/ledger proven"},
		{name: "command before the image's name", image: "org/mailer:1", c: model.Container{Command: []string{"/usr/local/bin/ledger"}}, want: "./cmd/ledger proven"},
		{name: "image's name before the container's", image: "org/mailer:1", c: model.Container{Name: "ledger"}, want: "./cmd/mailer proven"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			probe := getProbe("/none", 1)
			in := Input{Root: "/x/repository", Workloads: []*model.Workload{workload(tt.image, tt.c, probe)}, Code: &code{programs: three}, Bindings: tt.bindings, Read: files(tt.files)}
			for f := range tt.files {
				if sortOfDockerfile(f) {
					in.Dockerfiles = append(in.Dockerfiles, f)
				} else {
					in.BuildFiles = append(in.BuildFiles, f)
				}
			}
			res := Join(in)
			got := probe.Reason
			if len(res.Bound) == 1 {
				got = Label(res.Bound[0].Program) + " " + string(res.Bound[0].Certainty)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The folder is the last evidence: the only main package of the module nearest above the manifest.
func TestFolderOfTheManifest(t *testing.T) {
	mods := []*model.Program{
		{Package: "example.com/shop/api", Module: "example.com/shop/api", Dir: "services/api", Complete: true, Servers: []*model.Server{server(":8080", "/healthz")}},
		{Package: "example.com/shop/mailer", Module: "example.com/shop/mailer", Dir: "services/mailer", Complete: true, Servers: []*model.Server{server(":8080", "/healthz")}},
	}
	for file, want := range map[string]string{
		"services/mailer/k8s/deploy.yaml": "./services/mailer proven",
		"services/api/deploy.yaml":        "./services/api proven",
		"deploy/all.yaml":                 "ambiguous: image `registry.example.com/whatever:1` could run ./services/api or ./services/mailer",
	} {
		probe := getProbe("/healthz", 8080)
		w := workload("registry.example.com/whatever:1", model.Container{}, probe)
		w.File = file
		res := Join(Input{Root: "/x/repository", Workloads: []*model.Workload{w}, Code: &code{programs: mods}, Read: files(nil)})
		got := probe.Reason
		if len(res.Bound) == 1 {
			got = Label(res.Bound[0].Program) + " " + string(res.Bound[0].Certainty)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

// nested is a program of a module within the repository.
func nested() []*model.Program {
	return []*model.Program{{Package: "example.com/org/shop/collector/cmd", Module: "example.com/org/shop/collector", Dir: "collector/cmd", Complete: true}}
}

// A service that compose builds bears the image's name, which tells the tree's own images from others.
func TestServicesOfComposeNameImages(t *testing.T) {
	own := workload("registry.example.com/group/backend:1", model.Container{}, getProbe("/none", 1))
	other := workload("someone/garage:2", model.Container{}, getProbe("/none", 1))
	in := Input{
		Root: "/x/repository", Workloads: []*model.Workload{own, other}, Code: &code{programs: []*model.Program{prog("cmd/api")}},
		BuildFiles: []string{"compose.yaml"}, Dockerfiles: []string{"Dockerfile"},
		Read: files(map[string]string{"compose.yaml": "services:\n  backend:\n    build: .\n  db:\n    image: postgres\n", "Dockerfile": dockerfileFor("./cmd/api")}),
	}
	Join(in)
	if want := "not our image: `someone/garage:2` bears no name of this tree, whose own images are such as `backend`"; other.Containers[0].Probes[0].Reason != want {
		t.Errorf("got %q, want %q", other.Containers[0].Probes[0].Reason, want)
	}
	if r := own.Containers[0].Probes[0].Reason; strings.Contains(r, "not our image") {
		t.Errorf("the own image: %q", r)
	}
}

func sortOfDockerfile(f string) bool {
	return len(f) >= 10 && f[len(f)-10:] == "Dockerfile"
}

func TestDockerfileValuesAreInForce(t *testing.T) {
	s := server("", "/healthz")
	def := text("8080")
	s.AddressValue = exprs(model.Expr{Parts: []model.Expr{text(":"), {Flag: "port", Default: &def}}})
	e := server("", "/metrics")
	e.AddressValue = exprs(model.Expr{Parts: []model.Expr{text(":"), {Env: "METRICS"}}}, text(":2112"))
	in := Input{
		Code: &code{programs: []*model.Program{prog(".", s, e)}}, Dockerfiles: []string{"Dockerfile"},
		Read: files(map[string]string{"Dockerfile": dockerfileFor(".") + "CMD [\"--port=9000\"]\nENV METRICS=3000\n"}),
	}
	for _, tt := range []struct {
		c    model.Container
		path string
		port int
		want string
	}{
		{model.Container{}, "/healthz", 9000, "/healthz proven"},
		{model.Container{}, "/metrics", 3000, "/metrics proven"},
		{model.Container{}, "/healthz", 8080, "none [port proven]"},
		{model.Container{Args: []string{"--port=1234"}}, "/healthz", 1234, "/healthz proven"},
		{model.Container{Command: []string{"/app"}}, "/healthz", 8080, "/healthz proven"}, // a command drops CMD
		{model.Container{Env: []model.EnvVar{{Name: "METRICS", Value: "4000", Known: true}}}, "/metrics", 4000, "/metrics proven"},
	} {
		p := getProbe(tt.path, tt.port)
		in.Workloads = []*model.Workload{workload("org/shop", tt.c, p)}
		Join(in)
		if got := told(p); got != tt.want {
			t.Errorf("%v %d: got %s (%s), want %s", tt.c.Args, tt.port, got, p.Reason, tt.want)
		}
		if p.Miss != nil && p.Miss.Assumed {
			t.Error("assumed though the Dockerfile was read")
		}
	}
}

func TestNoGo(t *testing.T) {
	p := getProbe("/healthz", 8080)
	res := Join(Input{Workloads: []*model.Workload{workload("org/api", model.Container{}, p)}})
	if len(res.Bound) != 0 || p.Reason != "no Go was read" || p.Endpoint != nil {
		t.Errorf("got %q", p.Reason)
	}
}
