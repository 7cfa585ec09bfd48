// SPDX-License-Identifier: MIT
/* smc_conf: match a file to existing devices and namespaces, and compute the changes. */
#include "said.h"

#include "settings/settings.h"

/* A host with a card of two ports, a VLAN, and a namespace "blue". */
static struct netdev devices[] = {
	{ .name = "eth0", .base = "eth0", .bus_id = "0000:3b:00.0", .mac = "02:00:00:00:00:01" },
	{ .name = "eth0.5", .base = "eth0", .mac = "02:00:00:00:00:01" },
	{ .name = "eth1", .base = "eth1", .bus_id = "0000:3b:00.0", .mac = "02:00:00:00:00:02" },
};
static struct settings_netns namespaces[2];

static void make_host(struct settings *host, const char *now)
{
	char *text = strdup(now);
	struct smc_err err;

	namespaces[0] = (struct settings_netns){ .name = (char *)"", .world.nets = { devices, 3 } };
	namespaces[1] = (struct settings_netns){ .name = (char *)"blue" };
	*host = (struct settings){ .netns = namespaces, .n_netns = 2 };
	assert_non_null(text);
	assert_int_equal(conf_read_text(&host->now, text, strlen(text), "now", &err), 0);
	assert_int_equal(conf_section(&host->now, "blue"), 1);
	free(text);
}

static void free_host(struct settings *host)
{
	conf_free(&host->now);
	conf_free(&host->wanted);
	conf_free(&host->gone);
	free(host->waiting);
	free(host->changes);
}

static void append(struct out_text *out, const struct settings_change *change)
{
	if (change->old && change->new)
		out_str(out, change->old == change->new ? "= " : "~ ");
	else
		out_str(out, change->new ? "+ " : "- ");
	if (change->netns)
		out_str(out, "blue ");
	conf_append_line(out, settings_any(change));
	out_char(out, '\n');
}

/* From @now to @lines, without those that are @gone: expect these changes, or this error. */
static void leads_without(const char *gone, const char *now, const char *lines,
			  const char *expected)
{
	char *gone_text = strdup(gone);
	struct out_text out = { 0 };
	char *text = strdup(lines);
	struct smc_err err = { 0 };
	struct settings host;
	struct conf file;
	int ret;

	make_host(&host, now);
	assert_non_null(text);
	assert_int_equal(conf_read_text(&file, text, strlen(text), "x", &err), 0);
	host.file = &file;
	assert_int_equal(conf_read_text(&host.gone, gone_text, strlen(gone_text), "g", &err), 0);
	ret = settings_want(&host, &err);
	if (!ret)
		ret = settings_compare(&host, &err);
	for (size_t i = 0; !ret && i < host.n_changes; i++)
		append(&out, &host.changes[i]);
	for (size_t i = 0; !ret && i < host.n_waiting; i++) {
		out_str(&out, "waits ");
		conf_append_line(&out, host.waiting[i]);
		out_char(&out, '\n');
	}
	out_str(&out, ret ? err.text : "");
	assert_like(said(&out), expected);
	conf_free(&file);
	free(text);
	free(gone_text);
	free_host(&host);
}

static void leads_to(const char *now, const char *lines, const char *expected)
{
	leads_without("", now, lines, expected);
}

TEST(lines_that_are_gone)
{
	const char *now = "eid A B\nhandshake-limit on\npnetid N net eth0\n";

	leads_without("eid A\npnetid N net eth0\nhandshake-limit on\n", now, "eid B\n",
		      "- eid A\n~ handshake-limit off\n- pnetid N net eth0\n");
	/* Another file has these lines, or the host has another value by now. */
	leads_without("eid A\npnetid M net eth0\n", now, "eid A\n", "");
}

TEST(devices_by)
{
	leads_to("", "pnetid A bus 0000:3B:00.0", "+ pnetid A net eth0\n+ pnetid A net eth1\n");
	leads_to("", "pnetid A mac 02:00:00:00:00:01", "+ pnetid A net eth0\n");
	leads_to("", "pnetid A mac 02:00:00:00:00:09 bus 0000:00:00.0 net later",
		 "+ pnetid A net later\nwaits pnetid A mac 02:00:00:00:00:09\n"
		 "waits pnetid A bus 0000:00:00.0\n");
	leads_to("", "pnetid A bus 0000:3b:00.0 net eth1",
		 "+ pnetid A net eth0\n"
		 "+ pnetid A net eth1\n");
	leads_to("", "pnetid A bus 0000:3b:00.0\npnetid B net eth1",
		 "x:2: eth1: has PNET ID A by x:1");
	leads_to("pnetid A net eth1\npnetid A device d port 1\n",
		 "pnetid B net eth1\npnetid A device d port 2\n",
		 "~ pnetid B net eth1\n~ pnetid A device d port 2\n");
}

