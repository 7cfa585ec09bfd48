// SPDX-License-Identifier: MIT
/* --list: every device with its PNET ID, whoever gave it. */
#include "smc_pnet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = { "net", "ib", "ism" };
static const char *const source_names[] = { NULL, "table", "hardware", "base" };

int pnet_world_load(struct pnet_world *world, const char *root, struct smc_err *err)
{
	int ret = netdev_load(&world->nets, root);

	world->rdma = (struct rdma_table){ 0 };
	if (!ret)
		ret = rdma_load(&world->rdma, root, &world->nets);
	if (!ret)
		return 0;
	netdev_free(&world->nets);
	return smc_err_set(err, -ret, "cannot read the devices in %s", root);
}

void pnet_world_free(struct pnet_world *world)
{
	rdma_free(&world->rdma);
	netdev_free(&world->nets);
}

/* ---- rows ---- */

static const struct smc_pnet *net_entry(const struct smc_pnet_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].has & SMC_PNET_HAS_NET &&
		    !strcmp(table->entries[i].eth, name))
			return &table->entries[i];
	return NULL;
}

/* An RDMA or ISM device goes by its own name or by that of its PCI function. Port 0: any. */
static const struct smc_pnet *ib_entry(const struct smc_pnet_table *table, const char *name,
				       const char *bus_id, unsigned int port)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct smc_pnet *entry = &table->entries[i];

		if (!(entry->has & SMC_PNET_HAS_IB) || (port && entry->port != port))
			continue;
		if (!strcmp(entry->ib, name) || (*bus_id && !strcmp(entry->ib, bus_id)))
			return entry;
	}
	return NULL;
}

static void set_id(struct pnet_row *row, const char *hw_pnetid)
{
	row->pnetid = "";
	if (hw_pnetid[0]) {
		row->pnetid = hw_pnetid;
		row->source = PNET_FROM_HARDWARE;
	} else if (row->entry) {
		row->pnetid = row->entry->name;
		row->source = PNET_FROM_TABLE;
	}
}

/* As the kernel looks it up: hardware and table for the base device, then the table for itself. */
static struct pnet_row net_row(const struct netdev *net, const struct smc_pnet_table *table,
			       const struct pnet_world *world)
{
	struct pnet_row row = { .type = PNET_NET, .name = net->name, .net = net };
	const struct netdev *base = netdev_find(&world->nets, net->base);
	const struct smc_pnet *below;

	row.entry = net_entry(table, net->name);
	set_id(&row, net->hw_pnetid);
	if (!base || base == net)
		return row;
	below = net_entry(table, base->name);
	if (base->hw_pnetid[0] || below) {
		row.pnetid = base->hw_pnetid[0] ? base->hw_pnetid : below->name;
		row.source = PNET_FROM_BASE;
	}
	return row;
}

static struct pnet_row port_row(const struct rdma_dev *ib, const struct rdma_port *port,
				const struct smc_pnet_table *table)
{
	struct pnet_row row = { .type = PNET_IB, .name = ib->name, .port = port->number, .ib = ib,
				.ib_port = port };

	row.entry = ib_entry(table, ib->name, ib->bus_id, port->number);
	set_id(&row, port->hw_pnetid);
	return row;
}

static struct pnet_row ism_row(const struct ism_dev *ism, const struct smc_pnet_table *table)
{
	struct pnet_row row = { .type = PNET_ISM, .name = ism->name, .ism = ism };

	row.entry = ib_entry(table, ism->name, ism->bus_id, 0);
	set_id(&row, ism->hw_pnetid);
	return row;
}

/* Loopback for SMC-D is in no sysfs before 6.18, so it is known by its name only. */
static struct pnet_row absent_row(const struct smc_pnet *entry)
{
	struct pnet_row row = { .type = PNET_NET, .name = entry->eth, .entry = entry };

	if (entry->has & SMC_PNET_HAS_IB) {
		row.type = strcmp(entry->ib, "loopback-ism") ? PNET_IB : PNET_ISM;
		row.name = entry->ib;
		row.port = row.type == PNET_IB ? entry->port : 0;
	}
	set_id(&row, "");
	return row;
}

static int compare(const void *a, const void *b)
{
	const struct pnet_row *left = a, *right = b;
	int order = !*left->pnetid - !*right->pnetid; /* those without come last */

	if (!order)
		order = strcmp(left->pnetid, right->pnetid);
	if (!order)
		order = (int)left->type - (int)right->type;
	if (!order)
		order = sysfs_compare(left->name, right->name);
	return order ? order : (int)left->port - (int)right->port;
}

