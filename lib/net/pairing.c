// SPDX-License-Identifier: MIT
#include "net/pairing.h"

#include <ctype.h>

#include "base/array.h"
#include "base/memory.h"
#include "netlink/genl.h"
#include "smc/genl_abi.h"

int pnet_world_load(struct pnet_world *world, const char *root, struct smc_err *err)
{
	int ret = netdev_load(&world->nets, root);

	world->rdma = (struct rdma_table){ 0 };
	if (!ret)
		ret = rdma_load(&world->rdma, root, &world->nets);
	if (!ret) {
		rdma_check_netns(&world->rdma);
		return 0;
	}
	netdev_free(&world->nets);
	return smc_err_set(err, -ret, "cannot read the devices in %s", root);
}

void pnet_world_free(struct pnet_world *world)
{
	rdma_free(&world->rdma);
	netdev_free(&world->nets);
}

int pnet_table_load(struct smc_pnet_table *table, struct smc_err *err)
{
	struct smc_genl *nl;
	int ret = smc_genl_open(&nl, SMCR_GENL_FAMILY_NAME, err);

	if (!ret)
		ret = smc_genl_dump(nl, SMC_PNETID_GET, smc_pnet_add, table, err);
	smc_genl_close(nl);
	return ret;
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

/* Match an RDMA or ISM device by name or by PCI function. Port 0: any. */
static const struct smc_pnet *ib_entry(const struct smc_pnet_table *table, const char *name,
				       const char *bus_id, unsigned int port)
{
	for_each(entry, table->entries, table->count) {
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

/* Like the kernel: first hardware and table for the base device, then the table for the device. */
static struct pnet_row net_row(const struct netdev *net, const struct smc_pnet_table *table,
			       const struct pnet_world *world)
{
	struct pnet_row row = { .type = PNET_NET,
				.name = net->name,
				.state = net->state,
				.bus = net->bus,
				.bus_id = net->bus_id,
				.netdev = strcmp(net->base, net->name) ? net->base : NULL,
				.net = net,
				.entry = net_entry(table, net->name) };
	const struct netdev *base = netdev_find(&world->nets, net->base);
	const struct smc_pnet *below;

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
	struct pnet_row row = { .type = PNET_IB,
				.name = ib->name,
				.port = port->number,
				.state = port->state,
				.bus = ib->bus,
				.bus_id = ib->bus_id,
				.netdev = port->netdev,
				.ib = ib,
				.ib_port = port };

	row.entry = ib_entry(table, ib->name, ib->bus_id, port->number);
	set_id(&row, port->hw_pnetid);
	return row;
}

static struct pnet_row ism_row(const struct ism_dev *ism, const struct smc_pnet_table *table)
{
	struct pnet_row row = { .type = PNET_ISM,
				.name = ism->name,
				.bus = ism->bus,
				.bus_id = ism->bus_id,
				.ism = ism };

	row.entry = ib_entry(table, ism->name, ism->bus_id, 0);
	set_id(&row, ism->hw_pnetid);
	return row;
}

/* Loopback for SMC-D is not in sysfs before 6.18, so only its name is known. */
static struct pnet_row absent_row(const struct smc_pnet *entry)
{
	struct pnet_row row = { .type = PNET_NET, .name = entry->eth, .entry = entry };

	if (entry->has & SMC_PNET_HAS_IB) {
		row.type = strcmp(entry->ib, "loopback-ism") ? PNET_IB : PNET_ISM;
		row.name = entry->ib;
		row.port = row.type == PNET_IB ? entry->port : 0;
	}
	row.state = row.type == PNET_ISM ? NULL : "absent";
	set_id(&row, "");
	return row;
}

static int compare(const void *a, const void *b)
{
	const struct pnet_row *left = a, *right = b;
	int order = !*left->pnetid - !*right->pnetid; /* rows without PNET ID come last */

	if (!order)
		order = strcmp(left->pnetid, right->pnetid);
	if (!order)
		order = (int)left->type - (int)right->type;
	if (!order)
		order = strverscmp(left->name, right->name);
	return order ? order : (int)left->port - (int)right->port;
}

static bool is_used(const struct pnet_rows *rows, const struct smc_pnet *entry)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].entry == entry)
			return true;
	return false;
}

