package link

import (
	"slices"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

func TestKindOf(t *testing.T) {
	for ref, want := range map[string]string{
		"scratch":                  model.ImageBare,
		"gcr.io/distroless/static": model.ImageBare,
		"gcr.io/distroless/static-debian12:nonroot":                 model.ImageBare,
		"gcr.io/distroless/static:nonroot@sha256:" + "0123456789ab": model.ImageBare,
		"mirror.example.com/x/distroless/cc-debian12":               model.ImageBare,
		"gcr.io/distroless/java21-debian12":                         model.ImageBare,
		"cgr.dev/chainguard/static:latest":                          model.ImageBare,
		"cgr.dev/chainguard/glibc-dynamic":                          model.ImageBare,
		"alpine:3.20":                                               model.ImageAlpine,
		"docker.io/library/debian:12":                               model.ImageDebian,
		"gcr.io/distroless/static:debug":                            "",
		"gcr.io/distroless/base-debian12:debug-nonroot":             "",
		"gcr.io/distroless/python3-debian12":                        "",
		"cgr.dev/chainguard/static:latest-dev":                      "",
		"cgr.dev/chainguard/wolfi-base":                             "",
		"redis:7-alpine":                                            "",
		"example.com/alpine":                                        "",
		"registry.example.com/static":                               "",
		"":                                                          "",
		"${IMAGE}":                                                  "",
	} {
		if got, _ := kindOf(ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}

func TestContentsOfADockerfile(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		kind     string
		open     bool // what is in it cannot be told
		has      string
		checks   bool
		baseLine int
	}{
		"scratch":         {"FROM golang AS b\nRUN go build -o /out/x .\nFROM scratch\nCOPY --from=b /out/x /x\n", model.ImageBare, false, "x", false, 3},
		"stage on stage":  {"FROM gcr.io/distroless/static AS base\nFROM base\nCOPY x /\n", model.ImageBare, false, "x", false, 1},
		"argument":        {"ARG BASE=gcr.io/distroless/static\nFROM ${BASE}\nCOPY x /x\n", model.ImageBare, false, "x", false, 2},
		"unknown base":    {"ARG BASE\nFROM ${BASE}\nCOPY x /x\n", "", false, "x", false, 2},
		"root":            {"FROM alpine AS r\nFROM scratch\nCOPY --from=r / /\n", model.ImageBare, true, "", false, 2},
		"bin":             {"FROM alpine AS r\nFROM scratch\nCOPY --from=r /bin /bin\n", model.ImageBare, true, "", false, 2},
		"archive":         {"FROM scratch\nADD rootfs.tar.gz /\n", model.ImageBare, true, "", false, 1},
		"tool":            {"FROM scratch\nCOPY --from=busybox /bin/sh /bin/sh\n", model.ImageBare, false, "sh", false, 1},
		"run":             {"FROM alpine\nRUN apk add curl\n", model.ImageAlpine, true, "", false, 1},
		"health":          {"FROM scratch\nHEALTHCHECK CMD [\"/x\", \"-check\"]\n", model.ImageBare, false, "", true, 1},
		"health inherits": {"FROM scratch AS a\nHEALTHCHECK CMD [\"/x\"]\nFROM a\n", model.ImageBare, false, "", true, 1},
		"health none":     {"FROM scratch AS a\nHEALTHCHECK CMD [\"/x\"]\nFROM a\nHEALTHCHECK NONE\n", model.ImageBare, false, "", false, 1},
	} {
		d := parseDockerfile("Dockerfile", []byte(c.text))
		got := interpret(d, d.last(), ".", nil).contents()
		if got.Kind != c.kind || slices.Contains(got.Programs, "*") != c.open || c.has != "" && !slices.Contains(got.Programs, c.has) ||
			got.Healthcheck.IsZero() == c.checks || got.Span.Line != c.baseLine {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
