package fetch

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/batonflow/baton/routing/web"
	batonhttp "github.com/batonflow/baton/workers/http"
)

// Page is what was read. Its JSON is the value of the call.
type Page struct {
	Result      string          `json:"result"` // ok
	URL         string          `json:"url"`    // where it was found at last
	Status      int             `json:"status"`
	ContentType string          `json:"content_type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Date        string          `json:"date"` // of the content, as the page says it; else of its file
	Headings    []string        `json:"headings"`
	Text        string          `json:"text"`           // Markdown of HTML, else as it is
	Data        json.RawMessage `json:"data,omitempty"` // of JSON
	Links       []Link          `json:"links"`
	Bytes       int             `json:"bytes"`
	Truncated   bool            `json:"truncated"` // there is more than was read or is given
}

// Link is one that the page shows. Nothing follows it by itself.
type Link struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

const (
	mostText  = 200 << 10 // bytes of a page's text that are given
	mostLinks = 200
)

// page reads an answer, and refuses one that is none.
func (v visit) page(resp *http.Response) (*Page, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, v.MaxBytes+1))
	truncated := int64(len(body)) > v.MaxBytes
	if err != nil {
		return nil, err
	}
	if truncated {
		body = body[:v.MaxBytes]
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	p := &Page{
		Result: web.OK, URL: resp.Request.URL.String(), Status: resp.StatusCode, ContentType: kind,
		Date: modified(resp.Header), Headings: []string{}, Links: []Link{}, Bytes: len(body), Truncated: truncated,
	}
	text, readable := decode(body, resp.Header.Get("Content-Type"))
	if !readable && resp.StatusCode < 300 {
		return nil, refusal{code: "parse_failed", status: resp.StatusCode, message: p.URL + " is " + kind + ", which is no text"}
	}
	d, err := p.fill(kind, text, resp.Request.URL)
	if err != nil {
		return nil, refusal{code: "parse_failed", status: resp.StatusCode, message: p.URL + ": " + err.Error()}
	}
	if code := v.sign(resp, p, d); code != "" {
		return nil, v.refused(resp, code)
	}
	p.bound()
	return p, nil
}

// modified is when a page's file was changed last; empty when the server does not say.
func modified(header http.Header) string {
	at, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// refused describes an answer that is no page.
func (v visit) refused(resp *http.Response, code web.Code) refusal {
	r := refusal{code: code, status: resp.StatusCode, message: resp.Request.URL.Redacted() + " answered " + resp.Status + ": " + string(code)}
	if wait, asked := batonhttp.RetryAfter(resp.Header); asked {
		r.after = max(wait.Seconds(), 0.001) // 0 would say that nothing was asked for
	}
	return r
}

// decode gives the text of a body in UTF-8, by what is declared or what it looks like.
func decode(body []byte, contentType string) (string, bool) {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	textual := strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") || strings.HasSuffix(kind, "javascript")
	if !textual || bytes.IndexByte(body[:min(len(body), 512)], 0) >= 0 && !hasMark(body) {
		return "", false
	}
	reader, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return strings.ToValidUTF8(string(body), string(utf8.RuneError)), true
	}
	text, err := io.ReadAll(reader)
	return strings.ToValidUTF8(string(text), string(utf8.RuneError)), err == nil
}

// hasMark says whether the body begins with the mark of UTF-16, in which zeros are no sign of a binary.
func hasMark(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff})
}

// fill takes the text apart by its kind.
func (p *Page) fill(kind, text string, base *url.URL) (document, error) {
	looksHTML := strings.Contains(kind, "html") || kind == "" && strings.Contains(strings.ToLower(text[:min(len(text), 1024)]), "<html")
	if !looksHTML {
		if strings.HasSuffix(kind, "json") && json.Valid([]byte(text)) && len(text) <= mostText {
			p.Data = json.RawMessage(text)
		}
		p.Text = text
		return document{words: strings.TrimSpace(text)}, nil
	}
	d, err := readHTML(text, base)
	p.Title, p.Description, p.Headings, p.Links, p.Text = d.title, d.description, d.headings, d.links, d.markdown
	if d.date != "" {
		p.Date = d.date
	}
	return d, err
}

// bound shortens what is given.
func (p *Page) bound() {
	if len(p.Text) > mostText {
		p.Text = strings.ToValidUTF8(p.Text[:mostText], "")
		p.Truncated = true
	}
}
