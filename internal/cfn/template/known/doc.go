// Package known holds values of a template as far as they are known before anything is deployed.
package known
