package ir

// SkillDir is an embedded directory with a skill.
type SkillDir struct {
	// Var is the embed.FS, and Dir the directory in it.
	Var, Dir string
	// URI is the address that the directory has for clients.
	URI string
	// Rules are what it asks of callers; nil for nothing.
	Rules *Rules
}
