/* SPDX-License-Identifier: MIT */
/* Facts about a host, all read here before anything is judged. */
#pragma once

#include "host/file.h"
#include "host/probe.h"
#include "net/netdev.h"
#include "net/netns.h"
#include "net/rdma.h"
#include "netlink/genl.h"
#include "process/confined.h"
#include "smc/knob.h"
#include "smc/pnet.h"
#include "smc/sock.h"
#include "smc/stats.h"
#include "smc/gen.h"
#include "smc_chk/doctor/device_choice.h"
#include "smc_chk/doctor/kmodule.h"
#include "smc_chk/smc_chk.h"

#define TRACE_EVENTS "/sys/kernel/tracing/events/smc/enable"

/** struct kernel_facts - what the kernel was built with, and what it lets us do */
struct kernel_facts {
	struct kconfig config;
	const struct distribution *distribution; /* NULL if nothing is known about it */
	struct module_facts smc, smc_diag;
	bool has_smc_dir; /* sysfs has module smc: it is loaded or built in */
	bool is_attached; /* smc_bpf has programs attached */
	bool has_criu;	  /* which saves and restores processes */
	bool is_traced;	  /* trace events of SMC are enabled */
	int mptcp;	  /* number of MPTCP sockets; -errno: unknown */
	bool is_confined; /* AppArmor or SELinux denies this process SMC sockets, @own */
	char own[HOST_PROBE_SIZE];
	int ipproto_error; /* of a socket of IPPROTO_SMC: 0, -errno, -ENODATA if not recorded */
	const char *bpf_missing; /* what smc_run --bpf lacks, NULL for nothing */
	int sockmaps; /* number of maps whose verdict takes input of sockets; -errno: unknown */
	char sockmap[HOST_PROBE_SIZE]; /* name of the first; a newline, the program that fills it */
};

/* ethtool's netlink family came with Linux 5.6, the request for pause frames of all with 5.7. */
#define SMC_ETHTOOL_FAMILY "ethtool"
#define SMC_ETHTOOL_PAUSE_GET 21

/** struct smc_pause - pause frames of one net device */
struct smc_pause {
	char netdev[NETDEV_NAME_SIZE];
	bool is_autoneg;   /* to be negotiated with the other end, so perhaps not in use */
	bool is_rx, is_tx; /* obeys them, sends them */
};

/** smc_pause_decode() - read one answer. Pure. Return: 0; -EBADMSG without device or switches */
int smc_pause_decode(struct smc_pause *pause, const struct nlmsghdr *nlh);

/** struct netdev_facts - one net device, beyond what struct netdev has */
struct netdev_facts {
	bool is_off; /* by its administrator */
	unsigned long disable_ipv6,
		addr_gen_mode;	/* sysctls, if an RDMA port belongs to it; else 0 */
	char bond_slaves[256];	/* of a bond, empty for others */
	struct smc_pause pause; /* zero if its driver reports none, or without @has_pauses */
};

/** struct ism_facts - @fid: function id of IBM Z, 0 for none */
struct ism_facts {
	bool has_driver;
	unsigned long fid;
};

/* Results of the probe of a preload library */
enum { LIBRARY_FITS = 1 << 0, LIBRARY_IS_SETUID = 1 << 1 };

/** struct library_facts - @ret: LIBRARY_* or -errno; @machine: that the file was built for */
struct library_facts {
	int ret;
	char file[HOST_PROBE_SIZE];
	char *machine;
};

/** struct preload_entry - a line of /etc/ld.so.preload that names a library of ours */
struct preload_entry {
	char path[256];
	bool is_absent;
};

#define FACTS_FOREIGN_MAX 8
#define FACTS_PRELOAD_MAX 16

/** struct shim_facts - the preload libraries */
struct shim_facts {
	struct library_facts own, narrow;    /* for this machine, and for its 32-bit programs */
	bool has_narrow_loader;		     /* else nothing is known of @narrow */
	char foreign[FACTS_FOREIGN_MAX][64]; /* of another implementation under the older name */
	size_t n_foreign;
	struct preload_entry preloads[FACTS_PRELOAD_MAX];
	size_t n_preloads;
	int n_learned; /* number of destinations that they leave to TCP */
};

#define FACTS_SERVICES_MAX 16

/** struct service_facts - a service that smc_unit has enabled; @why: with @is_denied */
struct service_facts {
	char unit[UNIT_NAME_SIZE], why[HOST_PROBE_SIZE];
	bool is_denied, is_bpf;
};

