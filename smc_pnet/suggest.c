// SPDX-License-Identifier: MIT
/* --suggest: pair each RDMA port with its net device. */
#include "smc_pnet.h"

#include <errno.h>
#include <string.h>

static const struct pnet_row *find_net(const struct pnet_rows *rows, const char *name)
{
	for (size_t i = 0; *name && i < rows->count; i++)
		if (rows->rows[i].net && !strcmp(rows->rows[i].name, name))
			return &rows->rows[i];
	return NULL;
}

/* SMC-R needs RoCE: neither InfiniBand nor iWARP. */
static bool is_usable(const struct pnet_row *row)
{
	return row->ib_port && !strcmp(row->ib_port->link_layer, "Ethernet") &&
	       !strcmp(row->ib->node_type, "CA");
}

static bool is_taken(const struct smc_pnet_table *entries, const struct pnet_rows *rows,
		     const char *name)
{
	for (size_t i = 0; i < entries->count; i++)
		if (!strcmp(entries->entries[i].name, name))
			return true;
	for (size_t i = 0; i < rows->count; i++)
		if (!strcmp(rows->rows[i].pnetid, name))
			return true;
	return false;
}

/* A new PNET ID that resembles the net device's name: ens1f0 gives ENS1F0, and again ENS1F02. */
static void new_name(char name[SMC_PNET_NAME_SIZE], const struct smc_pnet_table *entries,
		     const struct pnet_rows *rows, const char *netdev)
{
	char stem[SMC_PNET_NAME_SIZE];
	size_t len = 0;

	for (; *netdev && len < sizeof(stem) - 4; netdev++) {
		if ((*netdev >= '0' && *netdev <= '9') || (*netdev >= 'A' && *netdev <= 'Z'))
			stem[len++] = *netdev;
		else if (*netdev >= 'a' && *netdev <= 'z')
			stem[len++] = (char)(*netdev - 'a' + 'A');
	}
	if (!len) {
		strcpy(stem, "NET");
		len = 3;
	}
	stem[len] = '\0';
	strcpy(name, stem);
	for (unsigned int i = 2; i < 1000 && is_taken(entries, rows, name); i++)
		snprintf(name, SMC_PNET_NAME_SIZE, "%.13s%u", stem, i);
}

static void set_net(struct smc_pnet *entry, const char *name)
{
	entry->has |= SMC_PNET_HAS_NET;
	strcpy(entry->eth, name);
}

static void set_port(struct smc_pnet *entry, const struct pnet_row *row)
{
	entry->has |= SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT;
	strcpy(entry->ib, row->name);
	entry->port = (uint8_t)row->port;
}

/* Return: false when there is nothing to suggest for the pair. */
static bool pair(struct smc_pnet *entry, const struct smc_pnet_table *entries,
		 const struct pnet_rows *rows, const struct pnet_row *port,
		 const struct pnet_row *net)
{
	const char *id = *port->pnetid ? port->pnetid : net->pnetid;
	const struct smc_pnet *suggested = NULL;

	*entry = (struct smc_pnet){ 0 };
	if (*port->pnetid && *net->pnetid)
		return false;
	/* Another port of this net device has just been given one. */
	for (size_t i = 0; i < entries->count && !*id; i++)
		if (!strcmp(entries->entries[i].eth, net->name))
			suggested = &entries->entries[i];
	if (suggested)
		id = suggested->name;
	if (*id)
		snprintf(entry->name, sizeof(entry->name), "%.16s", id);
	else
		new_name(entry->name, entries, rows, net->name);
	if (!*net->pnetid && !suggested)
		set_net(entry, net->name);
	if (!*port->pnetid)
		set_port(entry, port);
	return entry->has;
}

/* The table takes one entry for each device name, whatever its port. */
static bool is_blocked(const struct smc_pnet_table *entries, const struct smc_pnet_table *table,
		       const struct smc_pnet *entry)
{
	struct smc_pnet port = *entry;

	port.has &= ~(uint32_t)SMC_PNET_HAS_NET;
	return smc_pnet_holder(table, &port) || smc_pnet_holder(entries, &port);
}

int pnet_suggest_make(struct smc_pnet_table *entries, const struct smc_pnet_table *table,
		      const struct pnet_world *world)
{
	struct pnet_rows rows;
	int ret;

	*entries = (struct smc_pnet_table){ 0 };
	ret = pnet_rows_make(&rows, table, world);
	for (size_t i = 0; !ret && i < rows.count; i++) {
		const struct pnet_row *port = &rows.rows[i], *net = NULL;
		struct smc_pnet entry;

		if (is_usable(port))
			net = find_net(&rows, port->ib_port->netdev);
		if (net && pair(&entry, entries, &rows, port, net) &&
		    !is_blocked(entries, table, &entry))
			ret = smc_pnet_append(entries, &entry);
	}
	pnet_rows_free(&rows);
	if (ret)
		smc_pnet_free(entries);
	return ret;
}

/* Names of devices have been chosen by somebody: the shell must take each as one word. */
static void append_quoted(struct out_text *text, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "_-.:@";
	bool is_plain = strspn(word, plain) == strlen(word);

	if (!is_plain)
		out_char(text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			out_str(text, "'\\'");
		out_escaped(text, word, 1);
	}
	if (!is_plain)
		out_char(text, '\'');
}

static void append_command(struct out_text *text, const struct smc_pnet *entry)
{
	out_str(text, "smc_pnet -a ");
	append_quoted(text, entry->name);
	if (entry->has & SMC_PNET_HAS_NET) {
		out_str(text, " -I ");
		append_quoted(text, entry->eth);
	}
	if (entry->has & SMC_PNET_HAS_IB) {
		out_str(text, " -D ");
		append_quoted(text, entry->ib);
		out_str(text, " -P ");
		out_dec(text, entry->port, 0);
	}
	out_char(text, '\n');
}

static json_t *json_entries(const struct smc_pnet_table *entries)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < entries->count; i++) {
		if (!json_array_append_new(array,
					   out_json(pnet_columns, NULL, &entries->entries[i])))
			continue;
		json_decref(array);
		array = NULL;
	}
	return array;
}

static int print(const struct smc_pnet_table *entries, bool is_json, struct smc_err *err)
{
	struct out_text text = { 0 };

	if (is_json)
		return pnet_write_json(json_pack("{s:s, s:o}", "schema", "smc-tools/pnet-suggest/1",
						 "entries", json_entries(entries)), err);
	for (size_t i = 0; i < entries->count; i++)
		append_command(&text, &entries->entries[i]);
	return pnet_write(&text, err);
}

int pnet_suggest(struct pnet_tool *tool, bool is_apply, bool is_json)
{
	struct smc_pnet_table table = { 0 }, entries = { 0 };
	struct pnet_world world = { 0 };
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret)
		ret = pnet_world_load(&world, tool->root, tool->err);
	if (!ret && pnet_suggest_make(&entries, &table, &world))
		ret = smc_err_set(tool->err, ENOMEM, "cannot keep the suggestions");
	for (size_t i = 0; !ret && is_apply && i < entries.count; i++)
		ret = pnet_add(tool, &entries.entries[i]);
	/* What was run is printed as well, to be kept. */
	if (!ret)
		ret = print(&entries, is_json, tool->err);
	smc_pnet_free(&entries);
	pnet_world_free(&world);
	smc_pnet_free(&table);
	return ret;
}
