package manifest

import "strings"

// fileKind says by its name what a file is to us; the kinds are not exclusive.
type fileKind uint8

const (
	manifestFile fileKind = 1 << iota
	goFile
	goMod
	dockerfile
	buildFile
	kustomization
)

// classify judges a file by its base name alone.
func classify(name string) fileKind {
	lower := strings.ToLower(name)
	var k fileKind
	ext := lower[strings.LastIndexByte(lower, '.')+1:]
	switch ext {
	case "yaml", "yml", "json":
		k |= manifestFile
	case "go":
		return goFile
	case "mod":
		if name == "go.mod" {
			return goMod
		}
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(lower, ".yaml"), ".yml")
	switch {
	case isDockerfile(lower, ext):
		k |= dockerfile
	case lower == "makefile" || lower == "gnumakefile":
		k |= buildFile
	case stem == lower: // the rest is YAML
	case stem == "skaffold" || stem == ".ko" || stem == ".goreleaser" || stem == "goreleaser",
		stem == "compose" || strings.HasPrefix(stem, "compose."),
		stem == "docker-compose" || strings.HasPrefix(stem, "docker-compose.") || strings.HasPrefix(stem, "docker-compose-"):
		k |= buildFile
	case stem == "kustomization":
		k |= kustomization
	}
	if name == "Kustomization" {
		k |= kustomization
	}
	return k
}

func isDockerfile(lower, ext string) bool {
	if lower == "dockerfile" || lower == "containerfile" {
		return true
	}
	if ext == "dockerignore" || ext == "md" || ext == "go" {
		return false
	}
	return ext == "dockerfile" || strings.HasPrefix(lower, "dockerfile.") || strings.HasPrefix(lower, "containerfile.")
}
