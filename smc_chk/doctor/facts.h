/* SPDX-License-Identifier: MIT */
/* What the doctor knows of a host: all of it is read here, before anything is judged. */
#pragma once

#include "host/file.h"
#include "host/probe.h"
#include "net/netdev.h"
#include "net/netns.h"
#include "net/rdma.h"
#include "netlink/genl.h"
#include "settings/policy.h"
#include "smc/pnet.h"
#include "smc/sock.h"
#include "smc/stats.h"
#include "smc/gen.h"
#include "smc_chk/doctor/choice.h"
#include "smc_chk/doctor/kconfig.h"
#include "smc_chk/doctor/modprobe.h"
#include "smc_chk/doctor/pause.h"
#include "smc_chk/smc_chk.h"

/**
 * struct module_facts - one module
 * @alias: by which the kernel asks for it
 * @how: the kernel has it
 * @is_blocked: it would not be loaded; @block says why
 */
struct module_facts {
	const char *name, *alias;
	enum kmodule how;
	bool is_blocked;
	struct modprobe_block block;
};

/**
 * struct kernel_facts - what the kernel was built with, and what it lets us do
 * @has_smc_dir: module smc is loaded or built in, says sysfs
 * @ipproto_error: of a socket of IPPROTO_SMC: 0, -errno, -ENODATA when it was not recorded
 * @bpf_missing: what smc_run --bpf lacks, NULL for nothing
 * @is_attached: smc_bpf has programs attached
 * @lockdown: the mode, empty when unknown
 */
struct kernel_facts {
	struct kconfig config;
	struct module_facts smc, smc_diag;
	bool has_smc_dir, is_attached;
	int ipproto_error;
	const char *bpf_missing;
	char lockdown[64];
};

/**
 * struct netdev_facts - one net device, beyond what struct netdev has
 * @is_off: switched off by its administrator
 * @disable_ipv6, @addr_gen_mode: its sysctls, of those that RDMA ports belong to; else 0
 * @bond_slaves: of a bond, empty for others
 * @pause: all zero when its driver reports no pause frames, or without @has_pauses
 */
struct netdev_facts {
	bool is_off;
	unsigned long disable_ipv6, addr_gen_mode;
	char bond_slaves[256];
	struct smc_pause pause;
};

/** struct ism_facts - @fid: function id of IBM Z, 0 for none */
struct ism_facts {
	bool has_driver;
	unsigned long fid;
};

/* What the probe of a preload library answers. */
enum {
	LIBRARY_FITS = 1 << 0,
	LIBRARY_IS_SETUID = 1 << 1,
};

/** struct library_facts - @ret: LIBRARY_* or -errno; @file; @machine: that it was built for */
struct library_facts {
	int ret;
	char file[HOST_PROBE_SIZE];
	char *machine;
};

#define FACTS_FOREIGN_MAX 8
#define FACTS_PRELOAD_MAX 16

/** struct preload_entry - a line of /etc/ld.so.preload that names a library of ours */
struct preload_entry {
	char path[256];
	bool is_absent;
};

/**
 * struct shim_facts - the preload libraries
 * @own, @narrow: for this machine and, with @has_narrow_loader, for its 32-bit programs
 * @executes_narrow: the kernel takes these
 * @foreign: libraries of another implementation under the older name
 */
struct shim_facts {
	struct library_facts own, narrow;
	bool has_narrow_loader, executes_narrow;
	char foreign[FACTS_FOREIGN_MAX][64];
	size_t n_foreign;
	struct preload_entry preloads[FACTS_PRELOAD_MAX];
	size_t n_preloads;
};

/* A line for each zone of each NUMA node. */
#define FACTS_BUDDY_SIZE 16384

/** struct memory_facts - @buddies: text of /proc/buddyinfo; @memlock: the limit in words */
struct memory_facts {
	unsigned long long page_size;
	char buddies[FACTS_BUDDY_SIZE];
	char memlock[HOST_PROBE_SIZE];
};

/**
 * struct exposure_facts - who may speak SMC to this host
 * @listeners: sockets of SMC that listen, with a known address
 * @n_hidden: those of which the kernel does not tell it, nor their process
 * @policy: in force in this network namespace, with @has_policy; else @why_not, empty of a host
 *	that was recorded without it. Its counters are in @denied and @learned
 */
