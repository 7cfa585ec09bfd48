/* SPDX-License-Identifier: MIT */
/*
 * The commands drain and undrain: new connections of all programs use TCP.
 *
 * A table of nftables, "inet smc-tools-drain", removes the TCP option of SMC from SYNs. Policies
 * and other settings stay as they are. DRAIN_FILE lasts until the end of the drain.
 */
#pragma once

#include "cli/cli.h"
#include "net/netaddr.h"
#include "out/text.h"

#define DRAIN_FILE "/etc/smc-tools/drained"
#define DRAIN_WORDS 64

/**
 * struct drain - a line of the file
 * @words: "all"; a network, also in @net; or a device as typed, then what uses it: "net" and
 *	"device" with a name each
 */
struct drain {
	char *line, *words[DRAIN_WORDS + 1];
	size_t count;
	struct netaddr net;
};

struct drains {
	struct drain *entries;
	size_t count;
};

/** drains_read() - read the file; without it there are none */
int drains_read(struct drains *drains, struct smc_err *err);

/** drain_parse() - add a line of the file. Pure. Return: false if it is wrong */
bool drain_parse(struct drains *drains, const char *line);

/** drain_script() - a transaction for nft(8); names of devices count only with @is_own. Pure */
void drain_script(struct out_text *text, const struct drains *drains, bool is_own);

void drains_free(struct drains *drains);

/** drain_change() - drain or undrain a device, a network or "all", in all named namespaces */
int drain_change(const char *what, bool is_on, struct smc_err *err);

/** drain_again() - drain the caller's network namespace by the file, and report it */
int drain_again(const struct cli_tool *tool, bool is_applied, struct smc_err *err);

/** struct drain_place - a network namespace in a walk; @is_own: of the caller */
struct drain_place {
	void *arg;
	bool is_own;
	uint64_t own;
	struct smc_err *err;
};

/** drain_walk() - call @fn with a struct drain_place in the caller's and in all named namespaces */
int drain_walk(int (*fn)(void *place), void *arg, struct smc_err *err);

#define DRAIN_LEFT 2

/**
 * drain_wait() - wait until no connection uses what was drained, and print those that remain
 * @seconds: limit, 0 for none; @is_kill: then end the connections, without @seconds at once
 *
 * Return: 0, DRAIN_LEFT if some remain, -errno with @err.
 */
int drain_wait(const char *what, double seconds, bool is_kill, struct smc_err *err);
