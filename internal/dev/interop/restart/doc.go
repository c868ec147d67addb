// Package restart kills and replaces a server with -keys under clients that would never initialize again.
package restart
