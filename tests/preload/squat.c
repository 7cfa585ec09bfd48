// SPDX-License-Identifier: MIT
/* squat UID: as user 65534, takes the name of that user's smc_keep. Started by root. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "smc/keep.h"

int main(int argc, char **argv)
{
	struct sockaddr_un addr;
	socklen_t len = keep_address(&addr, argc > 1 ? (unsigned int)atoi(argv[1]) : 0);
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (setuid(65534) || bind(listener, (struct sockaddr *)&addr, len) || listen(listener, 16))
		return 1;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
