package operation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// mostRows bounds one page of a list.
const mostRows = 1000

// Page is the part of an input that asks for a part of a list.
type Page struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"how many rows at most, up to 1000, which is also the default"`
	Cursor string `json:"cursor,omitempty" jsonschema:"where the page before said that the next one begins"`
}

func (p Page) page() Page { return p }

// rows is a list whose rows are known by a field: a page begins after the row that its cursor names, so
// that rows which came meanwhile move nothing.
func rows[Row any, In interface{ page() Page }](example In, key string, all func(context.Context, Caller, In) (json.RawMessage, error)) work {
	return workOf[[]Row](example, func(ctx context.Context, c Caller, in In) (Answer, error) {
		encoded, err := all(ctx, c, in)
		if err != nil {
			return Answer{}, err
		}
		var list []json.RawMessage
		if err := json.Unmarshal(encoded, &list); err != nil {
			return Answer{}, fmt.Errorf("read the list: %w", err)
		}
		return cutPage(list, key, in.page())
	})
}

func cutPage(list []json.RawMessage, key string, p Page) (Answer, error) {
	if p.Limit < 0 || p.Limit > mostRows {
		return Answer{}, sessions.Refuse(sessions.Usage, "bad_limit", "use a number from 1 to 1000", "a page of %d rows cannot be given", p.Limit)
	}
	if p.Limit == 0 {
		p.Limit = mostRows
	}
	from := 0
	for i, row := range list {
		if p.Cursor != "" && keyOf(row, key) == p.Cursor {
			from = i + 1
		}
	}
	if p.Cursor != "" && from == 0 {
		return Answer{}, sessions.Refuse(sessions.Usage, "bad_cursor", "begin again without a cursor", "there is no row %q in the list", p.Cursor)
	}
	part := append([]json.RawMessage{}, list[from:min(len(list), from+p.Limit)]...)
	out := Answer{}
	if from+len(part) < len(list) {
		out.Next = keyOf(part[len(part)-1], key)
	}
	var err error
	out.JSON, err = events.Marshal(part)
	return out, err
}

// keyOf is the text of a row's field.
func keyOf(row json.RawMessage, key string) string {
	var fields map[string]json.RawMessage
	var text string
	_ = json.Unmarshal(row, &fields) // a row without the field is never where a page begins
	_ = json.Unmarshal(fields[key], &text)
	return text
}
