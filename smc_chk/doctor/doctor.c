// SPDX-License-Identifier: MIT
/* The doctor: collects the facts, runs the checks, prints what they found. */
#include "smc_chk/doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "host/probe.h"
#include "host/smc.h"
#include "out/table.h"
#include "pnet/rdma_netns.h"
#include "smc/abi.h"
#include "smc/device.h"
#include "sys/netns.h"
#include "netlink/diag.h"

static const char *const level_names[] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_NOTE] = "note",
	[DOCTOR_WARNING] = "warning",
	[DOCTOR_PROBLEM] = "problem",
};

#define N_LEVELS (sizeof(level_names) / sizeof(level_names[0]))

/* ---- findings ---- */

static void copy_escaped(char *out, size_t size, const char *str)
{
	struct out_text text = { 0 };
	size_t len;

	out_escaped(&text, str ? str : "", size);
	len = text.len < size ? text.len : size - 1;
	if (len)
		memcpy(out, text.data, len);
	out[len] = '\0';
	out_free(&text);
}

const char *doctor_word(char buf[DOCTOR_WORD_SIZE], const char *name)
{
	struct out_text text = { 0 };

	out_shell_word(&text, name);
	snprintf(buf, DOCTOR_WORD_SIZE, "%.*s", (int)text.len, text.data ? text.data : "");
	out_free(&text);
	return buf;
}

static struct doctor_finding *add_finding(struct doctor *doc)
{
	struct doctor_finding *finding =
		smc_array_add(&doc->findings, &doc->n_findings, &doc->size, sizeof(*finding));

	doc->is_out_of_memory |= !finding;
	return finding;
}

void doctor_say(struct doctor *doc, enum doctor_level level, const char *check, const char *object,
		const char *remedy, const char *fmt, ...)
{
	struct doctor_finding *finding = add_finding(doc);
	char text[sizeof(finding->text)];
	va_list ap;

	if (!finding)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding->level = level;
	copy_escaped(finding->check, sizeof(finding->check), check);
	copy_escaped(finding->object, sizeof(finding->object), object);
	copy_escaped(finding->text, sizeof(finding->text), text);
	copy_escaped(finding->remedy, sizeof(finding->remedy), remedy);
}

/* ---- facts ---- */

static int probe_release(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	struct utsname name;

	if (uname(&name))
		return -errno;
	snprintf(text, HOST_PROBE_SIZE, "%s", name.release);
	return 0;
}

/* The name becomes part of paths. */
static void load_release(struct doctor *doc)
{
	unsigned int *version = doc->version;
	char text[HOST_PROBE_SIZE];

	if (host_probe("uname-release", probe_release, NULL, text) < 0 || strchr(text, '/'))
		return;
	snprintf(doc->release, sizeof(doc->release), "%.*s", (int)sizeof(doc->release) - 1, text);
	sscanf(doc->release, "%3u.%6u.%6u", &version[0], &version[1], &version[2]);
}

bool doctor_is_before(const struct doctor *doc, unsigned int major, unsigned int minor)
{
	return doc->version[0] < major || (doc->version[0] == major && doc->version[1] < minor);
}

static int on_sysinfo(const struct nlmsghdr *nlh, void *arg)
{
	return smc_sysinfo_decode(arg, nlh);
}

/* One row is proof enough. */
static int on_socket(const struct nlmsghdr *nlh __attribute__((unused)),
		     void *arg __attribute__((unused)))
{
	return -ECANCELED;
}

static void load_netlink(struct doctor *doc)
{
	const struct smc_abi_diag_req diag = { .family = AF_SMC };
	struct smc_err ignored = { 0 };
	int ret;

	doc->has_genl = !smc_genl_open(&doc->genl, SMC_ABI_GEN_FAMILY, &ignored);
	doc->has_info = doc->has_genl && !smc_genl_dump(doc->genl, SMC_ABI_GET_SYS_INFO, on_sysinfo,
							&doc->info, &ignored);
	doc->has_pnet = !pnet_table_load(&doc->pnet, &ignored);
	ret = smc_diag_dump(&diag, sizeof(diag), on_socket, NULL, &ignored);
	doc->has_diag = !ret || ret == -ECANCELED || ret == -EINTR;
}

static bool has_entry(const struct doctor *doc, const struct rdma_dev *dev)
{
	for (size_t i = 0; i < doc->pnet.count; i++)
		if (!strcmp(doc->pnet.entries[i].ib, dev->name) ||
		    (*dev->bus_id && !strcmp(doc->pnet.entries[i].ib, dev->bus_id)))
			return true;
	return false;
}

