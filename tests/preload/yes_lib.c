// SPDX-License-Identifier: MIT
/* A socket() that succeeds for every family in a few instructions, so the kernel is not counted. */
int socket(int domain, int type, int protocol);

int socket(int domain, int type, int protocol)
{
	return 9999;
}
