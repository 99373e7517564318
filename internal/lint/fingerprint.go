package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Fingerprint identifies a finding over runs and moves (STYLE.md 5.10): SHA-256 over the rule, what identifies its place, and the
// ordinal among equals. No line and no word of the message is part of it.
func Fingerprint(rule string, identity []string, ordinal int) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + strings.Join(identity, "\x00") + "\x00" + strconv.Itoa(ordinal)))
	return hex.EncodeToString(sum[:])
}

// ObjectIdentity is the Identity of a finding about a workload: its API group (a new version of the API is the same object), kind,
// namespace and name, and then what in it: "container", its name, a field.
func ObjectIdentity(w *model.Workload, what ...string) []string {
	group, _, ok := strings.Cut(w.APIVersion, "/")
	if !ok {
		group = ""
	}
	return append([]string{"object", group, w.Kind, w.Namespace, w.Name}, what...)
}
