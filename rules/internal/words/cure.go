package words

import (
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Cure is the fix that inserts what the code lacks; none where its place is not certain.
func Cure(title string, at *model.Insertion) []lint.Fix {
	if at == nil {
		return nil
	}
	return []lint.Fix{{Title: title, Safe: true, Edits: []lint.Edit{{Span: at.At, Text: at.Text, Old: at.Behind}}}}
}
