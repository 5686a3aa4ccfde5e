// Package foreach writes out the loops of AWS::LanguageExtensions, nodes for nodes.
package foreach
