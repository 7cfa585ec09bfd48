/* SPDX-License-Identifier: MIT */
/* Hosts as they are, and how they would connect. */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "cli/cli.h"
#include "smc_setup/predict.h"

/** enum setup_status - exit status */
enum setup_status {
	SETUP_OK,    /* all connections would use SMC */
	SETUP_ERROR, /* bad arguments, or a host that could not be read */
	SETUP_TCP,   /* some connection would be TCP */
};

extern const struct cli_tool setup_tool;

/**
 * struct setup_host - a host
 * @source: as typed; @sent: what it has sent, until it is decoded; @facts: valid if @err has code 0
 */
struct setup_host {
	const char *source;
	char *sent;
	size_t sent_len;
	struct smc_err err;
	struct predict_host facts;
};

/**
 * hosts_read() - read all hosts, several at a time, by "smc_chk doctor -j"
 * @names: a bundle if it has a slash or ends with .tar.gz or .tgz, which smc_chk reads without
 *	rights; else a host for ssh, which must log in without a prompt
 *
 * Return: 0; -errno with @err if no process can be started.
 */
int hosts_read(struct setup_host *hosts, char *const *names, size_t count, struct smc_err *err);

/** hosts_decode() - take the facts from what the hosts have sent; needs no rights */
void hosts_decode(struct setup_host *hosts, size_t count);

/** host_parse() - take the facts from a document of "smc_chk doctor -j". Return: 0, -EBADMSG */
int host_parse(struct predict_host *host, json_t *doc, struct smc_err *err);

void hosts_free(struct setup_host *hosts, size_t count);

/** plan_print() - print each pair, and what to do. Return: setup_status; -errno with @err */
int plan_print(const struct setup_host *hosts, size_t count, bool is_json, struct smc_err *err);
