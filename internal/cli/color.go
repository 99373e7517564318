package cli

import "io"

// colored decides whether a stream gets colours: the flag, NO_COLOR, CLICOLOR_FORCE or FORCE_COLOR, TERM=dumb, and only
// then whether it is a terminal (STYLE.md 5.1). NO_COLOR counts when it is not empty (no-color.org), the forcing ones when
// they are neither empty nor 0.
func (c *command) colored(flag string, w io.Writer) bool {
	switch flag {
	case "always":
		return true
	case "never":
		return false
	}
	if c.Getenv("NO_COLOR") != "" {
		return false
	}
	for _, force := range []string{"CLICOLOR_FORCE", "FORCE_COLOR"} {
		if v := c.Getenv(force); v != "" && v != "0" {
			return true
		}
	}
	if c.Getenv("TERM") == "dumb" {
		return false
	}
	_, tty := terminal(w)
	return tty
}
