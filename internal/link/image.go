package link

import (
	"path"
	"regexp"
	"strings"
)

// image is an image reference taken apart. An image such as `ghcr.io/org/shop/api:1.2@sha256:…` has the registry ghcr.io,
// the repository org/shop/api and the name api.
type image struct {
	raw, registry, repository, name string
	// ko is the import path of a `ko://` reference.
	ko string
}

func parseImage(ref string) image {
	im := image{raw: ref}
	if p, ok := strings.CutPrefix(ref, "ko://"); ok {
		im.ko, im.name = p, path.Base(p)
		return im
	}
	s, _, _ := strings.Cut(ref, "@")
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, '/') {
		s = s[:i]
	}
	if head, rest, ok := strings.Cut(s, "/"); ok && (strings.ContainsAny(head, ".:") || head == "localhost" || strings.Contains(head, anything)) {
		im.registry, s = head, rest
	}
	im.repository = s
	im.name = path.Base(s)
	if im.registry == "docker.io" || im.registry == "index.docker.io" || im.registry == "registry-1.docker.io" {
		im.registry = ""
	}
	im.repository = strings.TrimPrefix(im.repository, "library/")
	if m := koDigest.FindStringSubmatch(im.name); m != nil {
		im.name = m[1] // ko appends the md5 of the import path
	}
	return im
}

var koDigest = regexp.MustCompile(`^(.+)-[0-9a-f]{32}$`)

// placeholder reports whether the reference names no image at all: empty, a variable of a template, or the name that
// kubebuilder's scaffold leaves for kustomize to replace (`controller`).
func (im image) placeholder() bool {
	return im.raw == "" || im.repository == "controller" && im.registry == "" || im.name == "" || im.name == "." || strings.ContainsAny(im.name, "${}()<>*") ||
		strings.EqualFold(im.name, "image") || strings.Contains(strings.ToUpper(im.name), "PLACEHOLDER") || strings.Contains(im.name, "IMAGE")
}

// same reports whether two references name one repository of images.
func (im image) same(o image) bool {
	return im.repository == o.repository && (im.registry == o.registry || strings.Contains(im.registry+o.registry, anything))
}

// foreign says of a well-known image what it is ("an official image"), "" for others. Callers ask only where no name of
// this tree fits, so that a repository that builds such an image is not turned away.
func (im image) foreign() string {
	if im.registry == "" && !strings.Contains(im.repository, "/") && official[im.repository] {
		return "an official image"
	}
	org, _, has := strings.Cut(im.repository, "/")
	switch {
	case im.registry == "registry.k8s.io" || im.registry == "k8s.gcr.io" || im.registry == "mcr.microsoft.com" || im.registry == "docker.elastic.co" || im.registry == "public.ecr.aws" || im.registry == "nvcr.io":
		return "an image of " + im.registry
	case has && im.registry == "" && vendors[org]:
		return "an image of " + org
	case has && im.registry != "" && vendors[org] && im.registry != "localhost":
		return "an image of " + org
	}
	return ""
}

// official are images of Docker's official library (github.com/docker-library/official-images, library/) that people run
// as containers of their own.
var official = set(`adminer aerospike almalinux alpine amazonlinux arangodb archlinux bash buildpack-deps busybox bonita caddy
 cassandra chronograf clojure composer consul convertigo couchbase couchdb crate dart debian docker drupal eclipse-mosquitto
 eclipse-temurin elasticsearch elixir erlang fedora fluentd friendica gcc geonetwork ghost gradle groovy haproxy haskell haxe
 hello-world hitch httpd hylang ibmjava influxdb jetty joomla julia kapacitor kibana kong lightstreamer liquibase logstash mariadb
 matomo maven mediawiki memcached mongo mongo-express monica mysql nats nats-streaming neo4j neurodebian nextcloud nginx node odoo
 open-liberty openjdk oraclelinux orientdb percona perl photon php phpmyadmin plone postfixadmin postgres pypy python r-base
 rabbitmq rakudo-star redis redmine registry rethinkdb rocket.chat rockylinux ros ruby rust sapmachine satosa silverstripe solr
 sonarqube spark spiped storm swift swipl telegraf tomcat tomee traefik ubuntu unit varnish vault websphere-liberty wordpress
 xwiki yourls znc zookeeper`)

// vendors are organisations on Docker Hub, quay.io and gcr.io whose images are run as they are.
var vendors = set(`bitnami bitnamilegacy bitnamicharts prom prometheus grafana hashicorp jaegertracing openzipkin confluentinc
 istio envoyproxy linkerd fluent dpage otel minio timberio kindest rancher amazon curlimages library opensearchproject
 apache clickhouse cockroachdb mailhog axllent localstack oliver006 prometheuscommunity prometheus-operator nginxinc
 kubernetes-sigs distroless elastic gravitational vectorized redpandadata provectuslabs bitnami-labs groundnuty`)

func set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// isGoImage reports whether a stage starts from an image that brings the Go tools.
func isGoImage(ref string) bool {
	n := parseImage(ref).name
	return n == "golang" || strings.HasPrefix(n, "golang-") || n == "go-toolset" || n == "xgo" || strings.HasPrefix(n, "goreleaser")
}

// languageOf names the language that a base image is for, where that is plainly not Go.
func languageOf(ref string) string {
	n := parseImage(ref).name
	switch {
	case n == "node" || n == "bun" || n == "deno" || n == "nodejs":
		return "Node.js"
	case n == "python" || n == "uv" || n == "pypy" || n == "miniconda3":
		return "Python"
	case n == "rust":
		return "Rust"
	case n == "openjdk" || n == "eclipse-temurin" || n == "maven" || n == "gradle" || n == "amazoncorretto" || n == "ibmjava" || n == "java":
		return "Java"
	case n == "aspnet" || n == "sdk" || n == "dotnet" || n == "runtime" && strings.Contains(ref, "dotnet"):
		return ".NET"
	case n == "ruby":
		return "Ruby"
	case n == "php" || n == "composer":
		return "PHP"
	case n == "elixir" || n == "erlang":
		return "Elixir"
	}
	return ""
}
