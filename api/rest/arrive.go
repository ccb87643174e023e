package rest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/batonflow/baton/sessions"
)

// arriving bounds a body in size and time. Its deadline stands only while it is read: whoever answers at
// length afterwards is not cut off by it.
func (s *Server) arriving(w http.ResponseWriter, r *http.Request) io.ReadCloser {
	if r.ContentLength > s.Bounds.Body {
		return failing{&http.MaxBytesError{Limit: s.Bounds.Body}}
	}
	if r.Body == nil || r.Body == http.NoBody {
		return http.NoBody
	}
	return &arrival{ReadCloser: http.MaxBytesReader(w, r.Body, s.Bounds.Body), control: http.NewResponseController(w), within: s.Bounds.Arrive}
}

// failing is a body that is not read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
func (f failing) Close() error             { return nil }

type arrival struct {
	io.ReadCloser
	control *http.ResponseController
	within  time.Duration
	begun   bool
}

func (a *arrival) Read(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		_ = a.control.SetReadDeadline(time.Now().Add(a.within)) // what has no deadlines is no connection
	}
	n, err := a.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	_ = a.control.SetReadDeadline(time.Time{})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = refusal(http.StatusRequestTimeout, sessions.Refuse(sessions.Usage, "body_too_slow", "send it faster, or leave it in a file and send the file's path",
			"the body did not come within %s", a.within))
	}
	return n, err
}
