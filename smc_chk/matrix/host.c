// SPDX-License-Identifier: MIT
/* Facts of the matrix about each host. */
#include "smc_chk/matrix/predict.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/write.h"
#include "smc/abi.h"
#include "smc_chk/doctor/facts.h"
#include "smc_chk/doctor/findings.h"

/* More net devices with addresses than any host has. */
#define NETS_MAX 4096

/* ---- facts to structs ---- */

/* Is it reachable from other hosts? */
static bool is_reachable(const struct netaddr *addr)
{
	if (addr->family == AF_INET)
		return addr->bytes[0] != 127 && addr->bytes[0];
	return !IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)addr->bytes) &&
	       !IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)addr->bytes);
}

/* A finding as one line, and the command. */
static void explain(char why[PREDICT_WORDS_SIZE], char command[PREDICT_COMMAND_SIZE],
		    const struct doctor_facts *facts, const char *iface)
{
	struct doctor_finding finding;

	doctor_why(facts, iface, &finding);
	if (finding.level == DOCTOR_OK)
		return;
	snprintf(why, PREDICT_WORDS_SIZE, "%.90s%s%.220s", finding.object,
		 *finding.object ? ": " : "", finding.text);
	/* Half a command is worse than none. */
	if (strlen(finding.remedy) < PREDICT_COMMAND_SIZE)
		strcpy(command, finding.remedy);
}

static void add_net(struct predict_host *host, size_t *count, const struct doctor_facts *facts,
		    const struct choice *choice)
{
	bool is_smcr = choice->smcr == USABLE || choice->smcr == UNUSABLE_NO_EID;
	struct predict_net net = { .ism_v1 = -1 };

	snprintf(net.name, sizeof(net.name), "%s", choice->net->name);
	for_each(addr, facts->choices.addrs.addrs, facts->choices.addrs.count)
		if (net.n_addrs < PREDICT_ADDRS && !strcmp(addr->netdev, net.name) &&
		    is_reachable(addr))
			net.addrs[net.n_addrs++] = *addr;
	if (!net.n_addrs || facts_of_net(facts, choice->net->net)->is_off || *count == NETS_MAX)
		return;
	if (is_smcr)
		net.flags = (choice->gid_v1 ? PREDICT_GID_V1 : 0) |
			    (choice->gid_v2 ? PREDICT_GID_V2 : 0);
	if (choice->ism_v1) {
		net.flags |= PREDICT_ISM_V1;
		net.ism_v1 = choice->ism_v1->ism->chid;
	}
	if (!is_smcr && facts->has_smc)
		explain(net.why, net.command, facts, net.name);
	*smc_array_add(&host->nets, count) = net;
}

static void take_eids(struct predict_host *host, const struct choices *choices)
{
	const struct pnet_row *row;
	size_t at = 0;

	host->n_ueids = (uint32_t)choices->n_ueids;
	memcpy(host->ueids, choices->ueids, sizeof(host->ueids));
	if (choices->is_eid_known)
		host->traits |= PREDICT_EIDS;
	if (choices->seid.has_eid)
		memcpy(host->seid, choices->seid.eid, sizeof(host->seid));
	if (choices->seid.has_eid && choices->seid.is_enabled)
		host->traits |= PREDICT_SEID;
	while (host->n_chids < PREDICT_CHIDS && (row = choice_ism_v2_next(choices, &at)))
		host->chids[host->n_chids++] = row->ism->chid;
}

static void take_host(struct predict_host *host, const struct doctor_facts *facts)
{
	long long number;

	snprintf(host->kernel, sizeof(host->kernel), "%.*s", PREDICT_NAME_SIZE - 1, facts->release);
	memcpy(host->boot, facts->boot, sizeof(host->boot));
	host->traits |= (facts->has_smc ? PREDICT_SMC : 0) | (facts->is_inner ? PREDICT_INNER : 0) |
			(facts->is_limited ? PREDICT_LIMITED : 0);
	if (knob_number(&number, facts, "net.ipv4.tcp_syncookies") && number == 2)
		host->traits |= PREDICT_COOKIES;
	if (knob_number(&number, facts, "net.smc.smcr_max_links_per_lgr"))
		host->max_links = (uint32_t)number;
	host->release = facts->info.release;
	for (size_t i = 0; i < facts->rdma.n_isms; i++)
		if (facts->rdma.isms[i].chid != SMC_ABI_CHID_LOOPBACK)
			host->traits |= PREDICT_ISM;
	take_eids(host, &facts->choices);
}

