// Package export_benchhost_plugin_about says what this plugin is.
package export_benchhost_plugin_about

import about "example.com/@NAME@/gen/benchhost_plugin_about"

// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
const settings = `{
  "type": "object",
  "properties": {
    "endpoint": {"type": "string", "description": "Address of the server: ` + "`http://host:port`" + `."},
    "database": {"type": "string", "description": "Name of the database; it is made when it is not there.", "default": "benchhost"}
  },
  "required": ["endpoint"]
}`

// Describe is called without any grant, and before any session.
func Describe() about.Description {
	return about.Description{
		Name:           "@NAME@",
		Version:        "0.1.0",
		Summary:        "Line protocol over HTTP, as InfluxDB 1 takes it",
		SettingsSchema: settings,
	}
}
