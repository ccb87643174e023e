package projections

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the trace as a document to hand on: a heading, then a list nested by call. What
// came from outside is escaped, so it neither formats nor links.
func (t *Trace) Markdown(w io.Writer, lang string) error {
	say := language(lang)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n", markdown(short(t.head.Goal, taskLength)))
	for _, h := range t.headings(say) {
		fmt.Fprintf(out, "- **%s**%s%s\n", strings.TrimSpace(h[0]), say.colon, markdown(h[1]))
	}
	fmt.Fprintln(out)
	last := ""
	for _, l := range t.tree(say) {
		if l.at.IsZero() {
			fmt.Fprintf(out, "%s- %s\n", strings.Repeat(indent, l.depth+1), markdown(l.text))
			continue
		}
		stamp := l.at.Format(clock)
		if today := l.at.Format(day); today != last {
			stamp, last = today+" "+stamp, today
		}
		fmt.Fprintf(out, "%s- `%s` %s %s\n", strings.Repeat(indent, l.depth), stamp, l.mark, markdown(l.text))
	}
	return out.Flush()
}

// markdown keeps a text from being read as markup.
func markdown(s string) string {
	return markup.Replace(s)
}

var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;",
	"&", "&amp;", "#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`, "$", `\$`, "://", `:\//`,
)