TEST(namespaces_of)
{
	static const char now[] = "handshake-limit off\nnet.smc.rmem 65536\nnetns blue\n"
				  "handshake-limit off\nnet.smc.rmem 65536\n";

	leads_to(now, "netns *\nhandshake-limit on\n",
		 "~ handshake-limit on\n~ blue handshake-limit on\n");
	leads_to(now, "netns *\nhandshake-limit on\nnetns blue\nhandshake-limit off\n",
		 "~ handshake-limit on\n");
	leads_to(now, "handshake-limit off\nnetns *\nhandshake-limit on\n",
		 "~ blue handshake-limit on\n");
	leads_to(now, "netns blue\nnet.smc.rmem 16384\n", "~ blue net.smc.rmem 16384\n");
	leads_to(now, "netns red\nnet.smc.rmem 16384\n", "waits net.smc.rmem 16384\n");
}

TEST(missing)
{
	leads_to("", "seid off\n", "");
	leads_to("", "seid on\n", "x:1: seid: * only IBM Z *");
	leads_to("", "net.smc.smcr_max_send_wr 32\n",
		 "x:1: *net.smc.smcr_max_send_wr, * Linux 6.19");
	leads_to("", "handshake-limit on\n", "x:1: *handshake limitation, * Linux 5.18");
}

TEST(exclusive)
{
	leads_to("eid A\nhandshake-limit on\nnet.smc.rmem 65536\nnet.smc.wmem 70000\n"
		 "pnetid N net eth0\n",
		 "", "");
	leads_to("eid A\nhandshake-limit on\nnet.smc.rmem 65536\nnet.smc.wmem 70000\n"
		 "pnetid N net eth0\n",
		 "exclusive\n",
		 "- eid A\n~ handshake-limit off\n~ net.smc.wmem 65536\n- pnetid N net eth0\n");
	leads_to("eid A\nhandshake-limit on\npnetid N net eth0\n", "exclusive pnetid\n",
		 "- pnetid N net eth0\n");
	leads_to("handshake-limit on\nnetns blue\nhandshake-limit on\n", "netns *\nexclusive\n",
		 "~ handshake-limit off\n~ blue handshake-limit off\n");
	leads_to("handshake-limit on\nnetns blue\nhandshake-limit on\n", "netns blue\nexclusive\n",
		 "~ blue handshake-limit off\n");
}

/* At least one EID is kept if possible, and never more than four. */
TEST(eids)
{
	leads_to("eid A\n", "exclusive\neid B\n", "+ eid B\n- eid A\n");
	leads_to("eid A B C D\n", "exclusive\neid A E\n", "- eid B\n+ eid E\n- eid C\n- eid D\n");
	leads_to("eid A B C D\n", "exclusive\neid E F G H\n",
		 "- eid A\n- eid B\n- eid C\n- eid D\n+ eid E\n+ eid F\n+ eid G\n+ eid H\n");
	/* Without EIDs the kernel enables the system EID again. */
	leads_to("eid A\nseid off\n", "exclusive eid\neid B\n", "+ eid B\n- eid A\n= seid off\n");
	leads_to("eid A\nseid on\n", "exclusive eid\neid B\nseid off\n",
		 "+ eid B\n- eid A\n~ seid off\n");
	leads_to("eid A\nseid off\n", "exclusive\n", "- eid A\n~ seid on\n");
}

TEST(scopes)
{
	leads_to("", "scope /no/such only ipv4\nhandshake-limit on\n",
		 "x:2: *handshake limitation, * Linux 5.18");
	leads_to("scope /a\n", "scope /no/such mptcp keep only ipv4\n",
		 "waits scope /no/such only ipv4 mptcp keep\n");
	leads_to("scope /a\nscope /b only ipv4\n", "exclusive scope\nnetns blue\nexclusive\n",
		 "- scope /a\n- scope /b only ipv4\n");
}
