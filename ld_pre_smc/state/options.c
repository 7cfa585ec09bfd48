// SPDX-License-Identifier: MIT
/* Options that this process has ever set by setsockopt(2), fcntl(2) and ioctl(2). */
#include "ld_pre_smc/state/options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>

#include "process/sockopt_numbers.h"

#define NAMES 128

static atomic_bool noted[4][NAMES];

bool shim_has_device, shim_has_owners, shim_has_protection;

static atomic_bool *level_of(int level)
{
	switch (level) {
	case SOL_SOCKET: return noted[0];
	case IPPROTO_TCP: return noted[1];
	case IPPROTO_IP: return noted[2];
	case IPPROTO_IPV6: return noted[3];
	default: return NULL;
	}
}

int shim_option_name(int level, int name)
{
	if (level != SOL_SOCKET)
		return name;
	switch (name) {
	case SO_BINDTODEVICE: return SO_BINDTOIFINDEX;
	case SO_RCVTIMEO_NEW: return SO_RCVTIMEO;
	case SO_SNDTIMEO_NEW: return SO_SNDTIMEO;
	case SO_TIMESTAMP_NEW: return SO_TIMESTAMP;
	case SO_TIMESTAMPNS_NEW: return SO_TIMESTAMPNS;
	case SO_TIMESTAMPING_NEW: return SO_TIMESTAMPING;
	default: return name;
	}
}

void shim_option_note(int level, int name)
{
	atomic_bool *names = level_of(level);

	if (names && (unsigned int)name < NAMES)
		atomic_store_explicit(&names[name], true, memory_order_relaxed);
}

static bool needs_rights(int level, int name)
{
	if (level == SOL_SOCKET)
		return name == SO_MARK || name == SO_PRIORITY || name == SO_BINDTOIFINDEX;
	return (level == IPPROTO_IP && name == IP_TRANSPARENT) ||
	       (level == IPPROTO_IPV6 && name == IPV6_TRANSPARENT);
}

bool shim_option_was_set(int level, int name)
{
	atomic_bool *names = level_of(level);

	return names && (unsigned int)name < NAMES &&
	       (atomic_load_explicit(&names[name], memory_order_relaxed) ||
		needs_rights(level, name));
}
