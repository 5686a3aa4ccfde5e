// Package model plays CloudFormation, Lambda and a service over package rules:
// random histories with failures, deaths, lag, and deliveries that come late,
// twice or at once. It has no JSON, no contexts and no sleeping, and shares
// nothing with the simulator. What it may find is named in docs/rough_edges.md.
//
// A history is up to four deployments of one resource and the stack's deletion. Each may go well,
// be cancelled, be retained or preserved, or meet another resource's failure, and may have a fault:
// an error, panic or hang before or after the effect, a process that dies, an answer that is lost,
// deliveries that come twice, late or at once, of which one may fail. The service lags in its
// searches, is busy with what it has just made, takes a while to delete, and gives names or takes
// them. The stack tells its phase as it is, or late, or not at all. Handlers are named, found or
// neither, with and without client tokens, Created, PUT and a phase, and some break their contract.
// Where CloudFormation's behaviour is not known, one of three readings is drawn.
//
// Harm is a live, retained or strange thing that is deleted or changed, something
// that is left behind, a failure without a cause, a wrong state, or an ID that
// changes without a reason. TestHistories fails for harm without a name in
// limits_test.go, and for a name that no history shows any more.
//
// The model is made from AWS's documents and from public reports: where they are
// wrong, it is. It has no nested stacks, no change sets and no frozen processes. A
// limit excuses a history, and a second harm in it is not looked at.
package model
