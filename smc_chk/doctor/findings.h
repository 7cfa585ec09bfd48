/* SPDX-License-Identifier: MIT */
/* The doctor, which turns facts of a host into findings; and the static analysis. */
#pragma once

#include "out/text.h"
#include "smc_chk/doctor/facts.h"

/** enum doctor_level - severity */
enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,	/* a fact, neither good nor bad */
	DOCTOR_WARNING, /* works worse than it could, or trouble is likely */
	DOCTOR_PROBLEM, /* SMC, or the requested part of it, cannot work */
};

#define DOCTOR_REMEDY_SIZE 1024

/* Exit status of --monitor */
#define DOCTOR_UNKNOWN 3

/**
 * struct doctor_finding - one line of the list
 * @check: stable name of the check, for JSON and tests: "module", "pnetid", ...
 * @object: device, file or sysctl concerned, escaped; empty for the host
 * @text: one clause, already escaped
 * @remedy: a command that fixes it, or an imperative clause; empty for none. Safe to paste into a
 *	shell
 */
struct doctor_finding {
	enum doctor_level level;
	const char *check;
	char object[96];
	char text[320];
	char remedy[DOCTOR_REMEDY_SIZE];
};

/**
 * struct doctor - input and output of the checks
 * @remedy: buffer for the remedy of the next finding
 * @is_untestable: no SMC here: the kernel was built without it, or a sandbox forbids it
 */
struct doctor {
	const struct chk_request *req;
	const struct doctor_facts *facts;
	struct doctor_finding *findings;
	size_t n_findings;
	char remedy[DOCTOR_REMEDY_SIZE];
	bool is_untestable;
};

/**
 * doctor_say() - add a finding
 * @remedy: NULL for none; printed unchanged, so quote names in it with out_shell_word()
 * @fmt: the text; pass names from sysfs and peers unescaped, because this function escapes them
 *
 * Text that does not fit is truncated. A remedy that is a command starts with the command's name.
 */
void doctor_say(struct doctor *doc, enum doctor_level level, const char *check, const char *object,
		const char *remedy, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Findings without a remedy. */
#define doctor_ok(doc, check, object, ...)                                                         \
	doctor_say(doc, DOCTOR_OK, check, object, NULL, __VA_ARGS__)
#define doctor_note(doc, check, object, ...)                                                       \
	doctor_say(doc, DOCTOR_NOTE, check, object, NULL, __VA_ARGS__)

/* Build a remedy for the next finding; valid until the next one is built. */

/** doctor_remedy() - make a remedy as printf(3) does, only from our own words and numbers */
#define doctor_remedy(doc, ...)                                                                    \
	(snprintf((doc)->remedy, sizeof((doc)->remedy), __VA_ARGS__), (doc)->remedy)

/** doctor_command() - make a remedy with an untrusted name, which is quoted as one shell word */
const char *doctor_command(struct doctor *doc, const char *before, const char *name,
			   const char *after);

/**
 * doctor_take() - make a remedy from a text, which is freed
 * @is_typable: all names in it are shell words
 *
 * If the text does not fit or cannot be typed, the remedy reports that, because half a command is
 * worse than none.
 */
const char *doctor_take(struct doctor *doc, struct out_text *text, bool is_typable);

/** doctor_loopback_remedy() - get the command that adds loopback to this kernel, NULL for none */
const char *doctor_loopback_remedy(const struct doctor *doc);

/** doctor_print() - print all findings; as JSON also @about, stolen. Return: chk_status */
int doctor_print(const struct doctor *doc, json_t *about);

/* ---- checks: each reads @doc->facts, does no I/O, and adds findings; in order of output ---- */

void doctor_kernel(struct doctor *doc);	  /* kernel, config, module, families, BTF, hooks */
void doctor_shim(struct doctor *doc);	  /* installed preload library, its architecture */
void doctor_services(struct doctor *doc); /* enabled services that are kept from SMC */
void doctor_rdma(struct doctor *doc);	  /* RDMA devices, ports, link layer, GIDs */
void doctor_ism(struct doctor *doc);	  /* ISM devices, loopback-ism */
void doctor_pnet(struct doctor *doc);	  /* pairing of net devices and ports, conflicts */
void doctor_eid(struct doctor *doc);	  /* user EIDs, system EID */
void doctor_net(struct doctor *doc);	  /* MTU, VLAN, link-local, pause, bindv6only */
void doctor_sysctl(struct doctor *doc);	  /* net.smc.*, core limits, limitation */
void doctor_traffic(struct doctor *doc);  /* statistics: waits, sizes, fallbacks */

/**
 * doctor_is_in_scope() - true if this net device, port or ISM device was asked for
 *
 * With an interface given: itself, its lower device, and the devices that SMC may use for it.
 */
bool doctor_is_in_scope(const struct doctor *doc, const struct pnet_row *row);

/** doctor_each() - call a check for each row in scope */
void doctor_each(struct doctor *doc, void (*check)(struct doctor *doc, const struct pnet_row *row));

/** doctor_unusable_level() - for a device: a problem if it is the only one, or for @iface */
enum doctor_level doctor_unusable_level(const struct doctor *doc);

/** buddy_orders() - number of block sizes per zone in /proc/buddyinfo, 0 if unknown */
unsigned int buddy_orders(const char *text);
