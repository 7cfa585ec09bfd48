// SPDX-License-Identifier: MIT
/* -l: a server and a client on each net device of this host. */
#include "smc_chk/live/live.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "smc_chk/live/client.h"
#include "smc_chk/live/report.h"
#include "smc_chk/live/server.h"
#include "smc_chk/print.h"

struct live {
	const struct chk_request *req;
	struct out_text text;
	json_t *list; /* with --json */
	int status;
	int count;
};

static void *run_server(void *arg)
{
	server_run(arg, -1, false, NULL);
	return NULL;
}

/* The client of -C against a server of -S at the same address. */
static void test_address(struct client_result *result, const struct chk_request *req,
			 union endpoint_addr *addr)
{
	char text[ENDPOINT_TEXT_SIZE];
	struct server *server;
	pthread_t thread;
	int ret;

	*result = (struct client_result){ .status = CHK_ERROR };
	ret = server_open(&server, addr, 1, 0, &result->err);
	if (ret)
		return;
	ret = pthread_create(&thread, NULL, run_server, server);
	if (ret) {
		smc_err_set(&result->err, ret, "cannot start the server");
	} else {
		client_test(result, req, endpoint_text(text, addr), endpoint_port(addr));
		server_stop(server);
		pthread_join(thread, NULL);
	}
	server_close(server);
}

int live_worse_status(int one, int other)
{
	static const int rank[] = { [CHK_OK] = 0, [CHK_TCP] = 1, [CHK_UNTESTED] = 2,
				    [CHK_ERROR] = 3 };

	return rank[one] > rank[other] ? one : other;
}

static int add_json(struct live *live, const char *iface, const struct client_result *result)
{
	json_t *json = json_pack("{s:o}", "interface", out_json_string(iface, IF_NAMESIZE));

	if (json && !report_json(json, result))
		return json_array_append_new(live->list, json);
	json_decref(json);
	return -1;
}

static int test_iface(struct live *live, const char *iface, union endpoint_addr *addr)
{
	struct client_result result;

	chk_debug(live->req, "testing %s", iface);
	test_address(&result, live->req, addr);
	live->status = live_worse_status(live->status, result.status);
	live->count++;
	if (live->list)
		return add_json(live, iface, &result);
	out_escaped(&live->text, iface, IF_NAMESIZE);
	out_str(&live->text, ": ");
	if (result.status == CHK_ERROR) {
		out_printf(&live->text, "error: %s\n", result.err.text);
	} else {
		report_text(&live->text, &result);
	}
	return 0;
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

/* The first address of each net device. Return: 0, -1 without memory. */
static int test_all(struct live *live, const struct ifaddrs *list, bool with_loopback)
{
	for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next) {
		const struct ifaddrs *earlier = list;
		union endpoint_addr addr = { 0 };

		if (!is_wanted(live->req, ifa, with_loopback))
			continue;
		while (earlier != ifa && (!is_wanted(live->req, earlier, with_loopback) ||
					  strcmp(earlier->ifa_name, ifa->ifa_name)))
			earlier = earlier->ifa_next;
		if (earlier != ifa)
			continue;
		memcpy(&addr, ifa->ifa_addr, ifa->ifa_addr->sa_family == AF_INET ?
						     sizeof(addr.in) : sizeof(addr.in6));
		if (test_iface(live, ifa->ifa_name, &addr))
			return -1;
	}
	return 0;
}

static int nothing_tested(const struct chk_request *req)
{
	const char *family = req->family == AF_INET6 ? "IPv6 " : req->family ? "IPv4 " : "";

	if (!req->iface)
		return cli_error(&chk_tool, "no net device is active and has an %saddress",
				 *family ? family : "IPv4 ");
	if (!if_nametoindex(req->iface))
		return cli_error(&chk_tool, "there is no net device '%s'", req->iface);
	return cli_error(&chk_tool, "net device '%s' is not active, or has no %saddress",
			 req->iface, family);
}

static int print(struct live *live)
{
	json_t *json;

	if (!live->list)
		return chk_print(&live->text);
	json = json_pack("{s:s, s:O}", "schema", "smc-tools/check-live/1", "interfaces",
			 live->list);
	return chk_print_json(json);
}

int chk_live(const struct chk_request *req)
{
	struct live live = { .req = req };
	int fd = endpoint_socket(AF_INET, true), ret = 0, printed = CHK_OK;
	struct ifaddrs *list;

	if (fd < 0) {
		cli_error(&chk_tool, "cannot test SMC: %s", endpoint_why_not(-fd));
		return CHK_UNTESTED;
	}
	close(fd);
	if (getifaddrs(&list))
		return cli_error(&chk_tool, "cannot list net devices: %s", strerror(errno));
	live.list = req->is_json ? json_array() : NULL;
	if (req->is_json && !live.list)
		ret = -1;
	/* Loopback says little about the rest, and so it counts only if there is nothing else. */
	if (!ret)
		ret = test_all(&live, list, false);
	if (!ret && !live.count)
		ret = test_all(&live, list, true);
	freeifaddrs(list);
	if (ret)
		live.status = cli_error(&chk_tool, "cannot store the results: out of memory");
	else if (!live.count)
		live.status = nothing_tested(req);
	else
		printed = print(&live);
	json_decref(live.list);
	out_free(&live.text);
	return printed ? printed : live.status;
}
