// SPDX-License-Identifier: MIT
/* Complete SMC sockets from the TCP sockets inside them and from processes. */
#include "sockets/lookup.h"

#include "sockets/fetch.h"

int sockets_load_processes(struct sockets_lookup *lookup, struct smc_err *err)
{
	int ret = lookup->has_procs ? 0 : proc_table_load(&lookup->procs);

	lookup->has_procs = true;
	return ret ? smc_err_set(err, -ret, "cannot read which processes hold sockets") : 0;
}

static int load_inet(struct sockets_lookup *lookup, uint8_t family, struct smc_err *err)
{
	bool *has = &lookup->has_inet[family == AF_INET6];
	int ret =
		*has ? 0 :
		       sockets_tcp_dump(family, smc_inet_request, smc_inet_add, &lookup->inet, err);

	*has = true;
	if (ret)
		sockets_forget_inet(lookup);
	return ret;
}

int sockets_complete(struct sockets_lookup *lookup, struct smc_sock *sock, struct smc_err *err)
{
	const struct proc_fd *holder;
	size_t count;
	int ret = 0;

	/* The TCP socket of an AF_SMC socket can be of either family. */
	if (sock->family != AF_INET6)
		ret = load_inet(lookup, AF_INET, err);
	if (!ret && sock->family != AF_INET)
		ret = load_inet(lookup, AF_INET6, err);
	if (ret)
		return ret;
	if (smc_inet_resolve(&lookup->inet, sock))
		return 0;
	ret = sockets_load_processes(lookup, err);
	if (ret)
		return ret;
	holder = proc_table_find(&lookup->procs, sock->inode, &count);
	if (holder)
		proc_socket_names(holder, &sock->local, &sock->peer);
	return 0;
}

void sockets_forget_inet(struct sockets_lookup *lookup)
{
	smc_inet_free(&lookup->inet);
	memset(lookup->has_inet, 0, sizeof(lookup->has_inet));
}

void sockets_lookup_free(struct sockets_lookup *lookup)
{
	sockets_forget_inet(lookup);
	proc_table_free(&lookup->procs);
	*lookup = (struct sockets_lookup){ .has_procs = false };
}
