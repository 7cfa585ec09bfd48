// SPDX-License-Identifier: MIT

// A Go program whose C code opens sockets: prints what the kernel has made of one for TCP and one for MPTCP.
package main

// #define _GNU_SOURCE
// #include <sys/socket.h>
// #include <sys/syscall.h>
// #include <unistd.h>
// static int ask(int asked, int name)
// {
//	int fd = socket(AF_INET, SOCK_STREAM, asked), got = -1;
//	socklen_t len = sizeof(got);
//
//	syscall(SYS_getsockopt, fd, SOL_SOCKET, name, &got, &len);
//	close(fd);
//	return got;
// }
// static int protocol(int asked)
// {
//	return ask(asked, SO_DOMAIN) == 43 ? 256 : ask(asked, SO_PROTOCOL);
// }
import "C"

import "fmt"

func main() {
	fmt.Println(C.protocol(0), C.protocol(262))
}
