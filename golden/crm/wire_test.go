package crm_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/crm"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var nine = time.Date(2026, 7, 28, 9, 0, 0, 0, time.UTC)

// newDB returns a database with five accounts, and its file.
func newDB(t *testing.T) (*crm.DB, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a b?.sqlite")
	db := open(t, file)
	db.Now = func() time.Time { return nine.Add(time.Hour) }
	err := db.Add(t.Context(),
		crm.Account{Region: crm.EMEA, ID: 2, Name: "Bakery", Owner: "ada@example.com", Changed: nine},
		crm.Account{Region: crm.EMEA, ID: 10, Name: "Mill", Owner: "bob@example.com", Changed: nine},
		crm.Account{Region: crm.APAC, ID: 2, Name: "Harbour", Changed: nine},
		crm.Account{Region: crm.AMER, ID: 1, Name: "Garage", Owner: "ada@example.com", Changed: nine},
		crm.Account{Region: crm.EMEA, ID: 1, Name: "Café", Owner: "eve@example.com", Changed: nine})
	if err != nil {
		t.Fatal(err)
	}
	return db, file
}

func open(t *testing.T, file string) *crm.DB {
	t.Helper()
	db, err := crm.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func newServer(t *testing.T, db *crm.DB, pageSize int) *crm.CrmServer {
	t.Helper()
	srv, err := crm.NewCrmServer(crm.CrmImpl{Account: db, DB: db}, &mcp.Options{PageSize: pageSize})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	start := func(t *testing.T) mcptest.Server {
		db, _ := newDB(t)
		return newServer(t, db, 0)
	}
	transcript.Run(t, "wire", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Templates()
		for _, resource := range c.List() {
			c.Read(resource.URI)
		}
		c.Complete("crm:///accounts/{region}/{id}", "region", "a")
		if rev >= protocol.Revision20250618 {
			c.Complete("crm:///accounts/{region}/{id}", "id", "1", "region", "emea")
		}
		c.Complete("schema:///tables/{table}", "table", "h")
		c.Tools()
		account, history := c.Subscribe("crm:///accounts/emea/1"), c.Subscribe("crm:///accounts/emea/1/history")
		c.Call("assign", `{"region":"emea","id":1,"owner":"joe@example.com"}`)
		account.Next()
		history.Next()
		c.Read("crm:///accounts/emea/1")
		c.Read("crm:///accounts/emea/1/history")
		for _, arguments := range []string{
			`{"region":"emea","id":1,"owner":"joe@example.com"}`, `{"region":"emea","id":7,"owner":"joe@example.com"}`,
			`{"region":"mars","id":1,"owner":"joe@example.com"}`,
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"assign","arguments":`+arguments+`}`))
		}
		for _, uri := range []string{
			"crm:///accounts/emea/7", "crm:///accounts/emea/0", "crm:///accounts/mars/1",
			"crm:///accounts/emea/99999999999999999999",
			"crm:///accounts/emea/7/history", "schema:///tables/none", "schema:///tables/accounts'--",
		} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// Lists come in pages that begin after the last key of the page before.
func TestWirePages(t *testing.T) {
	start := func(t *testing.T) mcptest.Server {
		db, _ := newDB(t)
		return newServer(t, db, 2)
	}
	transcript.Run(t, "pages", start, func(c *mcptest.Client, _ protocol.Revision) { c.List() })
}

// Accounts that come and go while a client turns pages neither repeat nor hide others.
func TestPagesWhileRowsChange(t *testing.T) {
	db, _ := newDB(t)
	var got []string
	for page := (mcp.Page{Size: 2}); ; {
		list, err := db.List(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list.Items {
			got = append(got, crm.AccountURI(a.Region, a.ID))
		}
		if page.Cursor == "" { // one before the page that was seen, one on the next page
			if err := db.Add(t.Context(), crm.Account{Region: crm.AMER, ID: 0x7fffffff, Name: "x"},
				crm.Account{Region: crm.EMEA, ID: 3, Name: "y"}); err != nil {
				t.Fatal(err)
			}
		}
		if list.Next == "" {
			break
		}
		page.Cursor = list.Next
	}
	want := []string{"crm:///accounts/amer/1", "crm:///accounts/apac/2", "crm:///accounts/emea/1",
		"crm:///accounts/emea/2", "crm:///accounts/emea/3", "crm:///accounts/emea/10"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A row that another process changes is noticed by polling, and only its subscribers hear of it.
func TestPoll(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		synctest.Test(t, func(t *testing.T) {
			db, file := newDB(t)
			other, err := sql.Open("sqlite", "file:"+filepath.Dir(file)+"/a%20b%3f.sqlite")
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			change := func(query string) {
				t.Helper()
				if _, err := other.ExecContext(context.Background(), query); err != nil {
					t.Fatal(err)
				}
			}
			c := mcptest.New(t, newServer(t, db, 0), mcptest.WithRevision(rev), mcptest.WithTimeout(time.Hour))
			one, two := c.Subscribe("crm:///accounts/emea/1"), c.Subscribe("crm:///accounts/emea/2")
			time.Sleep(5 * time.Minute)
			change(`UPDATE accounts SET owner = owner`)
			time.Sleep(5 * time.Minute)
			if n := one.Pending() + two.Pending(); n != 0 {
				t.Errorf("%v: %d updates without a change", rev, n)
			}
			change(`UPDATE accounts SET owner = 'zoe@example.com' WHERE region = 'emea' AND id = 1`)
			one.Next()
			change(`DELETE FROM accounts WHERE region = 'emea' AND id = 1`)
			one.Next()
			if n := two.Pending(); n != 0 {
				t.Errorf("%v: %d updates too many", rev, n)
			}
		})
	}
}

// A database keeps its rows when a newer program opens it, and is refused by an older one.
func TestMigrations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crm.sqlite")
	old, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	exec := func(query string) {
		t.Helper()
		if _, err := old.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE accounts (region TEXT, id INTEGER, name TEXT, owner TEXT, PRIMARY KEY (region, id))`)
	exec(`INSERT INTO accounts VALUES ('emea', 1, 'Café', 'eve@example.com')`)
	exec(`PRAGMA user_version = 1`)
	for range 2 { // the second time there is nothing to do
		a, err := open(t, file).Get(t.Context(), crm.EMEA, 1)
		if err != nil || a.Name != "Café" || !a.Changed.Equal(time.UnixMilli(0)) {
			t.Errorf("got %+v, %v", a, err)
		}
	}
	exec(`PRAGMA user_version = 99`)
	if _, err := crm.Open(t.Context(), file); err == nil {
		t.Error("a schema of the future is accepted")
	}
}

// Two writers at once wait for each other; none of the changes is lost.
func TestAssignTogether(t *testing.T) {
	db, file := newDB(t)
	second := open(t, file)
	second.Now = db.Now
	errs := make(chan error)
	for i := range 20 {
		on := db
		if i%2 == 0 {
			on = second
		}
		go func() {
			_, err := on.Assign(t.Context(), crm.AssignIn{Region: crm.EMEA, ID: 2, Owner: string(rune('a'+i)) + "@x"})
			errs <- err
		}()
	}
	for range 20 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	changes, err := db.History(t.Context(), crm.EMEA, 2)
	if err != nil || len(changes) != 20 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	slices.Reverse(changes)
	owner := "ada@example.com"
	for _, c := range changes {
		if c.From != owner {
			t.Errorf("%s gave away what %s owned", c.From, owner)
		}
		owner = c.To
	}
	if a, err := db.Get(t.Context(), crm.EMEA, 2); a.Owner != owner || err != nil {
		t.Errorf("%s owns the account, the last change says %s; %v", a.Owner, owner, err)
	}
}
