/* SPDX-License-Identifier: MIT */
/* Read memory of the program before the kernel does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/**
 * shim_read() - copy memory of the program that the kernel might refuse to read
 * @to: a variable of a calling function; @fd: a socket; @len: 1 to a page
 * @number: SYS_connect or SYS_bind: a call that the program is about to make, if possible
 *
 * A call with a bad pointer fails with EFAULT, and must not die here instead. The check takes one
 * system call, two across a page boundary, none for the stack from here to the end of @to's page.
 * Preserves errno.
 * Return: false if the memory cannot be read, or @fd is no socket.
 */
bool shim_read(void *to, int fd, const void *from, size_t len, long number);

#pragma GCC visibility pop
