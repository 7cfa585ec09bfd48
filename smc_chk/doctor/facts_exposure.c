// SPDX-License-Identifier: MIT
/* What the doctor knows of who may speak SMC to this host. */
#include "smc_chk/doctor/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "host/record.h"
#include "netlink/diag.h"
#include "policy/enforce.h"
#include "smc/abi.h"
#include "sys/proc.h"

static int on_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct exposure_facts *exposure = arg;
	struct smc_sock sock = { 0 };
	int ret = smc_sock_decode(&sock, nlh);

	if (ret || sock.state != SMC_ABI_LISTEN)
		return ret;
	return smc_array_append(&exposure->listeners, &exposure->n_listeners, &exposure->size,
				&sock, sizeof(sock));
}

/* What the kernel does not tell of IPPROTO_SMC, up to 7.3, the process does. */
static int complete(struct exposure_facts *exposure)
{
	struct proc_table procs = { 0 };
	size_t kept = 0, count;
	int ret = 0;
	bool is_loaded = false;

	for (size_t i = 0; !ret && i < exposure->n_listeners; i++) {
		struct smc_sock sock = exposure->listeners[i];
		const struct proc_fd *holder;

		if (!sock.local.family || !sock.local.port) {
			if (!is_loaded)
				ret = proc_table_load(&procs) == -ENOMEM ? -ENOMEM : 0;
			is_loaded = true;
			holder = proc_table_find(&procs, sock.inode, &count);
			if (!holder || !proc_socket_names(holder, &sock.local, &sock.peer)) {
				exposure->n_hidden++;
				continue;
			}
		}
		exposure->listeners[kept++] = sock;
	}
	exposure->n_listeners = kept;
	proc_table_free(&procs);
	return ret;
}

static int load_listeners(struct exposure_facts *exposure)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);
	struct smc_err ignored = { 0 };
	int ret, tries = 0;

	do {
		exposure->n_listeners = 0;
		ret = smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg), on_socket,
				    exposure, &ignored);
	} while (ret == -EINTR && ++tries < 3);
	return ret == -ENOMEM ? ret : complete(exposure);
}

int facts_load_exposure(struct doctor_facts *facts)
{
	struct exposure_facts *exposure = &facts->exposure;

	if (!host_text(exposure->banner, sizeof(exposure->banner), "/proc/version"))
		exposure->banner[0] = '\0';
	if (!facts->has_smc)
		return 0;
	if (!record_root() && geteuid())
		smc_err_set(&exposure->why_not, EPERM, "the policy");
	else if (!record_root())
		exposure->has_policy = !policy_read(&exposure->policy, &exposure->why_not);
	return facts->has_diag ? load_listeners(exposure) : 0;
}