static struct pnet_row *add_row(struct pnet_rows *rows)
{
	return smc_array_add(&rows->rows, &rows->count);
}

void pnet_rows_make(struct pnet_rows *rows, const struct smc_pnet_table *table,
		    const struct pnet_world *world)
{
	const struct rdma_table *rdma = &world->rdma;

	*rows = (struct pnet_rows){ 0 };
	for_each(net, world->nets.devs, world->nets.count)
		*add_row(rows) = net_row(net, table, world);
	for_each(dev, rdma->devs, rdma->count)
		for_each(port, dev->ports, dev->n_ports)
			*add_row(rows) = port_row(dev, port, table);
	for_each(ism, rdma->isms, rdma->n_isms)
		*add_row(rows) = ism_row(ism, table);
	for_each(entry, table->entries, table->count)
		if (!is_used(rows, entry))
			*add_row(rows) = absent_row(entry);
	smc_array_sort(rows->rows, rows->count, compare);
}

const struct pnet_row *pnet_row_of_net(const struct pnet_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].net && !strcmp(rows->rows[i].name, name))
			return &rows->rows[i];
	return NULL;
}

bool pnet_row_serves(const struct pnet_row *row, const struct pnet_row *net)
{
	if (row->type == PNET_NET)
		return false;
	if (*row->pnetid || *net->pnetid)
		return !strcmp(row->pnetid, net->pnetid);
	return row->ib_port && net->net && !strcmp(row->ib_port->netdev, net->net->base);
}

bool pnet_row_is_root(const struct pnet_rows *rows, const struct pnet_row *row)
{
	if (row->type == PNET_NET)
		return !row->net || !row->net->lower[0];
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].type == PNET_NET && pnet_row_serves(row, &rows->rows[i]))
			return false;
	return true;
}

bool pnet_row_is_hardware(const struct pnet_row *row, const struct netdev_table *nets)
{
	const struct netdev *base = row->net ? netdev_find(nets, row->net->base) : NULL;

	return row->source == PNET_FROM_HARDWARE ||
	       (row->source == PNET_FROM_BASE && base && base->hw_pnetid[0]);
}

/* One sentence, with unescaped names; empty if nothing is wrong. */
static void describe(char *buf, size_t size, const struct pnet_row *row)
{
	bool is_there = row->net || row->ib || row->ism;

	if (!is_there && row->type != PNET_ISM)
		snprintf(buf, size,
			 "no port %u of '%s': its entry has no effect until there is one",
			 row->port, row->name);
	if (!is_there && row->type == PNET_NET)
		snprintf(buf, size,
			 "no net device '%s': its entry has no effect until there is one",
			 row->name);
	if (row->ib && strcmp(row->ib->node_type, "CA") && row->ib->node_type[0])
		snprintf(buf, size, "'%s' is not a RoCE device (%s): SMC does not use it",
			 row->name, row->ib->node_type);
	if (!row->net || !strcmp(row->net->base, row->name))
		return;
	if (row->source == PNET_FROM_TABLE)
		snprintf(buf, size,
			 "SMC first looks at '%s', the lower device of '%s', "
			 "and older kernels look only there",
			 row->net->base, row->name);
	else if (strcmp(row->pnetid, row->entry->name))
		snprintf(buf, size, "SMC uses PNET ID %s of '%s' below '%s', not the entry's %s",
			 row->pnetid, row->net->base, row->name, row->entry->name);
}

/* Suggest the lower device for an entry that the kernel uses only if the lower device has none. */
static void append_better(struct out_text *text, const struct pnet_row *row)
{
	struct smc_pnet better = { .has = SMC_PNET_HAS_NET };
	size_t before = text->len;

	if (row->source != PNET_FROM_TABLE || !row->net || !strcmp(row->net->base, row->name))
		return;
	memcpy(better.name, row->entry->name, sizeof(better.name));
	memcpy(better.eth, row->net->base, sizeof(better.eth));
	out_str(text, ": ");
	if (!pnet_command(text, &better))
		text->len = before;
}

