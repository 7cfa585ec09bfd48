// SPDX-License-Identifier: MIT
/*
 * For "smc_chk serve" and "smc_run --seccomp" on a kernel without SMC: AF_SMC sockets become TCP.
 * On SIGUSR1 the program tries to open a file, and prints the result on standard error: "opened",
 * or the error number.
 */

#include "tests/libc.h"
#include "tests/calls.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif

long syscall(long number, ...)
{
	long args[6];
	va_list list;

	va_start(list, number);
	get_args(args, list);
	va_end(list);
	if (number == SYS_socket && (int)args[0] == AF_SMC) {
		args[0] = (int)args[2] ? AF_INET6 : AF_INET;
		args[2] = 0;
	}
	return libc_call(number, args);
}

int socket(int domain, int type, int protocol)
{
	return (int)syscall(SYS_socket, domain, type, protocol);
}

static void try_to_open(int signo)
{
	int saved = errno, fd = open("/dev/null", O_RDONLY);
	char text[32];

	snprintf(text, sizeof(text), fd < 0 ? "errno %d\n" : "opened\n", errno);
	if (write(STDERR_FILENO, text, __builtin_strlen(text)) < 0)
		_exit(1);
	errno = saved;
}

static void __attribute__((constructor)) begin(void)
{
	const struct sigaction action = { .sa_handler = try_to_open, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
}
