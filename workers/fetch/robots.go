package fetch

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/temoto/robotstxt"
)

const (
	robotsAgent   = "baton"
	robotsBytes   = 500 << 10
	robotsTime    = 5 * time.Second
	robotsFor     = 10 * time.Minute // that the rules of a host are believed
	robotsOfHosts = 256
)

// robots remembers what hosts let programs read.
type robots struct {
	known *lru.Cache[string, rules]
}

// rules are what a host says; nil: it says nothing, and all may be read.
type rules struct {
	group *robotstxt.Group
	read  time.Time
}

func newRobots() *robots {
	known, _ := lru.New[string, rules](robotsOfHosts) // fails only for sizes below one
	return &robots{known}
}

// allow says whether an address may be read. A host without readable rules has none.
func (r *robots) allow(ctx context.Context, client *http.Client, agent, at string) bool {
	u, err := url.Parse(at)
	if err != nil {
		return true // the request will say what is wrong with it
	}
	host := u.Scheme + "://" + u.Host
	known, ok := r.known.Get(host)
	if !ok || time.Since(known.read) > robotsFor {
		known = rules{ask(ctx, client, agent, host+"/robots.txt"), time.Now()}
		r.known.Add(host, known)
	}
	return known.group == nil || known.group.Test(u.RequestURI())
}

func ask(ctx context.Context, client *http.Client, agent, at string) *robotstxt.Group {
	ctx, stop := context.WithTimeout(ctx, robotsTime)
	defer stop()
	resp, err := get(ctx, client, agent, at)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, robotsBytes))
	if err != nil {
		return nil
	}
	said, err := robotstxt.FromBytes(body)
	if err != nil {
		return nil
	}
	return said.FindGroup(robotsAgent)
}
