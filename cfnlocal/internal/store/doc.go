// Package store keeps the state of stacks in a directory, a JSON file and a
// journal per stack, so that a program that is killed at any moment finds, when
// it runs again, what it kept last, or also what it was about to keep.
//
// # Files
//
//	NAME.json            the state, as it was saved
//	NAME.journal         the changes since
//	NAME.json.previous   the state of the save before
//	NAME.json.new        a save that has not come to its end
//	NAME.lock            who works on the stack
//
// A state is written to NAME.json.new, made durable, and renamed to NAME.json; then the directory
// is made durable. NAME.json is never written to. A change is appended to NAME.journal and made
// durable, which costs what the change is long; the next save has it in the state, and begins
// another journal. Files are readable by their owner alone, since a stack's properties hold
// secrets, and a .gitignore keeps the directory out of repositories.
//
// NAME.json holds a schema's version, the stack's name, the save's number, the state, and a
// checksum of it, in JSON that can be formatted anew but not edited. NAME.journal says which save
// it goes on from, and holds a line per change, with a checksum of it and of all lines before; a
// last line that was cut off is left out. What cannot be read is an error that names the file and
// says what to do, and it is never overwritten.
//
// What else belongs to a stack, such as its log and the programs that were built for it, is
// beside these, and is reached by [Store.Beside] alone: nothing in the directory is reached
// through a symbolic link, since the directory can come with somebody else's repository.
//
// # Locks
//
// Whoever changes a stack holds its lock; reading needs none. On Linux, macOS and BSD a lock ends
// with its process, however that ends. Elsewhere it is the existence of the lock's file, and a
// process that is killed leaves it behind: the error says which file to delete.
//
// # What it cannot do
//
// It is for one machine and a local file system: locks of network file systems are as good as those
// are. A disk that loses what it said was durable loses it here too.
package store
