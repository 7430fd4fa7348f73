// Package export_benchhost_plugin_about says what this plugin is.
package export_benchhost_plugin_about

import about "example.com/redis-go/gen/benchhost_plugin_about"

const settings = `{
  "type": "object",
  "properties": {
    "endpoint": {"type": "string", "description": "Address of the server: ` + "`tcp://host:port`" + `."},
    "password": {"type": ["string", "null"], "description": "Password of the server.", "writeOnly": true}
  },
  "required": ["endpoint"]
}`

// Describe is called without any grant, and before any session.
func Describe() about.Description {
	return about.Description{
		Name:           "redis-go",
		Version:        "0.1.0",
		Summary:        "Redis sorted sets, written in Go",
		SettingsSchema: settings,
	}
}
