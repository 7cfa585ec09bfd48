// SPDX-License-Identifier: MIT
/* A socket() that succeeds for every family in a few instructions: no kernel in the counts. */
int socket(int domain, int type, int protocol);

int socket(int domain, int type, int protocol)
{
	(void)domain;
	(void)type;
	(void)protocol;
	return 9999;
}
