package everything

import "embed"

// Skills are instructions for models, which clients load when they are needed.
//
//go:embed skills
//mcp:skill
var Skills embed.FS
