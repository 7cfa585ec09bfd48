// SPDX-License-Identifier: MIT
/* A sandbox as sshd's: after it the kernel kills the process for any system call but a few. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KILL_AT(number)                                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

#define LOW_HALF (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

/* What the library likes to ask, and a sandboxed program has no need for. */
#define NARROW 5 /* no AF_SMC */
static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + LOW_HALF),
	KILL_AT(43),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	KILL_AT(SYS_getsockopt),
	KILL_AT(SYS_setsockopt),
	KILL_AT(SYS_ioctl),
	KILL_AT(SYS_ppoll),
	KILL_AT(SYS_prctl),
	KILL_AT(SYS_getpeername),
	KILL_AT(SYS_rt_sigprocmask),
#ifdef SYS_poll
	KILL_AT(SYS_poll),
#endif
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* What a sandboxed server does; its sockets are TCP sockets. */
static int serve(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(addr);

	return bind(server, (struct sockaddr *)&addr, len) || listen(server, 1) ||
	       getsockname(server, (struct sockaddr *)&addr, &len) ||
	       connect(client, (struct sockaddr *)&addr, len) || close(client) || close(server);
}

int main(int argc, char **argv)
{
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (argc == 2 && !strcmp(argv[1], "inside"))
		return close(fd) || close(open("/dev/null", O_RDONLY));
	if (argc == 2) {
		filter.filter += NARROW;
		filter.len -= NARROW;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("sandbox");
		return 77;
	}
	if (argc == 2 && !strcmp(argv[1], "exec"))
		execl(argv[0], argv[0], "inside", (char *)NULL);
	return close(fd) || serve();
}
