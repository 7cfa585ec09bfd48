// SPDX-License-Identifier: MIT
/* What the doctor knows of who may speak SMC to this host. */
#include "smc_chk/doctor/facts.h"

#include <errno.h>
#include <unistd.h>

#include "host/record.h"
#include "policy/enforce.h"
#include "sys/proc.h"

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
	return complete(exposure);
}
