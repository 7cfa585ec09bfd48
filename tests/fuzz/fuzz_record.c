// SPDX-License-Identifier: MIT
/* Recorded data of a bundle of any origin: netlink answers, probes, owners of sockets. */
#include "fuzz.h"

#include "host/probe.h"
#include "netlink/replay.h"
#include "process/proc.h"
#include "smc_chk/bundle/collect.h"

#define BODY 4

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	unsigned int *sum = arg;
	const uint8_t *bytes = (const uint8_t *)nlh;

	MUST(nlh->nlmsg_len >= NLMSG_HDRLEN + BODY);
	for (uint32_t i = 0; i < nlh->nlmsg_len; i++)
		*sum += bytes[i];
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct replay_request request = {
		.name = "x",
		.bytes = "\1",
		.len = 1,
		.body = BODY,
	};
	char *text = fuzz_text(data, size), words[HOST_PROBE_SIZE];
	const struct pseudonyms all = { .host = "a" };
	struct proc_table table = { 0 };
	struct smc_err err = { 0 };
	unsigned int sum = 0;
	int ret;

	ret = replay_parse(text, size, &request, on_message, &sum, &err);
	MUST(ret <= 0 && (!ret || err.code == -ret) && memchr(err.text, '\0', sizeof(err.text)));
	host_probe_parse(text, words);
	MUST(memchr(words, '\0', sizeof(words)));
	MUST(!proc_table_parse(&table, text));
	for (size_t i = 0; i < table.count; i++)
		MUST(memchr(table.entries[i].comm, '\0', sizeof(table.entries[i].comm)));
	proc_table_free(&table);
	anonymous_answer(&all, "SMC_GEN_NETLINK/3", text, size);
	anonymous_answer(&all, "sock_diag/43", text, size);
	free(text);
	return 0;
}
