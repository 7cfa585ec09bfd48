// SPDX-License-Identifier: MIT
/*
 * Lower bound for the cost of generic netlink requests to SMC with libnl: look up the family,
 * request dumps, receive them, decode nothing. Arguments: command numbers.
 */
#include <err.h>
#include <stdlib.h>
#include <netlink/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

static int ignore(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

int main(int argc, char **argv)
{
	struct nl_sock *sk = nl_socket_alloc();
	int family;

	if (argc < 2 || !sk || genl_connect(sk))
		errx(1, "cannot connect");
	family = genl_ctrl_resolve(sk, "SMC_GEN_NETLINK");
	if (family < 0)
		errx(1, "no SMC");
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, ignore, NULL);
	for (int i = 1; i < argc; i++)
		if (genl_send_simple(sk, family, atoi(argv[i]), 1, NLM_F_DUMP) < 0 ||
		    nl_recvmsgs_default(sk))
			errx(1, "cannot ask");
	nl_socket_free(sk);
	return 0;
}
