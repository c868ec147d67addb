// Package deploy tests the part of docs/deploy.md about replicas: its commands, its proxies and its manifest.
package deploy
