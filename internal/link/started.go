package link

import (
	"path"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// startedProgram is the first word of the command line that is a program of its own, behind shells, starters and the scripts
// of an image that hand over to what follows them (`/entrypoint.sh api`).
func startedProgram(c *model.Container) string {
	words := append(append([]string(nil), c.Command...), c.Args...)
	for len(words) > 0 {
		w := words[0]
		if len(words) >= 3 && isShell(w) && strings.HasPrefix(words[1], "-") {
			rest := words[:0:0]
			for _, cmd := range commands(values.SplitShell(words[2])) {
				rest = cmd // the last command of the script is the one that stays
			}
			words = rest
			continue
		}
		switch path.Base(w) {
		case "tini", "dumb-init", "exec", "catatonit", "su-exec", "gosu", "--", "-s", "-g", "-v":
			words = words[1:]
			continue
		}
		if strings.HasPrefix(w, "-") {
			return ""
		}
		if handsOver(w) && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
			words = words[1:]
			continue
		}
		if len(c.Command) == 0 && !strings.Contains(w, "/") {
			return "" // args alone: the image's entry point is not known, and this is its argument
		}
		return w
	}
	return ""
}

// handsOver reports the script of an image that prepares and then runs what it is given.
func handsOver(w string) bool {
	base := path.Base(w)
	return strings.HasSuffix(base, ".sh") || base == "entrypoint" || base == "docker-entrypoint"
}

func isShell(w string) bool {
	switch path.Base(w) {
	case "sh", "bash", "ash", "dash":
		return true
	}
	return false
}
