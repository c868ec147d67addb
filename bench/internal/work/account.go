package work

import "strconv"

// Account is the resource of the program of fleet that the rows about replicas change.
const Account = "crm:///accounts/emea/1"

// SubscribeAccount asks for the updates of Account.
func SubscribeAccount() Op {
	return op("subscribe", Legacy, Small, "resources/subscribe", `"uri":"`+Account+`"`, `"result"`)
}

// CommitAccount changes Account, and returns when that is committed.
func CommitAccount(n int) Op {
	return op("commit", Legacy, Small, "tools/call",
		`"name":"edit","arguments":{"kind":"account","number":1,"value":"v`+strconv.Itoa(n)+`"}`, `"structuredContent"`)
}
