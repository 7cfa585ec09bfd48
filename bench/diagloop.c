// SPDX-License-Identifier: MIT
/*
 * Lower bound for the cost of listing SMC sockets: send the request, receive until the end, decode
 * nothing. With -v prints the number of messages on stderr.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct {
		struct nlmsghdr nlh;
		unsigned char body[52]; /* struct smc_diag_req */
	} req = {
		.nlh = { .nlmsg_len = sizeof(req),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			 .nlmsg_seq = 1 },
		.body = { 43 },
	};
	static _Alignas(struct nlmsghdr) char buf[32768];
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG), size = 1 << 20;
	unsigned long count = 0;

	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (send(fd, &req, sizeof(req), 0) != sizeof(req))
		err(1, "send");
	for (;;) {
		ssize_t len = recv(fd, buf, sizeof(buf), 0);
		struct nlmsghdr *nlh = (struct nlmsghdr *)buf;

		if (len <= 0)
			err(1, "recv");
		for (; NLMSG_OK(nlh, (size_t)len); nlh = NLMSG_NEXT(nlh, len)) {
			if (nlh->nlmsg_type == NLMSG_ERROR)
				errx(1, "the kernel refused");
			if (nlh->nlmsg_type == NLMSG_DONE)
				goto done;
			count++;
		}
	}
done:
	if (argc > 1 && !strcmp(argv[1], "-v"))
		fprintf(stderr, "%lu\n", count);
	return 0;
}
