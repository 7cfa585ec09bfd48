/* SPDX-License-Identifier: MIT */
/* The commands shared by smcd and smcr. The variant is data, not a compile-time switch. */
#pragma once

#include "base/memory.h"

#include <jansson.h>

#include "base/err.h"
#include "cli/cli.h"
#include "net/pciids.h"
#include "netlink/genl.h"
#include "out/table.h"
#include "smc/abi.h"
#include "smc/gen.h"
#include "smc/stats.h"

/**
 * struct smc_variant - SMC-D or SMC-R
 * @title: for headings, "SMC-R"; @key: of "stats json", "SMCR"
 * @tech: index into struct smc_stats
 */
struct smc_variant {
	const struct cli_tool *tool;
	const char *title, *key;
	bool is_smcd;
	int tech;
};

/**
 * struct cmd - one run of a tool
 * @is_absolute, @details (0 to 2), @is_json, @is_metrics, @is_all_netns, @netns: options
 * @argc, @argv: words after the object; @nl: NULL before cmd_open()
 * @text: output for stdout; @json: or this document, if @is_json
 * @wants_help: -h was given; @is_usage: the error is in the command line
 * @width: of the terminal, 0: none. Scripts for smc-tools 1.8.5 expect no output for an empty table
 */
struct cmd {
	const struct smc_variant *variant;
	bool is_absolute, is_json, is_metrics, is_all_netns, is_usage, wants_help;
	size_t width;
	int details;
	const char *netns;
	int argc;
	char **argv;
	struct smc_genl *nl;
	struct out_text text;
	json_t *json;
	struct smc_err *err;
};

/* Options of both tools; one phrase differs. */
/* clang-format off */
#define CMD_OPTIONS(details_help)                                                                  \
	{ 'a', "absolute", NULL, "with stats: count from the start, not the last reset" },         \
	{ CLI_LONG_ONLY + 'A', "all-netns", NULL, "with stats: show all network namespaces" },     \
	{ 'd', "details", NULL, details_help },                                                    \
	{ 'j', "json", NULL, "write one JSON document" },                                          \
	{ 'm', "metrics", NULL, "with stats, linkgroup: write metrics for Prometheus" },           \
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path" },             \
	{ 'v', "version", NULL, "print the version" },                                             \
	{ 'h', "help", NULL, "print this help" },                                                  \
	{ 0 }
/* clang-format on */

/** cmd_main() - run a tool. Return: exit status */
int cmd_main(const struct smc_variant *variant, int argc, char **argv);

/** cmd_usage() - set an error about the command line. Return: -EINVAL */
#define cmd_usage(cmd, ...) ((cmd)->is_usage = true, smc_err_say((cmd)->err, EINVAL, __VA_ARGS__))

/** cmd_changes() - refuse options that only apply to reading commands. Return: 0, -EINVAL */
int cmd_changes(struct cmd *cmd);

/** cmd_is() - true if the word is the keyword, or an abbreviation of it */
bool cmd_is(const char *word, const char *keyword);

/** cmd_is_show() - true if "show", or nothing, is the rest of the command */
bool cmd_is_show(const struct cmd *cmd);

/**
 * cmd_open() - open cmd->nl, unless it is already open
 *
 * Call it after checking the arguments: errors in them do not depend on the kernel.
 * Return: 0, -errno with a message; -ENOENT if this kernel has no SMC, or only an older one.
 */
int cmd_open(struct cmd *cmd);

/** cmd_dump() - cmd_open() and smc_genl_read() */
int cmd_dump(struct cmd *cmd, uint8_t request, smc_genl_fn fn, void *arg, const char *what);

/** stats_load() - read all statistics of the kernel. Return: 0, -errno */
int stats_load(struct cmd *cmd, struct smc_stats *stats);

/**
 * cmd_document() - make the JSON document of a command, schema "smc-tools/smcr-NAME/1"
 * @members: members after the schema; takes the reference
 *
 * Return: 0, for the caller to return.
 */
int cmd_document(struct cmd *cmd, const char *name, json_t *members);

/** cmd_write() - write the output to stdout. Return: 0, -errno with a message */
int cmd_write(struct cmd *cmd);

/* ---- growing lists ---- */

/** struct cmd_list - array of items of equal size; begin with only @item_size set */
struct cmd_list {
	char *items;
	size_t count, item_size;
};

ARRAY_FREE(cmd_list_free, cmd_list, items)

/** cmd_list_add() - append an item, all zero */
void *cmd_list_add(struct cmd_list *list);

/** cmd_list_at() - item by index */
static inline void *cmd_list_at(const struct cmd_list *list, size_t i)
{
	return list->items + i * list->item_size;
}

/**
 * cmd_table() - print a list: rows with a header, nothing if empty; or JSON
 * @table: all columns; @names: columns of the text
 * @name: of the JSON document, see cmd_document(); @key: of the array in it
 *
 * Return: 0, for the caller to return.
 */
int cmd_table(struct cmd *cmd, const struct cmd_list *list, const struct out_col *table,
	      const char *names, const char *name, const char *key);

/** cmd_block() - print one object as lines of "label: value" */
void cmd_block(struct cmd *cmd, const void *object, const struct out_col *table, const char *names);

/* ---- devices ---- */

/**
 * struct cmd_ism - ISM devices, with loopback-ism, which the kernel does not list
 * @devices: of struct smc_device
 * @has_loopback: loopback-ism seems to exist: the kernel has ISM version 2 but lists no device, or
 *	a link group uses its channel id
 * @loopback_groups: link groups on it; @loopback_pnetid: of these groups, empty for none
 */
struct cmd_ism {
	struct cmd_list devices;
	bool has_loopback;
	uint32_t loopback_groups;
	char loopback_pnetid[SMC_MAX_PNETID_LEN + 1];
};