static bool is_used(const struct pnet_rows *rows, const struct smc_pnet *entry)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].entry == entry)
			return true;
	return false;
}

int pnet_rows_make(struct pnet_rows *rows, const struct smc_pnet_table *table,
		   const struct pnet_world *world)
{
	const struct rdma_table *rdma = &world->rdma;
	struct pnet_row *row;

	*rows = (struct pnet_rows){ 0 };
	row = calloc(1 + world->nets.count + RDMA_MAX_PORTS * rdma->count + rdma->n_isms +
		     table->count, sizeof(*row));
	if (!row)
		return -ENOMEM;
	rows->rows = row;
	for (size_t i = 0; i < world->nets.count; i++)
		row[rows->count++] = net_row(&world->nets.devs[i], table, world);
	for (size_t i = 0; i < rdma->count; i++)
		for (size_t k = 0; k < rdma->devs[i].n_ports; k++)
			row[rows->count++] =
				port_row(&rdma->devs[i], &rdma->devs[i].ports[k], table);
	for (size_t i = 0; i < rdma->n_isms; i++)
		row[rows->count++] = ism_row(&rdma->isms[i], table);
	for (size_t i = 0; i < table->count; i++)
		if (!is_used(rows, &table->entries[i]))
			row[rows->count++] = absent_row(&table->entries[i]);
	qsort(row, rows->count, sizeof(*row), compare);
	return 0;
}

void pnet_rows_free(struct pnet_rows *rows)
{
	free(rows->rows);
	*rows = (struct pnet_rows){ 0 };
}

bool pnet_row_warn(char *buf, size_t size, const struct pnet_row *row)
{
	bool is_there = row->net || row->ib || row->ism;

	buf[0] = '\0';
	if (!row->entry)
		return false;
	if (!is_there && row->type != PNET_ISM)
		snprintf(buf, size, "there is no port %u of '%s': its entry waits for one",
			 row->port, row->name);
	if (!is_there && row->type == PNET_NET)
		snprintf(buf, size, "there is no net device '%s': its entry waits for one",
			 row->name);
	if (row->ib && strcmp(row->ib->node_type, "CA") && row->ib->node_type[0])
		snprintf(buf, size, "'%s' is not a RoCE device (%s): SMC does not use it", row->name,
			 row->ib->node_type);
	if (!row->net || !strcmp(row->net->base, row->name))
		return buf[0];
	if (row->source == PNET_FROM_TABLE)
		snprintf(buf, size,
			 "SMC looks at '%s' below '%s' first, and older kernels only there: "
			 "smc_pnet -a %s -I %s",
			 row->net->base, row->name, row->entry->name, row->net->base);
	else if (strcmp(row->pnetid, row->entry->name))
		snprintf(buf, size, "SMC takes PNET ID %s of '%s' below '%s', not the entry's %s",
			 row->pnetid, row->net->base, row->name, row->entry->name);
	return buf[0];
}

/* ---- columns ---- */

