// Package main is the probe.
package main

import "os"

func main() {
	if len(os.Args) == 3 && os.Args[1] == relayCommand {
		relay(os.Args[2])
	}
}