/** cmd_ism_load() - ISM devices with capabilities; the caller frees them, also on error */
int cmd_ism_load(struct cmd *cmd, struct cmd_ism *ism, struct smc_sysinfo *sys);

/** cmd_rdma_load() - read the RDMA devices, as a list of struct smc_device. Return: 0, -errno */
int cmd_rdma_load(struct cmd *cmd, struct cmd_list *devices);

#define CMD_NETDEV_SIZE 16

/**
 * cmd_netdev_name() - name of the net device of an RDMA port
 * @ifindex: from the kernel; it may be of another namespace, so sysfs takes precedence
 *
 * Return: false with an empty name if unknown.
 */
bool cmd_netdev_name(char name[CMD_NETDEV_SIZE], const char *ib_name, unsigned int port,
		     uint32_t ifindex);

/**
 * cmd_pci_type() - a word for a PCI device: name of the card on IBM Z, product name of the database
 *	(@name), or its number: "0x1017"
 */
void cmd_pci_type(struct out_text *text, uint32_t vendor, uint32_t device,
		  const struct pciids_name *name);

/** struct cmd_filter - devices to show; NULL for all */
struct cmd_filter {
	const char *netdev, *ibdev;
};

/**
 * cmd_filter_word() - parse a keyword of SMC-R with its value: "netdev NAME", "ibdev NAME"
 * @object: for messages; @i: index of the word in cmd->argv, advanced to the value
 *
 * Return: 1; 0 for another word; -EINVAL for a keyword without value.
 */
int cmd_filter_word(struct cmd *cmd, const char *object, int *i, struct cmd_filter *filter);

/* ---- columns and rows ---- */

/** struct link_row - a link with its group, whose columns can be used; @netdev: empty if unknown */
struct link_row {
	struct smc_lgr lgr;
	struct smc_link link;
	char netdev[CMD_NETDEV_SIZE];
};

/**
 * struct device_row - a port of an RDMA device, or an ISM device
 * @number, @port: the device's port, from 1 on; an ISM device has one
 * @netdev: empty if unknown
 * @is_loopback: loopback-ism: only @device's use count and @port's PNET ID are valid
 * @is_soft_roce: an RDMA device without hardware
 */
struct device_row {
	struct smc_device device;
	struct smc_port port;
	unsigned int number;
	bool is_loopback, is_soft_roce;
	char netdev[CMD_NETDEV_SIZE];
	struct pciids_name pci;
};

extern const struct out_col smcr_linkgroup_columns[]; /* of struct smc_lgr */
extern const struct out_col smcd_linkgroup_columns[];
extern const struct out_col link_columns[];	   /* of struct link_row */
extern const struct out_col smcr_device_columns[]; /* of struct device_row */
extern const struct out_col smcd_device_columns[];

/* ---- output formats of statistics ---- */

/** stats_print() - as in 1.8.5, longer with @has_details; @width: of the terminal, or 0 */
void stats_print(struct out_text *text, const struct smc_stats *stats,
		 const struct smc_variant *variant, bool has_details, size_t width);

/** stats_si() - number in six characters, as in 1.8.5: "999", "1.234K", "100.0M". Return: @buf */
const char *stats_si(uint64_t value, char buf[16]);

/** stats_compat_json() - document of "stats json" in smc-tools 1.8.5 */
json_t *stats_compat_json(const struct smc_stats *stats, const struct smc_variant *variant);

/** stats_json() - all members of the document */
json_t *stats_json(const struct smc_stats *stats, const struct smc_variant *variant,
		   bool is_since_reset);

/** struct stats_of - statistics of a network namespace; @netns: its label, NULL for none */
struct stats_of {
	const struct smc_stats *stats;
	const char *netns;
	uint64_t inode;
};

/** stats_metrics() - Prometheus' text form for SMC-D and SMC-R, of @count namespaces */
void stats_metrics(struct out_text *text, const struct stats_of *of, size_t count);

/** stats_all_netns() - read and print statistics of all network namespaces. Return: 0, -errno */
int stats_all_netns(struct cmd *cmd);

/** stats_reason_name() - name as in smc-tools 1.8.5, or the number, in @buf */
const char *stats_reason_name(uint32_t code, char buf[16]);

/* ---- baseline of "stats reset" ---- */

/**
 * baseline_load() - read the baseline of the last reset of @tool, "smcd" or "smcr"
 *
 * Return: 0; -ENOENT if there is none for this boot and namespace; another -errno with a message if
 * it cannot be trusted or read.
 */
int baseline_load(struct smc_stats *base, const char *tool, struct smc_err *err);

/** baseline_save() - save the baseline. Return: 0, -errno with a message */
int baseline_save(const struct smc_stats *stats, const char *tool, struct smc_err *err);

/** struct baseline - content of a file; valid until the next boot */
struct baseline {
	char head[32], boot[48];
	struct smc_stats stats;
};

/** baseline_fill() - make the content of a file */
void baseline_fill(struct baseline *file, const struct smc_stats *stats, const char *boot);

/** baseline_read() - parse. Return: 0; -ENOENT: of another boot; -EBADMSG: incomplete or bad */
int baseline_read(struct smc_stats *base, const void *data, size_t len, const char *boot);

/* ---- commands of each object: return 0, or -errno with a message in cmd->err ---- */

int cmd_run_device(struct cmd *cmd);
int cmd_run_linkgroup(struct cmd *cmd);
int cmd_run_info(struct cmd *cmd);
int cmd_run_stats(struct cmd *cmd);
int cmd_run_ueid(struct cmd *cmd);
int cmd_run_seid(struct cmd *cmd);
int cmd_run_hs(struct cmd *cmd);
