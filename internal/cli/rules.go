package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report/text"
	"github.com/probelint/probelint/rules"
)

// traits is a rule in a few words: `error; sees the manifest, the Go code`.
func traits(r *lint.Rule) string {
	words := make([]string, len(r.Sees))
	for i, v := range r.Sees {
		words[i] = map[lint.Sees]string{lint.Manifest: "the manifest alone", lint.Go: "the Go code alone", lint.Link: "both joined"}[v]
	}
	s := r.Level.String() + "; sees " + strings.Join(words, ", ")
	if r.Nursery {
		s += "; nursery, off unless selected by name"
	}
	return s
}

func sees(r *lint.Rule) string {
	words := make([]string, len(r.Sees))
	for i, v := range r.Sees {
		words[i] = string(v)
	}
	return strings.Join(words, " ")
}

func ruleNames() []string {
	var names []string
	for _, r := range rules.All() {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

// ruleFilter says which rules are listed.
type ruleFilter struct {
	level, profile, side string
	nursery, nurserySet  bool
}

// chosen are the rules that a filter lets pass, in the order of the catalogue.
func (f *ruleFilter) chosen() ([]*lint.Rule, error) {
	if f.level != "" {
		if err := oneOf("level", f.level, "error", "warning", "info"); err != nil {
			return nil, err
		}
	}
	if f.profile != "" {
		if err := oneOf("profile", f.profile, "default", "strict"); err != nil {
			return nil, err
		}
	}
	if f.side != "" {
		if err := oneOf("side", f.side, string(lint.Manifest), string(lint.Go), string(lint.Link)); err != nil {
			return nil, err
		}
	}
	fails := map[string]lint.Level{"default": lint.Error, "strict": lint.Warning}
	var out []*lint.Rule
	for _, r := range rules.All() {
		switch {
		case f.level != "" && r.Level.String() != f.level,
			f.profile != "" && (r.Nursery || r.Level < fails[f.profile]),
			f.side != "" && !slices.Contains(r.Sees, lint.Sees(f.side)),
			f.nurserySet && r.Nursery != f.nursery:
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func (c *command) rules() *cobra.Command {
	var format string
	f := &ruleFilter{}
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules with their level and what they see: M the manifest, G the Go code, L both joined",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("format", format, "text", "json"); err != nil {
				return err
			}
			f.nurserySet = cmd.Flags().Changed("nursery")
			chosen, err := f.chosen()
			if err != nil {
				return err
			}
			if format == "json" {
				return c.rulesJSON(chosen)
			}
			return c.rulesText(chosen)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&format, "format", "f", "text", "format: text, json")
	fs.StringVar(&f.level, "level", "", "only rules of this `LEVEL`: error, warning, info")
	fs.StringVar(&f.profile, "profile", "", "only rules that can make a run fail under this `PROFILE`: default, strict")
	fs.StringVar(&f.side, "side", "", "only rules that see this `SIDE`: M, G, L")
	fs.BoolVar(&f.nursery, "nursery", false, "only rules that are off unless selected by name; --nursery=false: only the others")
	completeWords(cmd, map[string]func() []string{
		"format": fixed("text", "json"), "level": fixed("error", "warning", "info"), "profile": fixed("default", "strict"), "side": sides,
	})
	return cmd
}

// rulesText prints a line a rule, wrapped below its summary on a terminal.
func (c *command) rulesText(chosen []*lint.Rule) error {
	width := 0
	for _, r := range chosen {
		width = max(width, len(r.Name))
	}
	columns := c.columns()
	for _, r := range chosen {
		level := r.Level.String()
		if r.Nursery {
			level = "nursery"
		}
		lead := fmt.Sprintf("%-*s  %-7s  %-5s  ", width, r.Name, level, sees(r))
		lines := []string{r.Summary()}
		if room := columns - len(lead); room >= 20 {
			lines = text.Wrap(r.Summary(), room)
		}
		for _, l := range lines {
			if _, err := fmt.Fprintln(c.out, lead+l); err != nil {
				return err
			}
			lead = strings.Repeat(" ", len(lead))
		}
	}
	return nil
}

func (c *command) rulesJSON(chosen []*lint.Rule) error {
	type rule struct {
		Name    string      `json:"name"`
		Level   string      `json:"level"`
		Sees    []lint.Sees `json:"sees"`
		Nursery bool        `json:"nursery"`
		Summary string      `json:"summary"`
		Docs    string      `json:"docs"`
	}
	doc := struct {
		Version int    `json:"version"`
		Rules   []rule `json:"rules"`
	}{1, []rule{}}
	for _, r := range chosen {
		doc.Rules = append(doc.Rules, rule{r.Name, r.Level.String(), r.Sees, r.Nursery, r.Summary(), lint.DocURL(r.Name)})
	}
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// noArgs is cobra.NoArgs in the words of this program.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}
