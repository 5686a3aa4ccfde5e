// Package iam tells from policies whether a role lets a function be invoked.
package iam
