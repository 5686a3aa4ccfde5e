// Package model plays CloudFormation, Lambda and a service over package rules:
// random histories with failures, deaths, lag, and deliveries that come late,
// twice or at once. It has no JSON, no contexts and no sleeping, and shares
// nothing with the simulator. What it may find is named in docs/rough_edges.md.
package model