/* Only the first network namespace has entries of RDMA ports in its table; they count in all. */
static int on_device(const struct nlmsghdr *nlh, void *arg)
{
	struct doctor *doc = arg;
	const struct rdma_dev *dev;
	struct smc_device device;

	if (smc_device_decode(&device, nlh))
		return 0;
	dev = rdma_find(&doc->rdma, device.ib_name);
	if (!dev || has_entry(doc, dev))
		return 0;
	for (unsigned int i = 0; i < SMC_DEVICE_PORTS; i++) {
		struct smc_pnet entry = { .has = SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT };
		int ret = 0;

		snprintf(entry.name, sizeof(entry.name), "%s", device.ports[i].pnetid);
		strcpy(entry.ib, dev->name);
		entry.port = (uint8_t)(i + 1);
		if (device.ports[i].is_there && device.ports[i].is_user && *entry.name)
			ret = smc_pnet_append(&doc->pnet, &entry);
		if (ret)
			return ret;
	}
	return 0;
}

/* Return: 0, -errno with @err. */
static int load(struct doctor *doc, struct smc_err *err)
{
	int ret;

	load_release(doc);
	doc->socket_error = -host_af_smc();
	doc->has_smc = !doc->socket_error;
	chk_debug(doc->req, "kernel %s: socket of AF_SMC: %s", doc->release,
		  strerror(doc->socket_error));
	if (doc->has_smc)
		load_netlink(doc);
	ret = netdev_load(&doc->netdevs, doc->sys);
	if (ret)
		return smc_err_set(err, -ret, "cannot list the net devices");
	ret = rdma_load(&doc->rdma, doc->sys, &doc->netdevs);
	if (ret)
		return smc_err_set(err, -ret, "cannot list the RDMA devices");
	rdma_check_netns(&doc->rdma);
	if (doc->has_genl)
		smc_genl_dump(doc->genl, SMC_ABI_GET_DEV_SMCR, on_device, doc, NULL);
	ret = uses_load(doc);
	return ret ? smc_err_set(err, -ret, "cannot keep the list of devices") : 0;
}

static void unload(struct doctor *doc)
{
	uses_free(&doc->uses);
	smc_genl_close(doc->genl);
	smc_pnet_free(&doc->pnet);
	rdma_free(&doc->rdma);
	netdev_free(&doc->netdevs);
	free(doc->findings);
}

/* ---- checks ---- */

static void run_checks(struct doctor *doc)
{
	static void (*const checks[])(struct doctor *doc) = {
		doctor_shim, doctor_rdma, doctor_ism,	 doctor_pnet,
		doctor_eid,  doctor_net,  doctor_sysctl, doctor_memory,
	};
	size_t first;

	doctor_kernel(doc);
	first = doc->n_findings;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](doc);
	/* Who has no SMC at all is not told to look after its devices. */
	for (size_t i = first; !doc->has_smc && i < doc->n_findings; i++) {
		if (doc->findings[i].level > DOCTOR_NOTE)
			doc->findings[i].level = DOCTOR_NOTE;
		doc->findings[i].remedy[0] = '\0';
	}
}

/* ---- result ---- */

/** struct result - @first: what to do first, NULL for nothing */
struct result {
	size_t counts[N_LEVELS];
	const struct doctor_finding *first;
	int status;
};

static struct result judge(const struct doctor *doc)
{
	struct result result = { .status = CHK_OK };

	for (size_t i = 0; i < doc->n_findings; i++) {
		const struct doctor_finding *finding = &doc->findings[i];

		result.counts[finding->level]++;
		if (finding->level >= DOCTOR_WARNING && finding->remedy[0] &&
		    (!result.first || finding->level > result.first->level))
			result.first = finding;
	}
	if (result.counts[DOCTOR_PROBLEM])
		result.status = doc->is_untestable ? CHK_UNTESTED : CHK_ERROR;
	return result;
}

static void text_level(struct out_text *text, const void *object)
{
	out_str(text, level_names[((const struct doctor_finding *)object)->level]);
}

static void text_check(struct out_text *text, const void *object)
{
	out_str(text, ((const struct doctor_finding *)object)->check);
}

static void text_object(struct out_text *text, const void *object)
{
	out_str(text, ((const struct doctor_finding *)object)->object);
}

static void text_text(struct out_text *text, const void *object)
{
	out_str(text, ((const struct doctor_finding *)object)->text);
}

static json_t *json_level(const void *object)
{
	return json_string(level_names[((const struct doctor_finding *)object)->level]);
}

static json_t *json_check(const void *object)
{
	return json_string(((const struct doctor_finding *)object)->check);
}

static json_t *json_optional(const char *str)
{
	return *str ? json_string(str) : NULL;
}

static json_t *json_object_name(const void *object)
{
	return json_optional(((const struct doctor_finding *)object)->object);
}

static json_t *json_text(const void *object)
{
	return json_string(((const struct doctor_finding *)object)->text);
}

