package webhooks

import (
	"context"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The params and results of the official SDK for methods that it does not know.
type (
	listParams struct{ sdk.ParamsBase }
	listResult struct {
		sdk.ResultBase

		Events []struct {
			Name     string   `json:"name"`
			Delivery []string `json:"delivery"`
		} `json:"events"`
	}
	pollParams struct {
		sdk.ParamsBase

		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
		Cursor    string            `json:"cursor,omitempty"`
	}
	pollResult struct {
		sdk.ResultBase

		Events []struct {
			EventID string `json:"eventId"`
			Data    opened `json:"data"`
		} `json:"events"`
		Cursor    string `json:"cursor"`
		Truncated bool   `json:"truncated"`
	}
)

// bearer sends the token of ann with each request.
type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer ann")
	return http.DefaultTransport.RoundTrip(r)
}

// A client of the official SDK lists and polls by custom methods.
func TestGoSDK(t *testing.T) {
	url, in := incidents(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	if err := sdk.AddSendingCustomMethod[*listParams, *listResult](client, "events/list"); err != nil {
		t.Fatal(err)
	}
	if err := sdk.AddSendingCustomMethod[*pollParams, *pollResult](client, "events/poll"); err != nil {
		t.Fatal(err)
	}
	s, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer{}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := sdk.CallCustomMethod[*listParams, *listResult](ctx, s, "events/list", &listParams{})
	if err != nil || len(list.Events) != 1 || list.Events[0].Name != "incident.opened" ||
		len(list.Events[0].Delivery) != 2 {
		t.Fatalf("events/list: %+v %v", list, err)
	}
	poll := func(cursor string) *pollResult {
		t.Helper()
		r, err := sdk.CallCustomMethod[*pollParams, *pollResult](ctx, s, "events/poll", &pollParams{
			Name: "incident.opened", Arguments: map[string]string{"service": "api"}, Cursor: cursor,
		})
		if err != nil || r.Cursor == "" || r.Truncated {
			t.Fatalf("events/poll: %+v %v", r, err)
		}
		return r
	}
	begin := poll("")
	for id, service := range map[string]string{"a": "api", "d": "db"} {
		if err := in.Commit(ctx, &opened{id, service}); err != nil {
			t.Fatal(err)
		}
	}
	want := opened{"a", "api"}
	if got := poll(begin.Cursor); len(got.Events) != 1 || got.Events[0].EventID != "a" || got.Events[0].Data != want {
		t.Errorf("after two incidents: %+v", got)
	} else if got = poll(got.Cursor); len(got.Events) != 0 {
		t.Errorf("after that: %+v", got)
	}
}
