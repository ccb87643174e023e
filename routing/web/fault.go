package web

import "errors"

// Fault says by a stable code what is wrong with an address or a template.
type Fault string

// What an address is refused for.
const (
	ErrURLEmpty    Fault = "E_URL_EMPTY"
	ErrURLControl  Fault = "E_URL_CONTROL"  // a control character
	ErrURLRelative Fault = "E_URL_RELATIVE" // no scheme
	ErrURLScheme   Fault = "E_URL_SCHEME"   // neither http nor https
	ErrURLUserinfo Fault = "E_URL_USERINFO" // a name or password before the host
	ErrURLPort     Fault = "E_URL_PORT"
	ErrURLHost     Fault = "E_URL_HOST"
	ErrURLPrivate  Fault = "E_URL_PRIVATE" // a machine or network of one's own that the user did not name
)

// What an official entry is refused for, beside the faults of its address.
const (
	ErrTemplate     Fault = "E_TEMPLATE"      // more than one {query}, or another brace
	ErrTemplateHost Fault = "E_TEMPLATE_HOST" // {query} could change where the request goes
	ErrQueryEmpty   Fault = "E_QUERY_EMPTY"
	ErrNotHTTPS     Fault = "E_NOT_HTTPS"
	ErrPort         Fault = "E_PORT" // another port than that of https
	ErrIPHost       Fault = "E_IP_HOST"
	ErrDomain       Fault = "E_DOMAIN" // not an official domain, nor below one
)

func (f Fault) Error() string { return string(f) }

// ErrInput is a request, a host or a list of outcomes that cannot be read; the text around it names
// the field.
var ErrInput = errors.New("E_WEB_INPUT")

// ErrTables is a data file that does not parse or check.
var ErrTables = errors.New("E_WEB_TABLES")

// ErrCall is an outcome for a call that is not in flight.
var ErrCall = errors.New("E_WEB_CALL: no such call is in flight")

// ErrNotWaiting is a resumption of a task that waits for nobody.
var ErrNotWaiting = errors.New("E_WEB_NOT_WAITING: the task does not wait for a person")