struct exposure_facts {
	struct smc_sock *listeners;
	size_t n_listeners, size, n_hidden;
	struct policy policy;
	uint64_t denied, learned;
	bool has_policy;
	struct smc_err why_not;
};

#define SIZE_TEXT 32

/** size_text() - "64 KiB", "4 MiB"; what is not a multiple of 1 KiB in bytes. Return: @text */
const char *size_text(char text[SIZE_TEXT], unsigned long long bytes);

#define FACTS_KNOBS 20
#define FACTS_KNOB_SIZE 256

/**
 * struct doctor_facts - all of them
 * @sys: root of sysfs
 * @release: of the kernel, "6.12.107+deb13-amd64"; @version: the numbers in it, 0 for what has none
 * @boot: its boot id, which all network namespaces and containers on it have; empty if unknown
 * @socket_error: 0, or the errno with which the kernel refused a socket of AF_SMC
 * @has_smc: the kernel has SMC now. Without it the parts that it answers are empty
 * @genl: open socket of SMC_GEN_NETLINK, NULL without @has_genl
 * @has_genl: kernel 5.11
 * @has_*: whether the part was obtained
 * @unread: the first answer of netlink that is missing though the kernel has it; code 0 for none
 * @is_limited: handshake limitation is on
 * @is_inner: of a network namespace that is not the kernel's first one: only there one sees what
 *	PNET ID loopback has
 * @stats: since the kernel counts, from 5.14 on
 * @choices: what SMC would use for each net device
 * @nets, @isms: for each of @netdevs and of the ISM devices in @rdma
 * @n_ports: for each RDMA device how many ports it has, of which @rdma has two; -1 when unknown
 * @slots: names of those of PCI functions of IBM Z without power
 * @is_foreign_sysfs: @sys shows another network namespace
 * @knobs: text of each file that knob_text() knows, empty when it is not there
 */
struct doctor_facts {
	char sys[SYSFS_ROOT_SIZE];
	char release[128], boot[40];
	unsigned int version[3];
	int socket_error;
	struct smc_genl *genl;
	struct netdev_table netdevs;
	struct rdma_table rdma;
	struct smc_pnet_table pnet;
	struct smc_sysinfo info;
	bool has_smc, has_genl, has_pnet, has_info, has_diag, has_pauses;
	struct smc_err unread;
	bool is_limited, is_inner, is_foreign_sysfs, has_stats;
	struct smc_stats stats;
	struct choices choices;
	struct netdev_facts *nets;
	struct ism_facts *isms;
	int *n_ports;
	struct host_names slots;
	struct kernel_facts kernel;
	struct shim_facts shim;
	struct memory_facts memory;
	struct exposure_facts exposure;
	char knobs[FACTS_KNOBS][FACTS_KNOB_SIZE];
};

/** typedef facts_fn - what is done with the facts. Return: chk_status; -errno with @err */
typedef int (*facts_fn)(struct doctor_facts *facts, const struct chk_request *req,
			struct smc_err *err);

/**
 * facts_use() - load the kernel, the devices, and what SMC would use, which is enough for -s
 *
 * They are of the network namespace that this process is in, and gone when @fn has returned.
 *
 * Return: chk_status of @fn, or of an error that was printed.
 */
int facts_use(const struct chk_request *req, facts_fn fn);

/** facts_with() - the same, printing nothing. Return: what @fn returns; -errno with @err */
int facts_with(const struct chk_request *req, facts_fn fn, struct smc_err *err);

/** facts_load_rest() - all that only the checks ask for */
void facts_load_rest(struct doctor_facts *facts);

/** facts_load_exposure() - of these who may speak SMC to this host */
void facts_load_exposure(struct doctor_facts *facts);

/** facts_load_host() - of these kernel, preload libraries, memory, knobs */
void facts_load_host(struct doctor_facts *facts);

/** facts_is_before() - is the kernel older? What distributions port back, numbers do not tell */
bool facts_is_before(const struct doctor_facts *facts, unsigned int major, unsigned int minor);

/** facts_of_net() - of one of @facts->netdevs */
const struct netdev_facts *facts_of_net(const struct doctor_facts *facts, const struct netdev *net);

/** knob_text() - a file below /proc/sys, "net.smc.rmem". Return: its text, NULL if not there */
const char *knob_text(const struct doctor_facts *facts, const char *name);

/** knob_number() - the same as a number. Return: false, leaving @value, if there is none */
bool knob_number(long long *value, const struct doctor_facts *facts, const char *name);
