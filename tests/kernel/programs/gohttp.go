// SPDX-License-Identifier: MIT

// A static Go program that serves HTTP or asks for a page: no preload library reaches it.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		listener, err := net.Listen("tcp4", os.Args[2])
		if err == nil {
			fmt.Println("ready")
			err = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, "hello from Go")
			}))
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer, err := http.Get(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	io.Copy(os.Stdout, answer.Body)
	// Keep the connection until standard input ends.
	io.Copy(io.Discard, os.Stdin)
	answer.Body.Close()
}
