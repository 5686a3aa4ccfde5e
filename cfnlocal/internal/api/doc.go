// Package query answers as CloudFormation's API does: the Query protocol of version
// 2010-05-15 over HTTP, on loopback. AWS's clients, given its URL as their endpoint, see
// the stacks of a [Source] with it, and order operations of a [Writer]'s Operator.
//
// A rule that AWS's API reference does not make plain carries a label, as in package engine.
//
// # Limits
//
// Without a Writer it refuses every action that would change something; with one it takes
// those that are signed with its key. It does not check the signatures of the others: any
// credentials work, and whoever can connect can read. Therefore it listens on loopback
// alone, and answers only requests whose Host is loopback. It has no change sets, no
// drift and no hooks, and describes stacks without them. A
// template that has a transform is returned as it was written, at both stages. A deleted
// stack is known until its name is used again, instead of 90 days.
package query
