// SPDX-License-Identifier: MIT
/* What the doctor knows of who may speak SMC to this host. */
#include "smc_chk/doctor/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/record.h"
#include "out/text.h"
#include "process/proc.h"
#include "settings/enforce.h"

/* What the kernel does not tell of IPPROTO_SMC, up to 7.3, the process does. */
static void complete(struct exposure_facts *exposure)
{
	struct proc_table procs = { 0 };
	size_t kept = 0, count;
	bool is_loaded = false;

	for (size_t i = 0; i < exposure->n_listeners; i++) {
		struct smc_sock sock = exposure->listeners[i];
		const struct proc_fd *holder;

		if (!sock.local.family || !sock.local.port) {
			if (!is_loaded)
				proc_table_load(&procs);
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
}

/* ---- policy ---- */

/* In a record: code of an error, connections denied, peers learned; then words or lines. */
#define POLICY_FILE "policy"
#define POLICY_MAX (16 * 1024 * 1024)

static void record_policy(const struct exposure_facts *exposure)
{
	struct out_text text = { 0 };

	out_printf(&text, "%d %" PRIu64 " %" PRIu64 "\n", exposure->why_not.code, exposure->denied,
		   exposure->learned);
	if (exposure->has_policy)
		policy_write(&text, &exposure->policy);
	else
		out_str(&text, exposure->why_not.text);
	record_set(POLICY_FILE, text.data, text.len);
	out_free(&text);
}

static void read_policy(struct exposure_facts *exposure)
{
	const struct policy *policy = &exposure->policy;

	if (geteuid())
		smc_err_set(&exposure->why_not, EPERM, "the policy");
	else
		exposure->has_policy = !policy_read(&exposure->policy, &exposure->why_not);
	exposure->learned = policy->learned_count;
	exposure->denied = policy->port_hits;
	for (size_t i = 0; i < policy->count; i++)
		exposure->denied += policy->rules[i].action == POLICY_DENY ?
					    policy->rules[i].hits :
					    policy->rules[i].others;
	record_policy(exposure);
}

static void take_policy(struct exposure_facts *exposure)
{
	size_t len;
	char *text = record_get(POLICY_FILE, POLICY_MAX, &len), *lines;
	int code;

	lines = text ? strchr(text, '\n') : NULL;
	if (lines && sscanf(text, "%d %" SCNu64 " %" SCNu64, &code, &exposure->denied,
			    &exposure->learned) == 3) {
		exposure->has_policy = !code;
		if (code)
			smc_err_say(&exposure->why_not, code, "%.300s", lines + 1);
		else
			policy_lines(&exposure->policy, lines + 1);
	}
	free(text);
}

void facts_load_exposure(struct doctor_facts *facts)
{
	struct exposure_facts *exposure = &facts->exposure;

	if (!facts->has_smc)
		return;
	if (record_root())
		take_policy(exposure);
	else
		read_policy(exposure);
	complete(exposure);
}