static int write_host(struct predict_host *host, struct doctor_facts *facts, int fd,
		      struct smc_err *err)
{
	size_t nets = 0;
	int ret = 0;

	facts_load_rest(facts);
	take_host(host, facts);
	if (!facts->has_smc)
		explain(host->why, host->command, facts, NULL);
	for_each(choice, facts->choices.all, facts->choices.count) {
		host->traits |= choice->is_loopback ? PREDICT_LOOPBACK : 0;
		add_net(host, &nets, facts, choice);
	}
	host->n_nets = (uint32_t)nets;
	if (!smc_write_all(fd, host, sizeof(*host)) ||
	    !smc_write_all(fd, host->nets, host->n_nets * sizeof(*host->nets)))
		ret = smc_err_set(err, errno, "cannot store its data");
	return ret;
}

void matrix_host_set_name(struct predict_host *host, const char *name)
{
	struct out_text text AUTO(out_free) = { 0 };

	out_escaped(&text, name, PREDICT_NAME_SIZE);
	snprintf(host->name, PREDICT_NAME_SIZE, "%.*s", (int)text.len, text.data ? text.data : "");
}

int matrix_host_write(const char *name, int fd, struct smc_err *err)
{
	const struct chk_request req = { .is_debug = false };
	struct predict_host host AUTO(matrix_host_free) = { .n_nets = 0 };
	struct doctor_facts facts AUTO(facts_free);

	if (facts_load(&facts, &req, err))
		return -err->code;
	if (facts.unread.code) {
		*err = facts.unread;
		return -err->code;
	}
	matrix_host_set_name(&host, name);
	return write_host(&host, &facts, fd, err);
}

/* ---- and back ---- */

/* Terminate with NUL; only printable ASCII is left. */
static void settle(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

#define SETTLE(text) settle(text, sizeof(text))

static void settle_net(struct predict_net *net)
{
	SETTLE(net->name);
	SETTLE(net->why);
	SETTLE(net->command);
	if (net->n_addrs > PREDICT_ADDRS)
		net->n_addrs = 0;
	for (size_t i = 0; i < net->n_addrs; i++) {
		struct netaddr *addr = &net->addrs[i];

		SETTLE(addr->netdev);
		if (addr->family != AF_INET)
			addr->family = AF_INET6;
		if (addr->prefix > (addr->family == AF_INET ? 32 : 128))
			addr->prefix = 0;
	}
}

static void settle_host(struct predict_host *host)
{
	SETTLE(host->name);
	SETTLE(host->kernel);
	SETTLE(host->boot);
	SETTLE(host->seid);
	SETTLE(host->why);
	SETTLE(host->command);
	if (host->n_ueids > SMC_MAX_UEIDS)
		host->n_ueids = 0;
	if (host->n_chids > PREDICT_CHIDS)
		host->n_chids = 0;
	for (size_t i = 0; i < SMC_MAX_UEIDS; i++)
		SETTLE(host->ueids[i]);
}

/* Read an array, with a NUL, from *@at, which is advanced; *@count is 0 if there is none. */
static void *read_array(int fd, off_t *at, uint32_t *count, size_t most, size_t item)
{
	size_t size = *count <= most ? *count * item : 0;
	void *items = xcalloc(1, size + 1);

	if (!size || pread(fd, items, size, *at) != (ssize_t)size)
		*count = 0;
	*at += (off_t)size;
	return items;
}

int matrix_host_read(struct predict_host *host, int fd, off_t at, struct smc_err *err)
{
	if (pread(fd, host, sizeof(*host), at) != sizeof(*host)) {
		/* The pointers would be freed. */
		*host = (struct predict_host){ 0 };
		return smc_err_say(err, EBADMSG, "cannot read it");
	}
	settle_host(host);
	at += (off_t)sizeof(*host);
	host->nets = read_array(fd, &at, &host->n_nets, NETS_MAX, sizeof(*host->nets));
	for (size_t i = 0; i < host->n_nets; i++)
		settle_net(&host->nets[i]);
	return 0;
}

void matrix_host_free(struct predict_host *host)
{
	free(host->nets);
	*host = (struct predict_host){ 0 };
}
