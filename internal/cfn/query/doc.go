// Package query answers as CloudFormation's API does, for reading: the Query
// protocol of version 2010-05-15 over HTTP, on loopback. AWS's clients, given
// its URL as their endpoint, see the stacks of a [Source] with it.
//
// A rule that AWS's API reference does not make plain carries a label, as in package engine.
//
// # Limits
//
// It refuses every action that would change something. It does not check signatures: any
// credentials work, and whoever can connect can read. Therefore it listens on loopback
// alone, and answers only requests whose Host is loopback. It has no change sets, no
// nested stacks, no tags, no drift and no hooks, and describes stacks without them. A
// template that has a transform is returned as it was written, at both stages. A deleted
// stack is known until its name is used again, instead of 90 days.
package query
