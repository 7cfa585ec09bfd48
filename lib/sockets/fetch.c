// SPDX-License-Identifier: MIT
/* List all SMC sockets, or all TCP sockets. */
#include "sockets/fetch.h"

#include "host/smc.h"
#include "smc/sock.h"

#define TRIES 3

static int try_once(const struct sockets_source *source, struct smc_err *err)
{
	const struct smc_abi_diag_req req = smc_sock_request(source->ext);
	int ret = source->begin(source->arg);

	if (!ret)
		ret = smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg),
				    source->on_message, source->arg, err);
	return !ret && source->end ? source->end(source->arg) : ret;
}

int sockets_fetch(const struct sockets_source *source, struct smc_err *err)
{
	bool is_loaded = false;
	int tries = 0, ret;

	for (;;) {
		ret = try_once(source, err);
		if (ret == -EINTR && !(source->is_final && *source->is_final) && ++tries < TRIES)
			continue;
		if (ret != -ENOENT || is_loaded)
			return ret;
		/* The request loads smc_diag, but only a socket loads smc itself. */
		ret = host_af_smc();
		if (ret == -EAFNOSUPPORT || ret == -EACCES)
			return smc_err_say(err, ENOENT, "%s",
					   ret == -EACCES ? SMC_DENIED : smc_missing());
		is_loaded = true;
	}
}

int sockets_tcp_dump(uint8_t family, sockets_tcp_request_fn request, smc_diag_fn fn, void *arg,
		     struct smc_err *err)
{
	const struct inet_diag_req_v2 req = request(family);
	int ret = smc_diag_dump(&req, sizeof(req), sizeof(struct inet_diag_msg), fn, arg, err);

	/* Without IPv6 or tcp_diag, or if not recorded, these details stay unknown. */
	return ret == -ENOENT || ret == -ENODATA ? 0 : ret;
}
