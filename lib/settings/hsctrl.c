// SPDX-License-Identifier: MIT
/* Load, pin, name and read back the eBPF programs of a policy. */
#include "settings/enforce.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/write.h"
#include "bpf/bpfmap.h"
#include "bpf/library.h"
#include "bpf/rights.h"
#include "settings/hsmaps.h"

#define SYSCTL "/proc/sys/net/smc/hs_ctrl"
#define PIN_DIR "/sys/fs/bpf/smc-tools-policy"
#define PATH_SIZE 96

_Static_assert(HS_RULES_MAX == POLICY_RULES_MAX, "both are the same");

static const unsigned char object_file[] = {
#include "bpf/hsctrl.bytes.h"
};

/* "policy" is the controller itself. */
static const char *const maps[] = { "policy", "rules", "ports", "nets", "hits" };
enum map { CONTROLLER, RULES, PORTS, NETS, HITS, MAPS };

struct loaded {
	struct libbpf lib;
	struct bpf_object *object;
	int fds[MAPS];
};

bool policy_hsctrl_exists(void)
{
	return !access(SYSCTL, F_OK);
}

static int read_name(char name[HS_NAME_SIZE], struct smc_err *err)
{
	size_t len;
	char *text AUTO_FREE = NULL;

	*name = '\0';
	if (!policy_hsctrl_exists())
		return 0;
	text = smc_read_file(SYSCTL, 0, HS_NAME_SIZE, &len);
	if (!text)
		return smc_err_set(err, errno, "cannot read " SYSCTL);
	snprintf(name, HS_NAME_SIZE, "%.*s", (int)strcspn(text, "\n"), text);
	return 0;
}

static int write_name(const char *name, struct smc_err *err)
{
	int fd AUTO_CLOSE = open(SYSCTL, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	/* An empty write would have no effect: write an empty line. */
	if (fd < 0 || !smc_write_all(fd, *name ? name : "\n", *name ? strlen(name) : 1))
		ret = smc_err_set(err, errno, "cannot write " SYSCTL);
	return ret;
}

static int namespace_number(unsigned int *number, struct smc_err *err)
{
	struct stat st;

	if (stat("/proc/thread-self/ns/net", &st))
		return smc_err_set(err, errno, "cannot find out the network namespace");
	*number = (unsigned int)st.st_ino;
	return 0;
}

static bool parse_name(const char *name, unsigned int *netns, unsigned int *turn)
{
	char again[2 * HS_NAME_SIZE];

	if (sscanf(name, HS_NAME_FORM, netns, turn) != 2)
		return false;
	snprintf(again, sizeof(again), HS_NAME_FORM, *netns, *turn);
	return !strcmp(name, again);
}

static void pin_path(char path[PATH_SIZE], const char *name, enum map map)
{
	snprintf(path, PATH_SIZE, PIN_DIR "/%s/%s", name, maps[map]);
}

/* The kernel keeps the programs while a namespace names them. */
static void remove_pins(const char *name)
{
	const uint32_t first = 0;
	char path[PATH_SIZE];
	int fd;

	pin_path(path, name, CONTROLLER);
	fd = bpfmap_open(path, true, 0);
	if (fd >= 0) {
		bpfmap_delete(fd, &first);
		close(fd);
	}
	for (enum map map = CONTROLLER; map < MAPS; map++) {
		pin_path(path, name, map);
		unlink(path);
	}
	snprintf(path, sizeof(path), PIN_DIR "/%s", name);
	rmdir(path);
	rmdir(PIN_DIR);
}

/* Patch the name in the object's data, where a placeholder of the same length occurs once. */
static int open_object(struct loaded *loaded, const char *name, bool for_later, struct smc_err *err)
{
	const uint32_t flags = for_later ? HS_INHERITABLE : 0;
	unsigned char *copy = xcalloc(1, sizeof(object_file)), *at;
	int ret;

	memcpy(copy, object_file, sizeof(object_file));
	at = memmem(copy, sizeof(object_file), HS_NAME, HS_NAME_SIZE);
	memcpy(at, name, HS_NAME_SIZE);
	memcpy(at + HS_FLAGS_AT, &flags, sizeof(flags));
	loaded->object = loaded->lib.bpf_object__open_mem(copy, sizeof(object_file), NULL);
	ret = loaded->object ? loaded->lib.bpf_object__load(loaded->object) : -EINVAL;
	free(copy);
	if (ret)
		return libbpf_load_error(ret, err);
	for (enum map map = CONTROLLER; map < MAPS; map++)
		loaded->fds[map] =
			loaded->lib.bpf_object__find_map_fd_by_name(loaded->object, maps[map]);
	return 0;
}

static int fill_nets(int map, const struct policy_rule *rule, uint32_t number)
{
	const uint32_t any = 1;
	int ret = 0;

	for (size_t i = 0; !ret && i < rule->count; i++) {
		const struct netaddr *net = &rule->nets[i];
		struct hs_net key = { .bits = HS_NET_HEAD + net->prefix,
				      .rule = number,
				      .family = (uint32_t)net->family };

		memcpy(key.addr, net->bytes, sizeof(key.addr));
		ret = bpfmap_update(map, &key, &any);
	}
	return ret;
}

static int fill(const struct loaded *loaded, const struct policy *policy)
{
	struct hs_rules rules = { .count = (uint32_t)policy->count };
	struct hs_ports ports = { 0 };
	const uint32_t first = 0;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < policy->count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		rules.rules[i] = (struct hs_rule){ rule->action, rule->side, rule->ports.low,
						   rule->ports.high };
		ret = fill_nets(loaded->fds[NETS], rule, i);
	}
	for (size_t i = 0; i < policy->port_count; i++)
		for (uint32_t p = policy->ports[i].low; p <= policy->ports[i].high; p++)
			ports.words[p / 64] |= 1ULL << p % 64;
	if (!ret)
		ret = bpfmap_update(loaded->fds[RULES], &first, &rules);
	return ret ? ret : bpfmap_update(loaded->fds[PORTS], &first, &ports);
}