#define FACTS_KNOBS (SMC_KNOBS + 7)
#define FACTS_KNOB_SIZE 256

/** struct doctor_facts - all facts; has_*: this part was obtained */
struct doctor_facts {
	char sys[SYSFS_ROOT_SIZE];     /* root of sysfs */
	int sysfs;		       /* descriptor that it needs, or -1 */
	char release[HOST_PROBE_SIZE]; /* of the kernel, "6.12.107+deb13-amd64" */
	char host[HOST_PROBE_SIZE];    /* its name, "" if not recorded */
	char when[HOST_PROBE_SIZE];    /* date: now, or of the record; "" if unknown */
	char boot[40];		       /* boot id, the same in all containers; "" if unknown */
	unsigned int version[3];       /* the numbers in @release, 0 for what has none */
	int socket_error;	       /* errno of the kernel for a socket of AF_SMC */
	bool has_filter;       /* a system call filter, which may be the cause of socket_error */
	struct smc_genl *genl; /* SMC_GEN_NETLINK, NULL without @has_genl: kernel 5.11 */
	struct netdev_table netdevs;
	struct rdma_table rdma;
	struct smc_pnet_table pnet;
	struct smc_sysinfo info;
	bool serves_both; /* an SMC socket listens on ::, which may include IPv4 */
	bool has_smc;	  /* SMC_GEN_NETLINK answers; otherwise its parts are empty */
	bool has_genl, has_pnet, has_info, has_diag, has_pauses;
	struct smc_err unread; /* the first netlink request that failed without a known reason */
	bool is_limited;       /* handshake limitation is on */
	bool is_inner; /* not the initial network namespace, which alone knows loopback's PNET ID */
	bool is_foreign_sysfs; /* @sys shows another network namespace */
	bool has_stats;	       /* @stats: since the kernel counts, from 5.14 on */
	struct smc_stats stats;
	struct choices choices;	   /* what SMC would use for each net device */
	struct netdev_facts *nets; /* for each of @netdevs */
	struct ism_facts *isms;	   /* for each ISM device in @rdma */
	int *n_ports;		 /* of each RDMA device, of which @rdma has two; -1 when unknown */
	struct host_names slots; /* function ids of slots without power, on IBM Z */
	struct kernel_facts kernel;
	struct shim_facts shim;
	unsigned long long page_size;
	char buddies[256]; /* the first line of /proc/buddyinfo, at least */
	struct service_facts
		services[FACTS_SERVICES_MAX]; /* if it is known whether SMC is denied */
	size_t n_services;
	char knobs[FACTS_KNOBS][FACTS_KNOB_SIZE]; /* of knob_text(), empty when not there */
};

/**
 * facts_load() - load the facts that -s needs: kernel, devices, and what SMC would use
 *
 * They describe the network namespace of this process. Free them with facts_free() in any case.
 */
int facts_load(struct doctor_facts *facts, const struct chk_request *req, struct smc_err *err);

void facts_free(struct doctor_facts *facts);

/** facts_load_rest() - load the facts that only the checks need */
void facts_load_rest(struct doctor_facts *facts);

/** facts_load_host() - load a part of them: kernel, preload libraries, memory, knobs */
void facts_load_host(struct doctor_facts *facts);

/** facts_probe_uname() - for host_probe(): the text at a size_t @place of struct utsname */
int facts_probe_uname(void *place, char text[HOST_PROBE_SIZE]);

/**
 * facts_probe_sockmaps() - for host_probe(): maps of sockets whose input goes through a verdict
 * @text: name of a map, if possible one to which a sock_ops program can add each socket of its
 *	groups; then a newline and that program
 *
 * Needs Linux 5.17 and capabilities of the first user namespace.
 * Return: their number; -EPERM; -errno of bpf(2).
 */
int facts_probe_sockmaps(void *arg, char text[HOST_PROBE_SIZE]);

/** facts_is_before() - true if the kernel is older. It may have fixes of later versions */
bool facts_is_before(const struct doctor_facts *facts, unsigned int major, unsigned int minor);

/** facts_of_net() - get the facts of a net device in @facts->netdevs */
const struct netdev_facts *facts_of_net(const struct doctor_facts *facts, const struct netdev *net);

/** knob_text() - a file below /proc/sys, "net.smc.rmem". Return: its text, NULL if not there */
const char *knob_text(const struct doctor_facts *facts, const char *name);

/** knob_number() - the same as a number. Return: false, leaving @value, if there is none */
bool knob_number(long long *value, const struct doctor_facts *facts, const char *name);
