package broker

import (
	"os/exec"
	"syscall"
)

// endWithParent lets the kernel kill the child when this process dies.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