static int pin(const struct loaded *loaded, const char *name, struct smc_err *err)
{
	char path[PATH_SIZE];
	int ret = 0;

	snprintf(path, sizeof(path), PIN_DIR "/%s", name);
	if ((mkdir(PIN_DIR, 0700) && errno != EEXIST) || mkdir(path, 0700))
		return smc_err_set(err, errno, "cannot create %s", path);
	for (enum map map = CONTROLLER; !ret && map < MAPS; map++) {
		pin_path(path, name, map);
		ret = bpfmap_pin(loaded->fds[map], path);
		if (ret)
			smc_err_set(err, -ret, "cannot pin %s", path);
	}
	return ret;
}

/* From here on the controller exists until its only element is deleted. */
static int set_up(struct loaded *loaded, struct smc_err *err)
{
	struct libbpf *lib = &loaded->lib;
	struct bpf_map *map = lib->bpf_object__find_map_by_name(loaded->object, maps[CONTROLLER]);
	struct bpf_link *link = lib->bpf_map__attach_struct_ops(map);

	if (!link)
		return smc_err_set(err, errno, "cannot register smc_hs_ctrl");
	lib->bpf_link__disconnect(link);
	lib->bpf_link__destroy(link);
	return 0;
}

static int load(struct loaded *loaded, const struct policy *policy, const char *name,
		struct smc_err *err)
{
	int ret = libbpf_find(&loaded->lib, err);

	if (!ret)
		ret = open_object(loaded, name, policy->for_later, err);
	if (!ret) {
		ret = fill(loaded, policy);
		if (ret)
			smc_err_set(err, -ret, "cannot fill the maps of the policy");
	}
	/* Pin first: then it can be removed by name. */
	if (!ret)
		ret = pin(loaded, name, err);
	if (!ret)
		ret = set_up(loaded, err);
	if (loaded->object)
		loaded->lib.bpf_object__close(loaded->object);
	return ret;
}

static int put_in_force(const struct policy *policy, const char *name, struct smc_err *err)
{
	struct loaded loaded = { .object = NULL };
	int ret;

	if (sizeof(object_file) == 1)
		return smc_err_say(err, ENOTSUP, "this program was built without eBPF");
	ret = bpf_rights(true, err);
	if (ret)
		return ret;
	remove_pins(name);
	ret = load(&loaded, policy, name, err);
	if (!ret)
		ret = write_name(name, err);
	if (ret)
		remove_pins(name);
	return ret;
}

int policy_hsctrl_apply(const struct policy *policy, struct smc_err *err)
{
	unsigned int here = 0, netns = 0, turn = 1;
	char old[HS_NAME_SIZE], name[2 * HS_NAME_SIZE] = "";
	int ret = read_name(old, err);

	if (!ret)
		ret = namespace_number(&here, err);
	if (ret)
		return ret;
	if (*old && !parse_name(old, &netns, &turn))
		return policy_is_empty(policy) ?
			       0 :
			       smc_err_say(err, EBUSY,
					   "net.smc.hs_ctrl is %s, which smc-tools did not set",
					   old);
	if (policy_is_empty(policy)) {
		ret = *old ? write_name("", err) : 0;
	} else {
		turn = (turn & HS_TURN ? 0 : HS_TURN) | (policy->for_later ? HS_LATER : 0);
		snprintf(name, sizeof(name), HS_NAME_FORM, here, turn);
		ret = put_in_force(policy, name, err);
	}
	/* An inherited policy belongs to the other namespace. */
	if (!ret && *old && netns == here)
		remove_pins(old);
	return ret;
}