static void append_word(struct out_text *text, const char *word)
{
	if (word && *word)
		out_escaped(text, word, strlen(word));
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_word(const char *word)
{
	return word && *word ? out_json_string(word, strlen(word)) : NULL;
}

#define WORD_COLUMN(name, value)                                                                  \
	static const char *name##_of(const struct pnet_row *row)                                  \
	{                                                                                         \
		return value;                                                                     \
	}                                                                                         \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		append_word(text, name##_of(object));                                             \
	}                                                                                         \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		return json_word(name##_of(object));                                              \
	}

WORD_COLUMN(pnetid, row->pnetid)
WORD_COLUMN(kind, type_names[row->type])
WORD_COLUMN(device, row->name)
WORD_COLUMN(state, row->net ? row->net->state : row->ib_port ? row->ib_port->state :
		   row->ism || row->type == PNET_ISM ? NULL : "absent")
WORD_COLUMN(bus, row->net ? row->net->bus : row->ib ? row->ib->bus :
		 row->ism ? row->ism->bus : NULL)
WORD_COLUMN(bus_id, row->net ? row->net->bus_id : row->ib ? row->ib->bus_id :
		    row->ism ? row->ism->bus_id : NULL)
WORD_COLUMN(source, source_names[row->source])
WORD_COLUMN(netdev, row->ib_port ? row->ib_port->netdev :
		    row->net && strcmp(row->net->base, row->name) ? row->net->base : NULL)
WORD_COLUMN(layer, row->ib_port ? row->ib_port->link_layer : NULL)

static void text_port(struct out_text *text, const void *object)
{
	const struct pnet_row *row = object;

	if (row->port)
		out_dec(text, row->port, 0);
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_port(const void *object)
{
	const struct pnet_row *row = object;

	return row->port ? json_integer(row->port) : NULL;
}

static json_t *json_ifindex(const void *object)
{
	const struct pnet_row *row = object;

	return row->net && row->net->ifindex ? json_integer(row->net->ifindex) : NULL;
}

const struct out_col pnet_row_columns[] = {
	{ "pnetid", "PNET_ID", "pnetid", 16, false, text_pnetid, json_pnetid },
	{ "type", "Type", "type", 4, false, text_kind, json_kind },
	{ "device", "Device", "device", 15, false, text_device, json_device },
	{ "port", "Port", "port", 4, true, text_port, json_port },
	{ "state", "State", "state", 7, false, text_state, json_state },
	{ "bus", "Bus", "bus", 6, false, text_bus, json_bus },
	{ "busid", "Bus-ID", "bus_id", 12, false, text_bus_id, json_bus_id },
	{ "source", "Source", "source", 8, false, text_source, json_source },
	{ "netdev", "Net-Dev", "net_device", 7, false, text_netdev, json_netdev },
	{ "layer", "Layer", "link_layer", 0, false, text_layer, json_layer },
	{ NULL, NULL, "ifindex", 0, false, NULL, json_ifindex },
	{ 0 },
};

static const char columns[] = "pnetid,type,device,port,state,bus,busid,source,netdev";

/* ---- printing ---- */

static json_t *json_warnings(const struct pnet_rows *rows)
{
	json_t *array = json_array();
	char line[256];

	for (size_t i = 0; array && i < rows->count; i++)
		if (pnet_row_warn(line, sizeof(line), &rows->rows[i]))
			json_array_append_new(array, out_json_string(line, sizeof(line)));
	return array;
}

static json_t *json_rows(const struct pnet_rows *rows)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < rows->count; i++) {
		if (!json_array_append_new(array, out_json(pnet_row_columns, NULL, &rows->rows[i])))
			continue;
		json_decref(array);
		array = NULL;
	}
	return array;
}

static void print_warnings(const struct pnet_rows *rows)
{
	struct out_text text = { 0 };
	char line[256];

	for (size_t i = 0; i < rows->count; i++) {
		if (!pnet_row_warn(line, sizeof(line), &rows->rows[i]))
			continue;
		out_str(&text, "smc_pnet: warning: ");
		out_escaped(&text, line, sizeof(line));
		out_char(&text, '\n');
	}
	if (text.len)
		fwrite(text.data, 1, text.len, stderr);
	out_free(&text);
}

static int print_tree(const struct pnet_rows *rows, struct smc_err *err)
{
	struct out_text text = { 0 };
	struct pnet_groups groups;
	int ret = pnet_groups_fetch(&groups, err);

	if (ret)
		return ret;
	pnet_tree(&text, rows, &groups);
	pnet_groups_free(&groups);
	return pnet_write(&text, err);
}

static int print_rows(const struct pnet_rows *rows, bool is_tree, struct smc_err *err)
{
	struct out_text text = { 0 };
	struct out_view view = { 0 };

	if (is_tree)
		return print_tree(rows, err);
	out_view_add(&view, pnet_row_columns, columns);
	for (size_t i = 0; i < rows->count; i++)
		if (strlen(rows->rows[i].name) < UINT8_MAX)
			out_view_widen(&view, "device", (uint8_t)strlen(rows->rows[i].name));
	out_header(&text, &view);
	for (size_t i = 0; i < rows->count; i++)
		out_row(&text, &view, &rows->rows[i]);
	return pnet_write(&text, err);
}

int pnet_list(struct pnet_tool *tool, bool is_tree, bool is_json)
{
	struct smc_pnet_table table = { 0 };
	struct pnet_world world = { 0 };
	struct pnet_rows rows = { 0 };
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret)
		ret = pnet_world_load(&world, tool->root, tool->err);
	if (!ret && pnet_rows_make(&rows, &table, &world))
		ret = smc_err_set(tool->err, ENOMEM, "cannot keep the list of devices");
	if (!ret && is_json)
		ret = pnet_write_json(json_pack("{s:s, s:o, s:o}", "schema", "smc-tools/pnet-list/1",
						"devices", json_rows(&rows), "warnings",
						json_warnings(&rows)), tool->err);
	else if (!ret)
		ret = print_rows(&rows, is_tree, tool->err);
	if (!ret && !is_json)
		print_warnings(&rows);
	pnet_rows_free(&rows);
	pnet_world_free(&world);
	smc_pnet_free(&table);
	return ret;
}
