/* SPDX-License-Identifier: MIT */
/* Hosts as they are, and how they would connect. */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "cli/cli.h"
#include "smc_setup/predict.h"

/** enum setup_status - exit status */
enum setup_status {
	SETUP_OK,	/* all connections use SMC, or would */
	SETUP_ERROR,	/* bad arguments, or a host that could not be read or changed */
	SETUP_TCP,	/* some connection is TCP, or has fewer links */
	SETUP_UNTESTED, /* some connection cannot be tested */
};

extern const struct cli_tool setup_tool;

/**
 * struct setup_host - a host
 * @source: as typed, NULL for this host; @sent: its answer, until it is decoded
 * @facts: valid if @err has code 0
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
 * @names: NULL for this host; a bundle if it has a slash or ends with .tar.gz or .tgz, which
 *	smc_chk reads without rights; else a host for ssh, which must log in without a prompt
 *
 * Return: 0; -errno with @err if no process can be started.
 */
int hosts_read(struct setup_host *hosts, char *const *names, size_t count, struct smc_err *err);

/** hosts_name() - set what hosts are called, without reading them */
void hosts_name(struct setup_host *hosts, char *const *names, size_t count);

/** host_is_bundle() - true if the word names a bundle, not a host */
bool host_is_bundle(const char *name);

/** hosts_decode() - take the facts from what the hosts have sent; needs no rights */
void hosts_decode(struct setup_host *hosts, size_t count);

/** host_parse() - take the facts from a document of "smc_chk doctor -j". Return: 0, -EBADMSG */
int host_parse(struct predict_host *host, json_t *doc, struct smc_err *err);

void hosts_free(struct setup_host *hosts, size_t count);

#define ANSWER_SIZE 1024

/**
 * host_run() - run a shell command on a host; @input: its standard input
 *
 * Return: 0 with the begin of its output; -EIO if it failed, with its last line on standard error;
 * -EHOSTDOWN if the host does not answer: it may or may not have run.
 */
int host_run(const char *source, const char *script, const char *input, char answer[ANSWER_SIZE],
	     struct smc_err *err);

/** struct server - smc_chk serve on a host, for one connection; only one at a time */
struct server {
	int input, port;
};

int server_start(struct server *server, const char *source, const char *address,
		 struct smc_err *err);

void server_end(struct server *server);

/** plan_print() - print each pair, and what to do. Return: setup_status; -errno with @err */
int plan_print(const struct setup_host *hosts, size_t count, bool is_json, struct smc_err *err);

/**
 * struct test - a connection to make
 * @links: predicted, 0 except for SMC-R; @mode: enum predict_mode
 */
struct test {
	unsigned int client, server, mode, links;
	char address[NETADDR_TEXT_SIZE];
};

/**
 * struct changes - changes and tests, checked because they come from untrusted hosts
 * @lines: for each host, lines of smc.conf(5), NULL for none
 */
struct changes {
	char **lines;
	size_t n_hosts, n_lines;
	struct test *tests;
	size_t n_tests;
};

/** plan_write() - write changes and tests for changes_read() */
void plan_write(struct out_text *text, const struct setup_host *hosts, size_t count);

/** changes_read() - check and read what plan_write() wrote; modifies the text */
int changes_read(struct changes *changes, char *text, size_t n_hosts, struct smc_err *err);

void changes_free(struct changes *changes);

/** changes_make() - change all hosts, or none; @is_removed: undo, even without @changes */
int changes_make(const struct changes *changes, const struct setup_host *hosts, bool is_removed,
		 struct smc_err *err);

/** changes_prove() - make the connections, and print them. Return: setup_status, -errno */
int changes_prove(const struct changes *changes, const struct setup_host *hosts,
		  struct smc_err *err);
