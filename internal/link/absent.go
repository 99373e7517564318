package link

import (
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// absent is the main package that the image's Dockerfile builds, where the Go code of the tree holds no main package at all:
// a library, or a service whose command was never committed. nil where the image is not built from this tree, or from
// something else than Go.
func (j *joiner) absent(im image, w *model.Workload, c *model.Container) *model.Miss {
	if im.raw == "" {
		return nil
	}
	r := j.recipeOf(im, w, c)
	if r == nil || len(r.recipe.builds) == 0 {
		return nil
	}
	b := r.recipe.builds[0]
	pkg := b.importPath
	if pkg == "" {
		pkg = "./" + b.dir
	}
	if strings.Contains(pkg, anything) || b.span.IsZero() {
		return nil
	}
	return &model.Miss{Kind: model.MissNoProgram, Grade: model.MissPossible, Built: b.span, Unresolved: "`" + pkg + "`"}
}
