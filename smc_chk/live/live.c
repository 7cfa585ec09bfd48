// SPDX-License-Identifier: MIT
/* -l: a server and a client on each net device of this host. */
#include <ifaddrs.h>
#include <net/if.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "smc_chk/live/client.h"
#include "smc_chk/live/server.h"

struct live {
	const struct chk_request *req;
	struct out_text text;
	json_t *list; /* with --json */
	int status;
	int count;
};

/* Test with the client of connect, and in another process the server of serve, at one address. */
static void test_address(struct client_result *result, const struct chk_request *req,
			 union endpoint_addr *addr)
{
	const pid_t parent = getpid();
	char text[ENDPOINT_TEXT_SIZE];
	pid_t pid;

	*result = (struct client_result){ .status = CHK_ERROR };
	if (server_open(addr, 1, 0, &result->err))
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() != parent || server_run(-1, false, &result->err));
	}
	if (pid < 0)
		smc_err_set(&result->err, errno, "cannot start the server");
	server_close();
	if (pid < 0)
		return;
	client_test(result, req, endpoint_text(text, addr), endpoint_port(addr));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int live_worse_status(int one, int other)
{
	return one == CHK_ERROR || (other != CHK_ERROR && one > other) ? one : other;
}

static void test_iface(struct live *live, const char *iface, union endpoint_addr *addr)
{
	struct client_result result;

	chk_debug(live->req, "testing %s", iface);
	test_address(&result, live->req, addr);
	live->status = live_worse_status(live->status, result.status);
	live->count++;
	if (live->req->is_json) {
		json_array_append_new(
			live->list,
			report_json(json_pack("{s:o}", "interface", out_json_str(iface)), &result));
		return;
	}
	out_escaped(&live->text, iface, IF_NAMESIZE);
	out_str(&live->text, ": ");
	if (result.status == CHK_ERROR)
		out_printf(&live->text, "error: %s\n", result.err.text);
	else
		report_text(&live->text, &result, live->req->width);
}

static bool is_wanted(const struct chk_request *req, const struct ifaddrs *ifa, bool with_loopback)
{
	int family = ifa->ifa_addr ? ifa->ifa_addr->sa_family : AF_UNSPEC;

	if (!(ifa->ifa_flags & IFF_UP) || !(ifa->ifa_flags & IFF_RUNNING))
		return false;
	if (req->iface)
		return !strcmp(req->iface, ifa->ifa_name) &&
		       family == (req->family ? req->family : family) &&
		       (family == AF_INET || family == AF_INET6);
	return family == (req->family ? req->family : AF_INET) &&
	       (with_loopback || !(ifa->ifa_flags & IFF_LOOPBACK));
}

/* Test the first address of each net device. */
static void test_all(struct live *live, struct ifaddrs *list, bool with_loopback)
{
	for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next) {
		union endpoint_addr addr = { 0 };

		if (!is_wanted(live->req, ifa, with_loopback))
			continue;
		memcpy(&addr, ifa->ifa_addr,
		       ifa->ifa_addr->sa_family == AF_INET ? sizeof(addr.in) : sizeof(addr.in6));
		test_iface(live, ifa->ifa_name, &addr);
		/* One address per device is enough. */
		for (struct ifaddrs *other = list; other; other = other->ifa_next)
			if (!strcmp(other->ifa_name, ifa->ifa_name))
				other->ifa_flags = 0;
	}
}

static int nothing_tested(const struct chk_request *req)
{
	const char *family = endpoint_family_word(req->family);

	if (!req->iface)
		return cli_error(&chk_tool, "no net device is active and has an %saddress",
				 *family ? family : "IPv4 ");
	if (!if_nametoindex(req->iface))
		return cli_error(&chk_tool, "no net device '%s'", req->iface);
	return cli_error(&chk_tool, "net device '%s' is not active, or has no %saddress",
			 req->iface, family);
}

int chk_live(const struct chk_request *req)
{
	struct live live = { .req = req };
	const char *why_not = endpoint_why_not();
	struct ifaddrs *list;
	int printed = CHK_OK;

	if (why_not) {
		cli_error(&chk_tool, "cannot test SMC: %s", why_not);
		return CHK_UNTESTED;
	}
	if (getifaddrs(&list))
		return cli_error(&chk_tool, "cannot list net devices: %s", strerror(errno));
	/* IPv4 addresses may have a label, which is part of the name: "eth0:1" is on eth0. */
	for (struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next)
		ifa->ifa_name[strcspn(ifa->ifa_name, ":")] = '\0';
	live.list = json_array();
	/* Loopback tests only a part of SMC, so test it only if there is no other device. */
	test_all(&live, list, false);
	if (!live.count)
		test_all(&live, list, true);
	freeifaddrs(list);
	if (!live.count)
		live.status = nothing_tested(req);
	else if (req->is_json)
		printed = chk_print_json(json_pack("{s:s, s:O}", "schema", "smc-tools/check-live/1",
						   "interfaces", live.list));
	else
		printed = chk_print(&live.text, req->width, REPORT_INDENT);
	json_decref(live.list);
	return printed ? printed : live.status;
}
