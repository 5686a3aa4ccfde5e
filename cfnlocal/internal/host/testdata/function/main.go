// The program that the host's tests build. It links little, so that it is built soon.
package main

import "os"

func main() { _, _ = os.Stdout.WriteString("it runs\n") }
