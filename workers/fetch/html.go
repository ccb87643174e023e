package fetch

import (
	"net/url"
	"strings"

	markdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/batonflow/baton/routing/web"
)

// document is an HTML page, taken apart.
type document struct {
	html        bool
	title       string
	description string
	date        string
	headings    []string
	links       []Link
	markdown    string
	words       string // what is seen of it
	scripts     int
	passwords   int    // fields that ask for one
	nested      int    // lists and quotes inside each other, at most
	roots       int    // empty elements that scripts fill
	noscript    string // what it says to those without scripts
	marks       string // names of classes, ids and sources of scripts and frames, in lower case
}

const (
	// mostMarkdown and mostNested bound what is turned into Markdown, in bytes and in lists and quotes
	// inside each other: each of these indents all that is below it again. Of other pages the words are
	// given, or whoever wrote one would decide how long it takes.
	mostMarkdown = 512 << 10
	mostNested   = 10
	// mostInner is how much of an element's text is looked at, in bytes.
	mostInner = 4 << 10
)

// readHTML fails on what nests too deep to be a page.
func readHTML(text string, base *url.URL) (document, error) {
	d := document{html: true, headings: []string{}, links: []Link{}}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return d, err
	}
	var seen, marks strings.Builder
	d.walk(root, base, &seen, &marks)
	d.words, d.marks = strings.Join(strings.Fields(seen.String()), " "), strings.ToLower(marks.String())
	d.markdown = d.words
	if len(text) <= mostMarkdown && d.nested <= mostNested {
		if turned, err := markdown.ConvertNode(root); err == nil {
			d.markdown = string(turned)
		}
	}
	return d, nil
}

// walk gathers what the elements say. It goes no deeper than the parser did.
func (d *document) walk(root *html.Node, base *url.URL, seen, marks *strings.Builder) {
	for n := range root.Descendants() {
		switch n.Type {
		case html.TextNode:
			d.text(n, seen)
		case html.ElementNode:
			d.element(n, base, marks)
		}
	}
}

// unseen are elements whose text is for nobody to read.
func unseen(n *html.Node) bool {
	for at := n.Parent; at != nil; at = at.Parent {
		switch at.DataAtom {
		case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Title, atom.Iframe:
			return true
		}
	}
	return false
}

func (d *document) text(n *html.Node, seen *strings.Builder) {
	if n.Parent != nil && n.Parent.DataAtom == atom.Noscript {
		d.noscript += n.Data
	}
	if !unseen(n) {
		seen.WriteString(n.Data + " ")
	}
}

func (d *document) element(n *html.Node, base *url.URL, marks *strings.Builder) {
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id", "src", "action", "data-sitekey":
			marks.WriteString(a.Key + "=" + a.Val + "\n")
		}
	}
	switch n.DataAtom {
	case atom.Title:
		if d.title == "" {
			d.title = strings.TrimSpace(inner(n))
		}
	case atom.H1, atom.H2, atom.H3:
		if heading := strings.Join(strings.Fields(inner(n)), " "); heading != "" && len(d.headings) < mostLinks {
			d.headings = append(d.headings, heading)
		}
	case atom.Script:
		d.script(n, marks)
	case atom.Input:
		if strings.EqualFold(attr(n, "type"), "password") {
			d.passwords++
		}
	case atom.Div, atom.Main:
		if attr(n, "id") != "" && blank(n) {
			d.roots++
		}
	case atom.Ul, atom.Ol, atom.Blockquote:
		d.nested = max(d.nested, depth(n))
	case atom.Meta:
		d.meta(n)
	case atom.Time:
		if at := attr(n, "datetime"); at != "" && d.date == "" {
			d.date = at
		}
	case atom.A:
		d.link(n, base)
	}
}

// script counts those that do something; one that holds data may say the date.
func (d *document) script(n *html.Node, marks *strings.Builder) {
	if !strings.Contains(attr(n, "type"), "json") {
		d.scripts++
		return
	}
	if _, after, found := strings.Cut(inner(n), `"datePublished"`); found && d.date == "" {
		if parts := strings.SplitN(after, `"`, 3); len(parts) == 3 && strings.TrimSpace(parts[0]) == ":" {
			d.date = parts[1]
		}
	}
	marks.WriteString(inner(n))
}

func (d *document) meta(n *html.Node) {
	name, content := strings.ToLower(attr(n, "name")+attr(n, "property")+attr(n, "itemprop")), attr(n, "content")
	switch name {
	case "description", "og:description":
		if d.description == "" {
			d.description = content
		}
	case "article:published_time", "article:modified_time", "og:updated_time", "date", "datepublished", "dc.date", "pubdate":
		if content != "" {
			d.date = content
		}
	}
}

// link keeps what is an address; what it leads to is for others to judge.
func (d *document) link(n *html.Node, base *url.URL) {
	to, err := base.Parse(strings.TrimSpace(attr(n, "href")))
	if err != nil || len(d.links) >= mostLinks {
		return
	}
	if normal, err := web.Normalise(to.String()); err == nil {
		d.links = append(d.links, Link{URL: normal, Text: strings.Join(strings.Fields(inner(n)), " ")})
	}
}

// depth counts the lists and quotes that an element stands in, itself included.
func depth(n *html.Node) int {
	deep := 0
	for at := n; at != nil; at = at.Parent {
		switch at.DataAtom {
		case atom.Ul, atom.Ol, atom.Blockquote:
			deep++
		}
	}
	return deep
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// inner is the beginning of what an element holds.
func inner(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if b.Len() >= mostInner {
			break
		}
		if c.Type == html.TextNode {
			b.WriteString(c.Data[:min(len(c.Data), mostInner)])
		}
	}
	return strings.ToValidUTF8(b.String(), "")
}

func blank(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return false
		}
	}
	return true
}
