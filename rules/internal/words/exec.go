package words

import (
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Command is the command of the pass's exec probe; nil for other probes and for those that are not judged.
func Command(p *lint.Pass) *model.ExecCommand {
	if !Judged(p) || p.Probe.Kind != model.Exec {
		return nil
	}
	return p.Probe.Command
}

// Subject names the pass's probe with the container where that is not the only one of its pod.
func Subject(p *lint.Pass) string {
	return fmt.Sprintf("%s probe of %s", p.Probe.Role, Container(p.Workload, p.Container))
}

// ArgumentSpan is where a word of the probe's command is written.
func ArgumentSpan(pr *model.Probe, argument int) model.Span {
	return pr.Fields.Value(fmt.Sprintf("exec.command[%d]", argument), pr.Span)
}

// Argument is a label at a word of the probe's command.
func Argument(pr *model.Probe, argument int, text string) lint.Label {
	return lint.Label{Span: ArgumentSpan(pr, argument), Text: text}
}

// Asks is the program of a command that decides its verdict and asks something, nil where there is none or are several.
func Asks(c *model.ExecCommand) *model.ExecProgram {
	var found *model.ExecProgram
	for i := range c.Programs {
		p := &c.Programs[i]
		if !p.Decides || p.Builtin && p.Kind == "" || p.Kind == "constant" || p.Name == "" || i == 0 && c.Shell != "" {
			continue
		}
		if found != nil {
			return nil
		}
		found = p
	}
	return found
}