bool pnet_row_warn(struct out_text *text, const struct pnet_row *row)
{
	char sentence[512] = "";

	if (row->entry)
		describe(sentence, sizeof(sentence), row);
	if (!*sentence)
		return false;
	out_escaped(text, sentence, sizeof(sentence));
	append_better(text, row);
	return true;
}

/* ---- pairs ---- */

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

/* Derive a new PNET ID from the net device's name: ens1f0 gives ENS1F0, then ENS1F02. */
static void new_name(char name[SMC_PNET_NAME_SIZE], const struct smc_pnet_table *entries,
		     const struct pnet_rows *rows, const char *netdev)
{
	char stem[SMC_PNET_NAME_SIZE];
	size_t len = 0;

	for (; *netdev && len < sizeof(stem) - 4; netdev++)
		if (isalnum((unsigned char)*netdev))
			stem[len++] = (char)toupper((unsigned char)*netdev);
	stem[len] = '\0';
	if (!len)
		strcpy(stem, "NET");
	strcpy(name, stem);
	for (unsigned int i = 2; i < 1000 && is_taken(entries, rows, name); i++)
		snprintf(name, SMC_PNET_NAME_SIZE, "%.13s%u", stem, i);
}

/* Return: false if there is nothing to suggest for the pair. */
static bool pair(struct smc_pnet *entry, const struct smc_pnet_table *entries,
		 const struct pnet_rows *rows, const struct pnet_row *port,
		 const struct pnet_row *net)
{
	const char *id = *port->pnetid ? port->pnetid : net->pnetid;
	const struct smc_pnet *suggested = NULL;

	*entry = (struct smc_pnet){ 0 };
	if (*port->pnetid && *net->pnetid)
		return false;
	/* If another port of this net device has just been given a PNET ID, use the same. */
	for (size_t i = 0; i < entries->count && !*id; i++)
		if (!strcmp(entries->entries[i].eth, net->name))
			suggested = &entries->entries[i];
	if (suggested)
		id = suggested->name;
	if (*id)
		snprintf(entry->name, sizeof(entry->name), "%.16s", id);
	else
		new_name(entry->name, entries, rows, net->name);
	if (!*net->pnetid && !suggested) {
		entry->has |= SMC_PNET_HAS_NET;
		strcpy(entry->eth, net->name);
	}
	if (!*port->pnetid) {
		entry->has |= SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT;
		strcpy(entry->ib, port->name);
		entry->port = (uint8_t)port->port;
	}
	return entry->has;
}

/* The table has room for one entry per device name, whatever its port. */
static bool is_blocked(const struct smc_pnet_table *entries, const struct smc_pnet_table *table,
		       const struct smc_pnet *entry)
{
	struct smc_pnet port = *entry;

	port.has &= ~(uint32_t)SMC_PNET_HAS_NET;
	return smc_pnet_holder(table, &port) || smc_pnet_holder(entries, &port);
}

void pnet_suggest_make(struct smc_pnet_table *entries, const struct smc_pnet_table *table,
		       const struct pnet_world *world)
{
	struct pnet_rows rows AUTO(pnet_rows_free) = { 0 };

	*entries = (struct smc_pnet_table){ 0 };
	pnet_rows_make(&rows, table, world);
	for (size_t i = 0; i < rows.count; i++) {
		const struct pnet_row *port = &rows.rows[i], *net = NULL;
		struct smc_pnet entry;

		if (is_usable(port))
			net = pnet_row_of_net(&rows, port->ib_port->netdev);
		if (net && pair(&entry, entries, &rows, port, net) &&
		    !is_blocked(entries, table, &entry))
			smc_pnet_append(entries, &entry);
	}
}

bool pnet_command(struct out_text *text, const struct smc_pnet *entry)
{
	bool is_typable;

	out_str(text, "smc_pnet -a ");
	is_typable = out_shell_word(text, entry->name);
	if (entry->has & SMC_PNET_HAS_NET) {
		out_str(text, " -I ");
		is_typable &= out_shell_word(text, entry->eth);
	}
	if (entry->has & SMC_PNET_HAS_IB) {
		out_str(text, " -D ");
		is_typable &= out_shell_word(text, entry->ib);
		out_str(text, " -P ");
		out_dec(text, entry->port, 0);
	}
	return is_typable;
}
