// SPDX-License-Identifier: MIT
/* Read memory of the program before the kernel does. */
#include "ld_pre_smc/state/program_memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/auto_errno.h"

/* The smallest page of any machine. */
#define PAGE 4096

/*
 * The kernel reads an address of one byte before it refuses it as too short, with EINVAL. A filter
 * permits this system call, as the program is about to make it. Libraries below do not see it.
 */
static bool is_readable(int fd, uintptr_t byte, long number)
{
	errno = 0;
	syscall(number, fd, byte, 1);
	return errno == EINVAL;
}

bool shim_read(void *to, int fd, const void *from, size_t len, long number)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = (uintptr_t)to | (PAGE - 1),
		  first = (uintptr_t)from, last = first + len - 1;
	AUTO_ERRNO();

	if ((first < here || first > last || last > top) &&
	    (!is_readable(fd, first, number) ||
	     (first / PAGE != last / PAGE && !is_readable(fd, last, number))))
		return false;
	memcpy(to, from, len);
	return true;
}
