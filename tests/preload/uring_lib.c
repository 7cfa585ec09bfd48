// SPDX-License-Identifier: MIT
/* A library that has a function of liburing. */
int io_uring_queue_init(void);

int io_uring_queue_init(void)
{
	return -1;
}
