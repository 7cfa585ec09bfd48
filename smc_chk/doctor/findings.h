/* SPDX-License-Identifier: MIT */
/* What the doctor found: a list of findings, and how it is printed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "out/text.h"
#include "smc_chk/smc_chk.h"

/**
 * enum doctor_level - how bad it is
 * @DOCTOR_NOTE: a fact that is neither good nor bad
 * @DOCTOR_WARNING: works less well than it could, or trouble is likely
 * @DOCTOR_PROBLEM: SMC, or what was asked for, cannot work
 */
enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,
	DOCTOR_WARNING,
	DOCTOR_PROBLEM,
};

#define DOCTOR_REMEDY_SIZE 1024

/**
 * struct doctor_finding - one line of the list
 * @check: stable name of what was looked at, for JSON and tests: "module", "pnetid", ...
 * @object: device, file or knob that it is about, empty for the host
 * @text: one clause, escaped already
 * @remedy: the command that mends it, or an imperative clause; empty for none. Can be pasted into a
 *          shell as it is
 */
struct doctor_finding {
	enum doctor_level level;
	char check[32];
	char object[96];
	char text[320];
	char remedy[DOCTOR_REMEDY_SIZE];
};

struct doctor_facts;

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

/** doctor_print() - all findings and the verdict. Return: chk_status */
int doctor_print(const struct doctor *doc);