static int open_pins(int fds[MAPS], const char *name, struct smc_err *err)
{
	static const size_t sizes[MAPS] = {
		[RULES] = sizeof(struct hs_rules),
		[PORTS] = sizeof(struct hs_ports),
		[NETS] = sizeof(uint32_t),
		[HITS] = sizeof(uint64_t),
	};
	char path[PATH_SIZE];

	for (enum map map = RULES; map < MAPS; map++) {
		pin_path(path, name, map);
		fds[map] = bpfmap_open(path, false, sizes[map]);
		if (fds[map] < 0)
			return smc_err_set(err, -fds[map], "cannot open %s", path);
	}
	return 0;
}

static uint64_t hits(const int fds[MAPS], uint32_t place)
{
	uint64_t number = 0;

	bpfmap_lookup(fds[HITS], &place, &number);
	return number;
}

static int read_rules(struct policy *policy, const int fds[MAPS])
{
	struct hs_rules rules;
	const uint32_t first = 0;
	int ret = bpfmap_lookup(fds[RULES], &first, &rules);

	for (uint32_t i = 0; !ret && i < rules.count && i < HS_RULES_MAX; i++) {
		const struct hs_rule *from = &rules.rules[i];
		struct policy_rule *rule =
			policy_rule(policy, from->action, from->side,
				    (struct policy_range){ from->low, from->high });

		rule->hits = hits(fds, i);
		rule->others = hits(fds, HS_OTHERS + i);
	}
	return ret;
}

static int read_nets(struct policy *policy, int map)
{
	struct hs_net key, *last = NULL;
	int ret;

	while (!(ret = bpfmap_next(map, last, &key))) {
		struct netaddr net = { .family = (int)key.family,
				       .prefix = key.bits - HS_NET_HEAD };
		struct policy_rule *rule;

		last = &key;
		if (key.rule >= policy->count || key.bits < HS_NET_HEAD)
			return -EPROTO;
		rule = &policy->rules[key.rule];
		memcpy(net.bytes, key.addr, sizeof(net.bytes));
		*smc_array_add(&rule->nets, &rule->count) = net;
	}
	return ret == -ENOENT ? 0 : ret;
}

static int read_ports(struct policy *policy, const int fds[MAPS])
{
	struct hs_ports ports;
	const uint32_t first = 0;
	int ret = bpfmap_lookup(fds[PORTS], &first, &ports);

	for (unsigned int port = 1; !ret && port <= UINT16_MAX; port++) {
		struct policy_range range = { (uint16_t)port, (uint16_t)port };

		if (ports.words[port / 64] >> port % 64 & 1)
			*smc_array_add(&policy->ports, &policy->port_count) = range;
	}
	policy->port_hits = hits(fds, HS_PORTS);
	return ret;
}

int policy_hsctrl_read(struct policy *policy, struct smc_err *err)
{
	int fds[MAPS] = { -1, -1, -1, -1, -1 };
	unsigned int here = 0, netns, turn;
	char name[HS_NAME_SIZE];
	int ret = read_name(name, err);

	if (ret || !parse_name(name, &netns, &turn))
		return ret;
	ret = namespace_number(&here, err);
	if (!ret)
		ret = open_pins(fds, name, err);
	if (ret == -ENOENT) {
		policy->by = POLICY_BY_BPF;
		ret = smc_err_say(err, ESTALE,
				  "the policy in force by smc_hs_ctrl cannot be read: "
				  "it was inherited and has been replaced, or there is no " PIN_DIR
				  " here");
	}
	if (!ret) {
		ret = read_rules(policy, fds);
		if (!ret)
			ret = read_nets(policy, fds[NETS]);
		if (!ret)
			ret = read_ports(policy, fds);
		if (ret)
			smc_err_set(err, -ret, "cannot read the policy of %s", name);
		policy->by = POLICY_BY_BPF;
		policy->for_later = netns == here && turn & HS_LATER;
		policy_settle(policy);
	}
	for (enum map map = RULES; map < MAPS; map++)
		if (fds[map] >= 0)
			close(fds[map]);
	return ret;
}
