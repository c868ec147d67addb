// Package pack lets the tools of others judge what mcpgen gives to clients: bundles, images and registry entries of
// mcpgen pack, and the configurations of mcpgen config.
package pack
