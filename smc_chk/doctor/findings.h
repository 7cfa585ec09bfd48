/* SPDX-License-Identifier: MIT */
/* The doctor: facts of a host in, findings out; and the static analysis beside it. */
#pragma once

#include "out/text.h"
#include "smc_chk/doctor/facts.h"

/** enum doctor_level - how bad it is */
enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,	/* a fact that is neither good nor bad */
	DOCTOR_WARNING, /* works less well than it could, or trouble is likely */
	DOCTOR_PROBLEM, /* SMC, or what was asked for, cannot work */
};

#define DOCTOR_REMEDY_SIZE 1024

/**
 * struct doctor_finding - one line of the list
 * @check: stable name of what was looked at, for JSON and tests: "module", "pnetid", ...
 * @object: device, file or knob that it is about, escaped; empty for the host
 * @text: one clause, escaped already
 * @remedy: the command that mends it, or an imperative clause; empty for none. Can be pasted into a
 *          shell as it is
 */
struct doctor_finding {
	enum doctor_level level;
	const char *check;
	char object[96];
	char text[320];
	char remedy[DOCTOR_REMEDY_SIZE];
};

/**
 * struct doctor - what the checks read, and what they found
 * @remedy: of the finding that is being made, where a function writes it
 * @is_untestable: SMC cannot be tested here: the kernel was built without, or a sandbox forbids it
 */
struct doctor {
	const struct chk_request *req;
	const struct doctor_facts *facts;
	struct doctor_finding *findings;
	size_t n_findings, size;
	char remedy[DOCTOR_REMEDY_SIZE];
	bool is_untestable;
};

/**
 * doctor_say() - add a finding
 * @remedy: NULL for none; printed as it is, so names in it are words of out_shell_word()
 * @fmt: the text; names from sysfs and peers go through it unescaped: this function escapes
 *
 * Text that does not fit is cut. A remedy that is a command starts with the command's name.
 */
void doctor_say(struct doctor *doc, enum doctor_level level, const char *check, const char *object,
		const char *remedy, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Findings without a remedy. */
#define doctor_ok(doc, check, object, ...)                                                         \
	doctor_say(doc, DOCTOR_OK, check, object, NULL, __VA_ARGS__)
#define doctor_note(doc, check, object, ...)                                                       \
	doctor_say(doc, DOCTOR_NOTE, check, object, NULL, __VA_ARGS__)

/* What makes a remedy for the next finding, valid until the next one is made. */

/** doctor_remedy() - by printf(3), of our own words and numbers only */
const char *doctor_remedy(struct doctor *doc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** doctor_command() - that has a name which others chose as one shell word, whatever is in it */
const char *doctor_command(struct doctor *doc, const char *before, const char *name,
			   const char *after);

/**
 * doctor_take() - of a text, which it frees
 * @is_typable: all of its names are shell words
 *
 * Half a command is worse than none: what does not fit, or cannot be typed, is said to be missing.
 */
const char *doctor_take(struct doctor *doc, struct out_text *text, bool is_typable);

/** doctor_has_word() - is it one of the words of a list, NULL for none? */
bool doctor_has_word(const char *list, const char *word);

/** doctor_print() - doctor_fn: all findings and the verdict */
int doctor_print(const struct doctor *doc, struct smc_err *err);

/** static_print() - what SMC could use on each net device, or one error. Return: chk_status */
int static_print(const struct doctor_facts *facts, const struct chk_request *req);

/**
 * doctor_why() - why SMC has nothing for a net device, or nothing at all
 * @facts: after facts_load_rest()
 * @iface: NULL for the host
 * @why: receives the worst finding about kernel and devices; DOCTOR_OK if there is none
 */
void doctor_why(const struct doctor_facts *facts, const char *iface, struct doctor_finding *why);

#define DOCTOR_LEVELS (DOCTOR_PROBLEM + 1)

/**
 * struct doctor_result - the verdict
 * @least: that is shown; @counts: of each level; @first: what to do first, NULL for nothing
 * @status: chk_status
 */
struct doctor_result {
	enum doctor_level least;
	size_t counts[DOCTOR_LEVELS];
	const struct doctor_finding *first;
	int status;
};

struct doctor_result doctor_judge(const struct doctor *doc);

/**
 * typedef doctor_fn - shows what the checks found
 * Return: chk_status; -errno with @err
 */
typedef int (*doctor_fn)(const struct doctor *doc, struct smc_err *err);

/** doctor_examine() - run the checks on @facts, then @fn. Return: what it returns; -errno */
int doctor_examine(struct doctor_facts *facts, const struct chk_request *req, doctor_fn fn,
		   struct smc_err *err);

/* ---- checks: each reads @doc->facts, does no I/O, and adds findings; in the list's order ---- */

void doctor_kernel(struct doctor *doc);	  /* kernel, config, module, families, BTF, hooks */
void doctor_shim(struct doctor *doc);	  /* installed preload library, its architecture */
void doctor_selinux(struct doctor *doc);  /* enabled services that SELinux keeps from SMC */
void doctor_rdma(struct doctor *doc);	  /* RDMA devices, ports, link layer, GIDs */
void doctor_ism(struct doctor *doc);	  /* ISM devices, loopback-ism */
void doctor_pnet(struct doctor *doc);	  /* pairing of net devices and ports, conflicts */
void doctor_eid(struct doctor *doc);	  /* user EIDs, system EID */
void doctor_net(struct doctor *doc);	  /* MTU, VLAN, link-local, pause, bindv6only */
void doctor_sysctl(struct doctor *doc);	  /* net.smc.*, core limits, limitation */
void doctor_exposure(struct doctor *doc); /* policy, who may speak SMC to us */
void doctor_traffic(struct doctor *doc);  /* statistics: waits, sizes, fallbacks */

/**
 * doctor_is_in_scope() - of net device, port or ISM device: is it one that was asked for?
 *
 * With an interface asked for: itself, its lower device, and what SMC may use for it.
 */
bool doctor_is_in_scope(const struct doctor *doc, const struct pnet_row *row);

/** doctor_each() - call a check for each row of a device that is in scope */
void doctor_each(struct doctor *doc, void (*check)(struct doctor *doc, const struct pnet_row *row));

/** doctor_unusable_level() - of a device: a problem if SMC has no other way here, or for @iface */
enum doctor_level doctor_unusable_level(const struct doctor *doc);

/** buddy_orders() - how many sizes of blocks a zone in /proc/buddyinfo has, 0 if unknown */
unsigned int buddy_orders(const char *text);
