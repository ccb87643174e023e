package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// approve answers what a run asks. The name is kept for the next answer.
func (p *page) approve(r *request) error {
	name := strings.TrimSpace(r.PostFormValue("by"))
	if name != "" {
		http.SetCookie(r.w, &http.Cookie{Name: nameCookie, Value: url.QueryEscape(cut(name, 80)), Path: "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteStrictMode, HttpOnly: true})
	}
	answer := r.PostFormValue("answer")
	if answer != "yes" && answer != "no" {
		return sessions.Refuse(sessions.Usage, "bad_form", "go back and try again", "%q is neither yes nor no", answer)
	}
	return p.act(r, workflows.Approve{Run: r.PostFormValue("run"), Step: r.PostFormValue("step"), Yes: answer == "yes", By: name, Note: r.PostFormValue("note")})
}

func (p *page) cancel(r *request) error {
	return p.act(r, workflows.Cancel{Run: r.PostFormValue("run"), By: r.User, Reason: r.PostFormValue("reason")})
}

func (p *page) resume(r *request) error {
	return p.act(r, workflows.ResumeRun{Run: r.PostFormValue("run"), By: r.User})
}

// resolve says what becomes of a dead letter.
func (p *page) resolve(r *request) error {
	return p.act(r, workflows.Resolve{
		Run: r.PostFormValue("run"), Step: r.PostFormValue("step"), Action: r.PostFormValue("action"), By: r.User, Note: r.PostFormValue("note"),
	})
}

// act has a command carried out and goes back to where it was asked for.
func (p *page) act(r *request, c workflows.Command) error {
	session := r.PathValue("session")
	if _, err := r.do(session, c); err != nil {
		return err
	}
	return r.redirect(r.back("/s/" + session))
}

// fork begins a session with the past of this one, up to a call, with what was changed.
func (p *page) fork(r *request) error {
	from := r.PathValue("session")
	c, err := ask[workflows.Fork](r, "fork", from, engine.ForkAsk{Call: r.PostFormValue("call")})
	if err != nil {
		return err
	}
	c.By = r.User
	if c.Set, err = setOf(r.PostForm["key"], r.PostForm["value"], r.PostForm["was"]); err != nil {
		return err
	}
	if field, value := r.PostFormValue("field"), strings.TrimSpace(r.PostFormValue("edit")); value != "" {
		c.Edits = []workflows.Edit{{Step: r.PostFormValue("step"), Field: field, Value: value}}
	}
	id, err := p.NewSession()
	if err != nil {
		return fmt.Errorf("make a session id: %w", err)
	}
	forked, err := engine.As[workflows.Forked](r.do(id, c))
	if err != nil {
		return err
	}
	to := "/s/" + id
	if len(forked.Runs) > 0 {
		to += "?" + url.Values{"run": {forked.Runs[0]}}.Encode()
	}
	return r.redirect(to)
}

// setOf reads context keys with the values that they are to have: JSON where it parses, else text. What is
// as it was is not set anew.
func setOf(keys, values, was []string) (map[string]events.Value, error) {
	out := map[string]events.Value{}
	for i, key := range keys {
		if key = strings.TrimSpace(key); key == "" || i >= len(values) || i < len(was) && plainLines(values[i]) == plainLines(was[i]) {
			continue
		}
		if err := sessions.CheckKey(key); err != nil {
			return nil, err
		}
		raw := json.RawMessage(values[i])
		if !json.Valid(raw) {
			text, err := events.Marshal(values[i])
			if err != nil {
				return nil, err
			}
			raw = text
		}
		out[key] = events.Value{JSON: raw}
	}
	return out, nil
}

// plainLines undoes what a form makes of line breaks.
func plainLines(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
