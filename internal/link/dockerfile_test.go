package link

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInterpret(t *testing.T) {
	type want struct {
		builds  []string // dir=out
		command []string
		other   string
		env     map[string]string
	}
	for _, tt := range []struct {
		name, file, context, target string
		args                        map[string]string
		want                        want
	}{
		{name: "two stages", file: `
# syntax=docker/dockerfile:1
ARG GO=1.25
FROM golang:${GO}-alpine AS builder
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=linux \
    # a comment inside

    go build -ldflags "-s -w" -o /out/api ./cmd/api
FROM gcr.io/distroless/static
COPY --from=builder /out/api /usr/bin/api
ENV PORT=9000 NAME="two words"
ENTRYPOINT ["/usr/bin/api"]
CMD ["--verbose"]
`, context: ".", want: want{builds: []string{"cmd/api=/out/api"}, command: []string{"/usr/bin/api", "--verbose"}, env: map[string]string{"PORT": "9000", "NAME": "two words"}}},
		{name: "folder of the module as context, shell form, no -o", file: `
FROM golang:1.25
WORKDIR /app
COPY . /app
RUN cd cmd/worker && go build
CMD exec ./worker
`, context: "backend", want: want{builds: []string{"backend/cmd/worker=/app/cmd/worker/worker"}, command: []string{"./worker"}}},
		{name: "working directory and copied folder", file: `
FROM golang:1.25 AS build
COPY . /service
WORKDIR /service/api/services/sales
RUN go build -ldflags "-X main.tag=1"
FROM alpine
COPY --from=build /service/api/services/sales/sales /service/sales
CMD ["/service/sales"]
`, context: ".", want: want{builds: []string{"api/services/sales=/service/api/services/sales/sales"}, command: []string{"/service/sales"}}},
		{name: "argument for the package", file: `
FROM golang:1.25 AS build
ARG SERVICE
WORKDIR /src
COPY . .
RUN go build -o /bin/app ./cmd/${SERVICE}
FROM scratch
COPY --from=build /bin/app /app
ENTRYPOINT ["/app"]
`, context: ".", args: map[string]string{"SERVICE": "mailer"}, want: want{builds: []string{"cmd/mailer=/bin/app"}, command: []string{"/app"}}},
		{name: "argument not known", file: "FROM golang\nARG S\nWORKDIR /s\nCOPY . .\nRUN go build -o /app ./cmd/$S\n", context: ".", want: want{builds: []string{"cmd/*=/app"}}},
		{
			name: "import path and folder as output", file: "FROM golang\nRUN go install example.com/shop/cmd/api@v1\nRUN go build -o /bin/ example.com/shop/cmd/web\n", context: ".",
			want: want{builds: []string{"example.com/shop/cmd/api=/api", "example.com/shop/cmd/web=/bin/web"}},
		},
		{name: "a stage by name", file: `
FROM golang AS build
WORKDIR /s
COPY . .
RUN go build -o /a ./cmd/a && go build -o /b ./cmd/b
FROM scratch AS first
COPY --from=build /a /a
ENTRYPOINT ["/a"]
FROM scratch AS second
COPY --from=build /b /b
ENTRYPOINT ["/b"]
`, context: ".", target: "first", want: want{builds: []string{"cmd/a=/a", "cmd/b=/b"}, command: []string{"/a"}}},
		{name: "here-document", file: "FROM golang\nWORKDIR /s\nCOPY . .\nRUN <<EOF\nset -e\ngo build -o /x ./cmd/x\nEOF\nCMD [\"/x\"]\n", context: ".", want: want{builds: []string{"cmd/x=/x"}, command: []string{"/x"}}},
		{name: "another language", file: "FROM node:22 AS b\nRUN npm ci\nFROM nginx\nCOPY --from=b /dist /usr/share/nginx/html\n", context: ".", want: want{other: "Node.js"}},
		{
			name: "Go beside another language", file: "FROM node:22 AS ui\nRUN npm ci\nFROM golang AS b\nWORKDIR /s\nCOPY . .\nRUN go build -o /app .\nFROM alpine\nCOPY --from=ui /dist /dist\nCOPY --from=b /app /app\nCMD [\"/app\"]\n",
			context: ".", want: want{builds: []string{".=/app"}, command: []string{"/app"}},
		},
		{name: "windows escape", file: "# escape=`\nFROM golang\nWORKDIR /s\nCOPY . .\nRUN go build `\n  -o /x ./cmd/x\n", context: ".", want: want{builds: []string{"cmd/x=/x"}}},
		{name: "nothing", file: "", context: "."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := parseDockerfile("Dockerfile", []byte(tt.file))
			st := d.last()
			if tt.target != "" {
				st = d.stage(tt.target)
			}
			r := interpret(d, st, tt.context, tt.args)
			got := want{command: r.command(), other: r.other}
			for _, b := range r.builds {
				got.builds = append(got.builds, ifElse(b.importPath != "", b.importPath, b.dir)+"="+b.out)
			}
			for _, e := range r.env {
				if got.env == nil {
					got.env = map[string]string{}
				}
				got.env[e.Name] = e.Value
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestStartedFollowsCopies(t *testing.T) {
	d := parseDockerfile("Dockerfile", []byte(`FROM golang AS b
WORKDIR /s
COPY . .
RUN go build -o /out/one ./cmd/one
RUN go build -o /out/two ./cmd/two
FROM alpine
COPY --from=b /out/two /usr/bin/renamed
COPY --from=b /out/one /usr/bin/
`))
	r := interpret(d, d.last(), ".", nil)
	for program, dir := range map[string]string{"/usr/bin/renamed": "cmd/two", "one": "cmd/one"} {
		if g, ok := r.started(program); !ok || g.dir != dir {
			t.Errorf("%s: got %q %v, want %q", program, g.dir, ok, dir)
		}
	}
	if g, ok := r.started("/bin/other"); ok {
		t.Errorf("an unknown program: got %q", g.dir)
	}
}

func FuzzDockerfile(f *testing.F) {
	f.Add("FROM a AS b\nRUN x \\\n y\nCOPY --from=b a b\n")
	f.Add("FROM golang\nRUN <<A <<B\na\nA\nb\nB\nENV A=${B:-c} D\n")
	f.Add("ARG\nFROM\nCOPY\nENV\nCMD [\n")
	f.Fuzz(func(_ *testing.T, s string) {
		d := parseDockerfile("Dockerfile", []byte(s))
		for _, st := range d.stages {
			r := interpret(d, st, ".", nil)
			_, _ = r.started("app")
			_ = r.prebuilt("app")
		}
	})
}

func TestGoBuilds(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []builtPackage
	}{
		{"go build", []builtPackage{{pkg: "."}}},
		{"go build -o bin/x -tags a,b cmd/x/main.go", []builtPackage{{pkg: "cmd/x", out: "bin/x"}}},
		{"go build -C sub -o=x ./cmd/y", []builtPackage{{pkg: "./cmd/y", out: "x", chdir: "sub"}}},
		{"xx-go build -trimpath -ldflags=-s ./cmd/a ./cmd/b", []builtPackage{{pkg: "./cmd/a"}, {pkg: "./cmd/b"}}},
		{"go build ./...", nil},
		{"go install github.com/x/y/cmd/z", []builtPackage{{pkg: "github.com/x/y/cmd/z", importPath: true}}},
		{"go test ./cmd/x", nil},
		{"echo go", nil},
	} {
		var got []builtPackage
		for _, c := range commands(splitQuoted(tt.line)) {
			got = append(got, goBuilds(c)...)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(builtPackage{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.line, diff)
		}
	}
}
