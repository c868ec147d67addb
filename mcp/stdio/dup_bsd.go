//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package stdio

import "syscall"

func dup2(from, to int) error { return syscall.Dup2(from, to) }
