// Package export_benchhost_plugin_about says what this plugin is.
package export_benchhost_plugin_about

import about "example.com/@NAME@/gen/benchhost_plugin_about"

// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
const settings = `{
  "type": "object",
  "properties": {
    "hosts": {"type": "integer", "description": "How many hosts report.", "default": 10, "minimum": 1, "maximum": 1000000}
  }
}`

// Describe is called without any grant, and before anything else.
func Describe() about.Description {
	return about.Description{
		Name:           "@NAME@",
		Version:        "0.1.0",
		Summary:        "Readings of hosts, one a second each",
		SettingsSchema: settings,
	}
}