static json_t *json_remedy(const void *object)
{
	return json_optional(((const struct doctor_finding *)object)->remedy);
}

static const struct out_col columns[] = {
	{ "level", "Level", "level", 7, .text = text_level, .json = json_level },
	{ "check", "Check", "check", 0, .text = text_check, .json = json_check },
	{ "object", "Object", "object", 0, .text = text_object, .json = json_object_name },
	{ "text", "Finding", "text", 0, .text = text_text, .json = json_text },
	{ NULL, NULL, "remedy", 0, .json = json_remedy },
	{ 0 },
};

static void choose(struct out_view *view, const struct doctor *doc)
{
	out_view_add(view, columns, "level,check,object,text");
	for (size_t i = 0; i < doc->n_findings; i++) {
		out_view_widen(view, "check", (uint8_t)strlen(doc->findings[i].check));
		out_view_widen(view, "object", (uint8_t)strlen(doc->findings[i].object));
	}
}

static void count_word(struct out_text *text, size_t count, const char *word)
{
	out_dec(text, count, 0);
	out_char(text, ' ');
	out_str(text, word);
	if (count != 1)
		out_char(text, 's');
}

static void verdict(struct out_text *text, const struct result *result)
{
	size_t problems = result->counts[DOCTOR_PROBLEM], warnings = result->counts[DOCTOR_WARNING];

	if (result->status == CHK_UNTESTED)
		out_str(text, "SMC cannot be tested here");
	else if (problems)
		out_str(text, "SMC does not work here as it should: ");
	else
		out_str(text, warnings ? "SMC can work here: " : "SMC can work here");
	if (result->status != CHK_UNTESTED && problems)
		count_word(text, problems, "problem");
	if (result->status != CHK_UNTESTED && problems && warnings)
		out_str(text, ", ");
	if (result->status != CHK_UNTESTED && warnings)
		count_word(text, warnings, "warning");
	out_str(text, ".");
	if (result->first) {
		out_str(text, " First: ");
		out_str(text, result->first->remedy);
	}
	out_char(text, '\n');
}

/* The worst stands last, where a terminal shows it without scrolling. */
static void append_text(struct out_text *text, const struct doctor *doc,
			const struct result *result)
{
	struct out_view view = { 0 };

	choose(&view, doc);
	for (size_t level = 0; level < N_LEVELS; level++) {
		for (size_t i = 0; i < doc->n_findings; i++) {
			const struct doctor_finding *finding = &doc->findings[i];

			if (finding->level != level)
				continue;
			out_row(text, &view, finding);
			if (finding->remedy[0]) {
				out_str(text, "        -> ");
				out_str(text, finding->remedy);
				out_char(text, '\n');
			}
		}
	}
	verdict(text, result);
}

static void append_json(struct out_text *text, const struct doctor *doc,
			const struct result *result)
{
	json_t *json = json_pack("{s:s, s:i, s:I, s:I, s:o}", "schema", "smc-tools/doctor/1",
				 "status", result->status, "problems",
				 (json_int_t)result->counts[DOCTOR_PROBLEM], "warnings",
				 (json_int_t)result->counts[DOCTOR_WARNING], "findings",
				 out_json_list(columns, doc->findings, doc->n_findings,
					       sizeof(*doc->findings)));

	if (json && result->first)
		json_object_set_new(json, "first", json_string(result->first->remedy));
	out_json_document(text, json, false);
}

static int print(const struct doctor *doc, struct smc_err *err)
{
	struct result result = judge(doc);
	struct out_text text = { 0 };
	int ret;

	if (doc->req->is_json)
		append_json(&text, doc, &result);
	else
		append_text(&text, doc, &result);
	text.is_failed |= doc->is_out_of_memory;
	ret = out_flush(&text, STDOUT_FILENO);
	out_free(&text);
	return ret ? smc_err_set(err, -ret, "cannot write to standard output") : result.status;
}

/* Return: chk_status; -errno with @err. */
static int examine(struct doctor *doc, struct smc_err *err)
{
	int ret = load(doc, err);

	if (ret)
		return ret;
	if (doc->req->is_static)
		return doctor_static(doc);
	if (doc->req->iface && !netdev_find(&doc->netdevs, doc->req->iface))
		return smc_err_say(err, ENODEV, "there is no net device '%s'", doc->req->iface);
	run_checks(doc);
	return print(doc, err);
}

int chk_doctor(const struct chk_request *req)
{
	struct doctor doc = { .req = req };
	struct smc_err err = { 0 };
	int sysfs, ret = sysfs_here(doc.sys, &sysfs, req->netns, &err);

	if (!ret)
		ret = examine(&doc, &err);
	unload(&doc);
	if (sysfs >= 0)
		close(sysfs);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
