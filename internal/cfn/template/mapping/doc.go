// Package mapping reads the Mappings section of a template, and looks values up in it.
package mapping
