package proc

import (
	"os/exec"
	"syscall"
)

// setDeath lets the process die with this one, also if this one is killed.
func setDeath(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
