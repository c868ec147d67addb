package taskrun

import (
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// mostResultBytes leaves room in a record for arguments, answers and a checkpoint.
const mostResultBytes = task.MaxRecord / 2

// CheckOptions reports what is out of range.
func CheckOptions(o *task.Options) error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"TTL", int64(o.TTL)},
		{"MaxPerPrincipal", int64(o.MaxPerPrincipal)},
		{"MaxTotal", int64(o.MaxTotal)},
		{"MaxBytes", o.MaxBytes},
		{"MaxRunning", int64(o.MaxRunning)},
		{"MaxResultBytes", int64(o.MaxResultBytes)},
		{"PollInterval", int64(o.PollInterval)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("mcp: Options.Tasks.%s is %d: want 0 or more", n.name, n.value))
		}
	}
	if o.TTL > 0 && o.TTL < time.Second {
		errs = append(errs, fmt.Errorf("mcp: Options.Tasks.TTL is %v: want at least a second", o.TTL))
	}
	if o.MaxResultBytes > mostResultBytes {
		errs = append(errs, fmt.Errorf("mcp: Options.Tasks.MaxResultBytes is %d: want at most %d",
			o.MaxResultBytes, mostResultBytes))
	}
	return errors.Join(errs...)
}
