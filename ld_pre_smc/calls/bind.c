// SPDX-License-Identifier: MIT
/*
 * bind(2), with the behaviour of a TCP socket.
 *
 * A socket that gets a port is going to listen: the rules decide now, because the port may need
 * rights that the program then drops. If SMC refuses an address of an interface, or the interface
 * is in a VRF, a TCP socket is bound.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/sandbox.h"
#include "process/sockopt_numbers.h"

/* True for a VRF, the only kind with both flags, and for members of a VRF, bridge or bond. */
static bool is_in_vrf(int fd)
{
	const int both = IFF_MASTER | IFF_NOARP;
	struct ifreq request = { 0 };
	struct log_line path = { 0 };
	socklen_t len = sizeof(request.ifr_name);
	struct stat master;

	if (next_getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, request.ifr_name, &len) || !len)
		return false;
	log_format(&path, "/sys/class/net/%s/master", request.ifr_name);
	return !shim_stat(AT_FDCWD, path.text, &master) ||
	       (!next_ioctl(fd, SIOCGIFFLAGS, &request) && (request.ifr_flags & both) == both);
}

/* SMC passes the interface to its TCP socket only at listen(): in a VRF, the kernel warns then. */
static bool replace_for_device(struct shim_fd *fd)
{
	struct shim_config own;

	if (shim_config_get(&own)->strict ||
	    shim_int_option(fd->number, SOL_SOCKET, SO_BINDTOIFINDEX) <= 0 || !shim_fd_is_smc(fd) ||
	    !shim_may_replace(fd->number) || !shim_mends(fd->number, REPAIR_DEVICE) ||
	    shim_replace(fd, KIND_TCP, "SO_BINDTODEVICE and bind()"))
		return false;
	shim_fd_lose(fd, FD_OWN);
	return true;
}

/**
 * bind() - bind(2), with rules for ports, and addresses of an interface
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int bind(int number, const struct sockaddr *addr, socklen_t len)
{
	struct shim_fd fd = shim_fd_enter(number);
	int saved = errno, ret, err;

	shim_fd_lose(&fd, FD_PLAIN);
	shim_choose_listen(&fd, addr, len);
	if (shim_has_device && !shim_in_sandbox && shim_repairs() && is_in_vrf(number))
		replace_for_device(&fd);
	ret = next_bind(number, addr, len);
	err = errno;
	if (ret && (err == EADDRINUSE || err == EADDRNOTAVAIL) && shim_repairs() &&
	    replace_for_device(&fd))
		ret = next_bind(number, addr, len);
	errno = ret ? err : saved;
	return ret;
}
