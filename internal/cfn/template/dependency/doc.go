// Package dependency orders what needs each other within a template, and reports circles.
package dependency
