package work

import "strings"

const (
	// Jobs is the server of the rows about tasks.
	Jobs = "jobs"
	// Tasks is how many tasks a server has.
	Tasks = 10_000
)

// knowsTasks declares the extension in a request of 2026-07-28.
func knowsTasks(o Op) Op {
	o.Request = strings.Replace(o.Request, `clientCapabilities":{}`,
		`clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1)
	return o
}

// CreateTask makes a task of a tool, which has ended soon if it is quick.
func CreateTask(era Era, tool string) Op {
	params := `"name":"` + tool + `","arguments":{}`
	if era == Legacy {
		params += `,"task":{}`
	}
	return knowsTasks(op("create a task", era, Small, "tools/call", params, `"taskId":"`))
}

// ListTasks asks for the first page.
func ListTasks() Op { return op("list of 10,000 tasks", Legacy, Small, "tasks/list", "", `"tasks":[{`) }

// ListenTask opens a stream of 2026-07-28 for the changes of a task.
func ListenTask(id string) string {
	return knowsTasks(op("", Modern, Small, "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`, "")).Request
}
