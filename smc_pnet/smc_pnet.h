/* SPDX-License-Identifier: MIT */
/* What the parts of smc_pnet share. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "out/table.h"
#include "pnet/pairing.h"
#include "smc/pnet.h"
#include "netlink/genl.h"

/** struct pnet_tool - what every command works on: the kernel's table, and a sysfs */
struct pnet_tool {
	struct smc_genl *nl;
	const char *root;
	struct smc_err *err;
};

/* ---- table.c: the kernel's table ---- */

extern const struct out_col pnet_columns[];

/** pnet_fetch() - read the whole table. Return: 0, -errno with @err */
int pnet_fetch(struct smc_genl *nl, struct smc_pnet_table *table, struct smc_err *err);

/**
 * pnet_make() - an entry from words
 * @eth, @ib, @port: NULL for none
 *
 * Return: 0; -EINVAL with the wrong word in @err.
 */
int pnet_make(struct smc_pnet *entry, const char *name, const char *eth, const char *ib,
	      const char *port, struct smc_err *err);

/** pnet_append_entry() - append "NET1 eth0 n/a 255", without the end of the line */
void pnet_append_entry(struct out_text *text, const struct smc_pnet *entry);

/** pnet_delete() - delete all entries of a PNET ID. Return: 0; -ENOENT when it has none */
int pnet_delete(struct pnet_tool *tool, const char *name);

/** pnet_flush() - make the table empty, which an empty table is already */
int pnet_flush(struct pnet_tool *tool);

/** pnet_show() - print the entries of a PNET ID, NULL for all. Return: -ENOENT if it has none */
int pnet_show(struct pnet_tool *tool, const char *name, bool is_json);

/** pnet_export() - print the table as pnet_read() takes it */
int pnet_export(struct pnet_tool *tool);

/** pnet_say_cannot() - put "cannot WHAT NAME: " before the sentence in @err. Return: -errno */
int pnet_say_cannot(struct smc_err *err, const char *what, const char *name);

/** pnet_write() - write what was appended, once, to stdout. Return: 0, -errno with @err */
int pnet_write(struct out_text *text, struct smc_err *err);

/** pnet_json_entries() - entries of the table as an array. Return: NULL if memory ran out */
json_t *pnet_json_entries(const struct smc_pnet_table *table);

/** pnet_write_json() - print a document and drop the reference; NULL means that memory ran out */
int pnet_write_json(json_t *doc, struct smc_err *err);

/** pnet_device() - the device of an entry that has one */
static inline const char *pnet_device(const struct smc_pnet *entry)
{
	return entry->has & SMC_PNET_HAS_NET ? entry->eth : entry->ib;
}

/* ---- add.c ---- */

/**
 * pnet_add() - add an entry
 *
 * Return: 0; -EEXIST with what holds the device, or with the device of two that the kernel did not
 * keep: it stores one of them and reports success. Another -errno with @err.
 */
int pnet_add(struct pnet_tool *tool, const struct smc_pnet *entry);

/** pnet_say_exists() - which entry or hardware @entry conflicts with. Return: -EEXIST with @err */
int pnet_say_exists(const struct smc_pnet_table *table, const struct pnet_world *world,
		    const struct smc_pnet *entry, struct smc_err *err);

/* ---- file.c ---- */

/**
 * pnet_append_line() - append a line of a file of entries; pnet_read() makes the same entry of it
 */
void pnet_append_line(struct out_text *text, const struct smc_pnet *entry);

/**
 * pnet_read() - read a file of entries
 * @name: of the file, for messages
 *
 * A line is what smc_pnet prints for an entry: PNET ID, net device, RDMA or ISM device, port; "n/a"
 * stands for a device that is not there, and the port may be left out. A line with both devices
 * makes two entries. Text after # and empty lines do not count; \x23 in a name is a #. A device
 * must not come twice, but the same line may.
 *
 * Return: 0; -EINVAL with the line in @err; another -errno.
 */
int pnet_read(struct smc_pnet_table *table, FILE *file, const char *name, struct smc_err *err);

/* ---- import.c ---- */

/** struct pnet_plan - from one table to another: whole PNET IDs to delete, entries to add */
struct pnet_plan {
	struct smc_pnet_table deletes; /* one entry for each PNET ID */
	struct smc_pnet_table adds;
};

/** pnet_plan_make() - the kernel deletes by PNET ID only: what must stay is added again */
int pnet_plan_make(struct pnet_plan *plan, const struct smc_pnet_table *from,
		   const struct smc_pnet_table *to);

void pnet_plan_free(struct pnet_plan *plan);

/** pnet_read_path() - pnet_read() of a file by name, "-" for standard input */
int pnet_read_path(struct smc_pnet_table *table, const char *path, struct smc_err *err);

/** pnet_import() - make the kernel's table that of a file, all of it or nothing; or show the way */
int pnet_import(struct pnet_tool *tool, const struct smc_pnet_table *to, bool is_diff,
		bool is_json);

/* ---- list.c, tree.c ---- */

extern const struct out_col pnet_row_columns[];

/**
 * struct pnet_group - a link of an SMC-R link group, or an SMC-D link group
 * @ib, @port: the RDMA port of the link; empty for SMC-D
 * @chid: channel id of an SMC-D group, -1 for none
 */
struct pnet_group {
	uint32_t id;
	uint32_t conns;
	uint8_t link;
	char ib[SMC_PNET_IB_SIZE];
	unsigned int port;
	int32_t chid;
	bool is_shown;
};

struct pnet_groups {
	struct pnet_group *groups;
	size_t count, size;
};

/** pnet_groups_fetch() - ask the kernel; none if it is too old. Return: 0, -errno with @err */
int pnet_groups_fetch(struct pnet_groups *groups, struct smc_err *err);

void pnet_groups_free(struct pnet_groups *groups);

/**
 * pnet_tree() - append the devices as a tree
 *
 * Each net device, below it those that use it as their base, the ports that serve it, and below a
 * port its link groups; then the link groups whose device is not known.
 */
void pnet_tree(struct out_text *text, const struct pnet_rows *rows, struct pnet_groups *groups);

/** pnet_list() - all devices; warnings on stderr, or in the document */
int pnet_list(struct pnet_tool *tool, bool is_tree, bool is_json);

/* ---- suggest.c ---- */

/** pnet_suggest() - print the commands, or run them */
int pnet_suggest(struct pnet_tool *tool, bool is_apply, bool is_json);
