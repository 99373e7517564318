package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

func (c *command) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE",
		Short: "Print the page of a rule",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("explain takes one rule; `probelint rules` lists them")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, r := range rules.All() {
				if r.Name != args[0] {
					continue
				}
				_, body, _ := strings.Cut(r.Doc, "\n")
				_, err := fmt.Fprintf(c.out, "%s\n%s\n\n%s\n", r.Name, traits(r), strings.TrimSpace(body))
				return err
			}
			if near := lint.Nearest(args[0], ruleNames()); near != "" {
				return usagef("unknown rule %q; did you mean %q?", args[0], near)
			}
			return usagef("unknown rule %q; `probelint rules` lists them", args[0])
		},
	}
}

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

func (c *command) rules() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules with their level and what they see: M the manifest, G the Go code, L both joined",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf("format", format, "text", "json"); err != nil {
				return err
			}
			if format == "json" {
				return c.rulesJSON()
			}
			width := 0
			for _, n := range ruleNames() {
				width = max(width, len(n))
			}
			for _, r := range rules.All() {
				level := r.Level.String()
				if r.Nursery {
					level = "nursery"
				}
				if _, err := fmt.Fprintf(c.out, "%-*s  %-7s  %-5s  %s\n", width, r.Name, level, sees(r), r.Summary()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "text", "format: text, json")
	return cmd
}

func (c *command) rulesJSON() error {
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
	for _, r := range rules.All() {
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
