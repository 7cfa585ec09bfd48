// SPDX-License-Identifier: MIT
/* ld_pre_smc, sockopt, replace_socket, buffers, listen, choice: sockets before they connect. */
#include "fake_below.h"

#include <sys/param.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "process/sockopt_numbers.h"

/* The option that set_current() sets: level, and name. */
static int current[2];

static const struct shim_sock smc = { .kind = KIND_AF_SMC, .family = AF_INET };

/* The socket @number, which the kernel was asked about. */
static struct shim_fd *known(int number, struct shim_sock sock)
{
	static struct shim_fd fd;

	fd = shim_fd_enter(number);
	fd.sock = sock;
	return &fd;
}

static int set_bytes(int level, int name, const void *value, socklen_t len)
{
	int ret = setsockopt(5, level, name, value, len);

	fake_forgive();
	return ret;
}

static int set_int(int level, int name, int value)
{
	return setsockopt(5, level, name, &value, sizeof(value));
}

static void debug_to_stderr(void)
{
	fake_socket(2, 0, 0)->is_socket = false;
	fake.config.debug = fake.config.err_open = true;
	fake.config.err.st_dev = 1;
	fake.config.err.st_ino = fake.fds[2].ino;
}

/* ---- calls that may replace the socket ---- */

static int connect6_to(int port)
{
	return call_at(connect, AF_INET6, port, sizeof(struct sockaddr_in6));
}

static int bind_to(int port)
{
	return call_at(bind, AF_INET, port, sizeof(struct sockaddr_in));
}

static int bind_short(int port)
{
	return call_at(bind, AF_INET, port, 8);
}

static int listen_with(int backlog)
{
	return listen(5, backlog);
}

static int set_socket(int name)
{
	return set_int(SOL_SOCKET, name, 2);
}

static int set_tcp(int name)
{
	return set_int(IPPROTO_TCP, name, 2);
}

static int ask(int request)
{
	return ioctl(5, (unsigned long)request, NULL);
}

static int replace_it(int kind)
{
	return shim_replace(known(5, smc), (enum shim_kind)kind, "test") ? -1 : 0;
}

static int replace_unbound(int kind)
{
	return shim_replace_unbound(known(5, smc), (enum shim_kind)kind, "test") ? -1 : 0;
}

static int replace_by_rule(int kind)
{
	return shim_replace(known(5, smc), KIND_TCP, "test") ? -1 : 0;
}

/* Ports that stay on TCP. */
static void use_rules(const char *exclude)
{
	const char *bad;

	fake.rules = (struct rules){ 0 };
	assert_int_equal(rules_parse(&fake.rules, true, exclude, &bad), 0);
	fake.config.has_rules = true;
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
}

/* A socket of socket() with number 5. */
static int new_socket(void)
{
	int ret;

	fake_shut(5);
	fake.first = 5;
	ret = socket(AF_INET, SOCK_STREAM, 0);
	fake.first = 9;
	return ret;
}

/* Make the last connections one kind, as many as are remembered; then open a new socket. */
static void connect_often(int port)
{
	for (int i = 0; i < 9; i++) {
		new_socket();
		connect_to(port);
	}
	new_socket();
}

/* Before other tests. socket() opens the kind that most recent connections needed. */
TEST(most_connections_decide)
{
	int n = 0;

	use_rules("80,listen:90");
	/* The first connection of the process decides, for the second socket() after it. */
	for (new_socket(); !shim_fd_is_tcp(5); new_socket(), n++)
		makes_tcp(connect_to(80));
	assert_int_equal(n, 2);
	for (int i = 0; i < 3; i++) {
		comes_to(new_socket(), 5, 0);
		is_tcp(5);
		only_call();
		comes_to(connect_to(80), 0, 0);
		only_call();
		comes_to(close(5), 0, 0);
		only_call();
		assert_false(shim_fd_is_tcp(5));
	}
	/* Later, it takes six connections of the other kind. */
	connect_to(81);
	connect_often(80);
	for (n = 0; shim_fd_is_tcp(5); new_socket(), n++)
		connect_to(81);
	assert_int_equal(n, 6);
	connect_often(81);
	for (n = 0; !shim_fd_is_tcp(5); new_socket(), n++)
		connect_to(80);
	assert_int_equal(n, 7);
}

enum { TCP = IPPROTO_TCP, INUSE = EADDRINUSE };
enum { RULES = 1, STRICT = 2, RAW = 4, LOCKED = 8, OWN = 16 };

/*
 * A call with an AF_SMC socket of that protocol, or a TCP socket.
 * Before: @on: settings, OWN if no other process has it; @state: of TCP, 0 for TCP_CLOSE; @family,
 *	@port: its address; @device: it is bound to it, and it is ELSEWHERE, a VRF or MASTERED
 * The kernel: @smc: errno of an option or ioctl() of that socket; @fails: call that fails @times
 *	times with errno @with
 * Afterwards: errno @err, protocol @is, what was bound and listens; @says: a debug line
 */
struct deed {
	const char *what;
	int (*call)(int arg), arg;
	int on, protocol, state, family, port, device, smc;
	const char *fails;
	int with, times, err, is, bound, backlog;
	const char *says;
	enum { UNKNOWN, ELSEWHERE, A_VRF, MASTERED } vrf;
};

static void start_deed(const struct deed *deed, int first)
{
	int domain = deed->protocol == IPPROTO_TCP ? AF_INET : AF_SMC;

	fake_setup(NULL);
	debug_to_stderr();
	fake.first = first;
	fake_socket(5, domain, deed->protocol)->state = deed->state ? deed->state : TCP_CLOSE;
	fake.fds[5].name.sin_family = (sa_family_t)(deed->family ? deed->family : AF_INET);
	fake.fds[5].name.sin_port = htons((uint16_t)deed->port);
	if (deed->protocol != IPPROTO_TCP)
		shim_fd_mark_socket(5);
	if (deed->on & OWN && domain == AF_SMC)
		shim_fd_mark_plain(5);
	else if (deed->on & OWN)
		shim_fd_new(5, FD_OWN);
	if (deed->port && deed->on & OWN)
		shim_fd_drop(FD_PLAIN, 5);
	if (deed->on & RULES)
		use_rules("80,listen:90");
	fake_int(FAKE_ANY, current[0], current[1], 0);
	fake_int(FAKE_ANY, SOL_SOCKET, SO_BINDTOIFINDEX, 0);
	if (deed->device)
		fake_int(5, SOL_SOCKET, SO_BINDTOIFINDEX, deed->device);
	shim_has_device = deed->vrf;
	fake_option(FAKE_ANY, SOL_SOCKET, SO_BINDTODEVICE, "red", deed->vrf ? 4 : 0);
	fake.device_flags = deed->vrf == A_VRF ? IFF_UP | IFF_MASTER | IFF_NOARP : IFF_NOARP;
	fake.files[0].path = "/sys/class/net/red/master";
	fake.files[0].text = deed->vrf == MASTERED ? "7" : NULL;
	fake.config.strict = deed->on & STRICT;
	fake.config.raw = deed->on & RAW;
	shim_is_locked = deed->on & LOCKED;
	fake_fails(deed->fails ? deed->fails : "", deed->with, deed->times);
	fake_fails("setsockopt 5", deed->smc, deed->smc ? 99 : 0);
	fake_fails("ioctl 5", deed->smc, deed->smc ? 99 : 0);
}

/* The new socket has number 9, or 0: in a program without standard input. */
static void do_deed(const struct deed *deed, int first)
{
	const struct fake_fd *file = &fake.fds[5];
	char want[128];
	int ret, err;

	start_deed(deed, first);
	snprintf(want, sizeof(want), "%s: %d, errno %d, protocol %d, port %d, backlog %d",
		 deed->what, deed->err ? -1 : 0, deed->err, deed->is, deed->bound, deed->backlog);
	fake_begin();
	ret = deed->call(deed->arg);
	err = ret || errno != ERRNO_BEFORE ? errno : 0;
	shim_is_locked = false;
	assert_printed(want, "%s: %d, errno %d, protocol %d, port %d, backlog %d", deed->what, ret,
		       err, file->protocol, file->is_bound ? file->port : 0, file->backlog);
	fake_end(-1);
	options_kept(5);
	if (deed->says)
		assert_like(fake.said, deed->says);
	if (ret && deed->is == deed->protocol)
		unchanged();
	/* More calls than its own may be fatal for a program with a filter. */
	assert_true(!(deed->on & LOCKED) || fake.calls + fake.queries <= 1);
	if (deed->protocol == 1)
		assert_int_equal(fake.fds[first].domain, AF_INET6);
	if (file->connects)
		assert_int_equal(file->connects, 1);
	if (deed->on & RULES)
		assert_int_equal(shim_fd_is_marked(5), deed->is != IPPROTO_TCP);
}

/* clang-format off */
static const struct deed deeds[] = {
	/* Rules: 80,listen:90 stay on TCP. */
	{ "no rules", connect_to, 80 },
	{ "a port for SMC", connect_to, 81, RULES },
	{ "a port for TCP", connect_to, 80, RULES, .is = TCP,
	  .says = "fd 5: rules for connecting -> TCP\n" },
	{ "of IPv6", connect6_to, 80, RULES, 1, .is = TCP },
	{ "with SMC_STRICT", connect_to, 80, RULES | STRICT, .is = TCP },
	{ "in use", connect_to, 80, RULES, .state = TCP_ESTABLISHED },
	{ "no descriptor left", connect_to, 80, RULES, .fails = "socket", EMFILE, 1 },
	{ "a locked program", connect_to, 80, RULES | LOCKED },
	{ "bind to a port for SMC", bind_to, 80, RULES, .bound = 80 },
	{ "to any port", bind_to, 0, RULES },
	{ "to a part of an address", bind_short, 90, RULES, .err = EINVAL },
	{ "to a port for TCP", bind_to, 90, RULES, .is = TCP, .bound = 90 },
	{ "listen at any port", listen_with, 3, RULES, .backlog = 3 },
	{ "at an unknown port", listen_with, 3, RULES, .port = 90, .fails = "getsockname", EIO, 1,
	  .backlog = 3 },
	{ "at a port for TCP", listen_with, 3, RULES, .port = 90, .is = TCP, .bound = 90,
	  .backlog = 3, .says = "fd 5: rules for listening -> TCP\n" },
	{ "a locked program", listen_with, 3, RULES | LOCKED, .port = 90, .backlog = 3 },
	/* socket() opened a TCP socket first. */
	{ "no rules", connect_to, 80, OWN, TCP, .says = "fd 5: no reason for TCP -> AF_SMC\n" },
	{ "a port for SMC", connect_to, 81, RULES | OWN, TCP },
	{ "a port for TCP", connect_to, 80, RULES | OWN, TCP, .is = TCP },
	{ "with SMC_STRICT", connect_to, 80, RULES | OWN | STRICT, TCP, .is = TCP },
	{ "in use", connect_to, 81, RULES | OWN, TCP, .state = TCP_ESTABLISHED, .is = TCP },
	{ "of another process", connect_to, 81, RULES, TCP, .is = TCP },
	{ "an option that SMC lacks", connect_to, 81, RULES | OWN, TCP, .device = 7,
	  .fails = "setsockopt", EOPNOTSUPP, 1, .is = TCP },
	{ "no SMC", connect_to, 81, RULES | OWN, TCP, .fails = "socket", EPROTONOSUPPORT, 1,
	  .is = TCP },
	{ "a locked program", connect_to, 81, RULES | OWN | LOCKED, TCP, .is = TCP },
	{ "bind to a port for SMC", bind_to, 91, RULES | OWN, TCP, .bound = 91 },
	{ "to a port for TCP", bind_to, 90, RULES | OWN, TCP, .is = TCP, .bound = 90 },
	{ "to any port", bind_to, 0, RULES | OWN, TCP, .is = TCP },
	{ "listen at a port for SMC", listen_with, 3, OWN, TCP, .port = 91, .bound = 91,
	  .backlog = 3 },
	{ "at a port for TCP", listen_with, 3, RULES | OWN, TCP, .port = 90, .is = TCP,
	  .backlog = 3 },
	/* A port may be on several devices. */
	{ "a free port", bind_to, 80, .device = 3, .bound = 80 },
	{ "a port in use", bind_to, 80, .fails = "bind", INUSE, 1, INUSE },
	{ "on no device", bind_to, 80, .device = -1, .fails = "bind", INUSE, 1, INUSE },
	{ "on another device", bind_to, 80, .device = 3, .fails = "bind", INUSE, 1, .is = TCP,
	  .bound = 80 },
	{ "an address of the device", bind_to, 80, .device = 3, .fails = "bind", EADDRNOTAVAIL, 1,
	  .is = TCP, .bound = 80 },
	{ "on this device", bind_to, 80, .device = 3, .fails = "bind", INUSE, 2, INUSE, .is = TCP },
	{ "no right", bind_to, 80, .device = 3, .fails = "bind", EACCES, 1, EACCES },
	{ "a listener", bind_to, 80, .device = 3, .state = TCP_LISTEN, .fails = "bind", INUSE, 1,
	  INUSE },
	{ "raw", bind_to, 80, RAW, .device = 3, .fails = "bind", INUSE, 1, INUSE },
	{ "in a VRF", bind_to, 80, .device = 3, .vrf = A_VRF, .is = TCP,
	  .bound = 80, .says = "fd 5: device\nfd 5: SO_BINDTODEVICE and bind() -> TCP\n" },
	{ "of its device", bind_to, 80, .device = 3, .vrf = MASTERED,
	  .is = TCP, .bound = 80 },
	{ "elsewhere", bind_to, 80, .device = 3, .vrf = ELSEWHERE, .bound = 80 },
	{ "on no device", bind_to, 80, .device = -1, .vrf = A_VRF,
	  .bound = 80 },
	{ "with SMC_STRICT", bind_to, 80, STRICT, .device = 3, .vrf = A_VRF,
	  .bound = 80 },
	{ "raw", bind_to, 80, RAW, .device = 3, .vrf = A_VRF, .bound = 80 },
	/* Options of sockets. */
	{ "an option that is lost", set_socket, SO_RCVLOWAT, .is = TCP },
	{ "of one to come", set_socket, SO_RCVLOWAT, .state = TCP_SYN_SENT },
	{ "with SMC_STRICT", set_socket, SO_RCVLOWAT, STRICT },
	{ "no descriptor left", set_socket, SO_PEEK_OFF, .smc = EOPNOTSUPP, .fails = "socket",
	  EMFILE, 9, EOPNOTSUPP },
	{ "dup3() fails", set_socket, SO_PEEK_OFF, .fails = "dup3", EBUSY, 1, EBUSY },
	{ "no TCP socket to ask", set_tcp, TCP_FASTOPEN, .smc = EIO, .fails = "socket", EMFILE, 1 },
	{ "so does IPPROTO_SMC", set_socket, SO_REUSEPORT, 0, 256, .smc = EOPNOTSUPP, .is = TCP },
	{ "on a new socket", set_socket, SO_REUSEPORT, .smc = EOPNOTSUPP, .fails = "setsockopt",
	  EOPNOTSUPP, 1, .is = TCP },
	{ "there is none", set_socket, SO_REUSEPORT, .smc = EOPNOTSUPP, .fails = "socket",
	  EPROTONOSUPPORT, 1, .is = TCP },
	/* Options that SMC has, or refuses. */
	{ "SMC refuses it", set_socket, SO_REUSEPORT, .smc = EOPNOTSUPP, .is = 256,
	  .says = "fd 5: reuseport -> IPPROTO_SMC\n" },
	{ "SMC refuses it", set_socket, SO_PRIORITY, .smc = EOPNOTSUPP, .is = TCP,
	  .says = "fd 5: options -> TCP\n" },
	{ "programs do without", set_socket, SO_ZEROCOPY, .smc = EOPNOTSUPP, .err = EOPNOTSUPP },
	{ "another level", set_tcp, TCP_NODELAY, .smc = EOPNOTSUPP, .err = EOPNOTSUPP },
	{ "no socket", set_tcp, TCP_NODELAY, .smc = EFAULT, .fails = "socket", EMFILE, 9, EFAULT },
	/* Options that protect. */
	{ "a key", set_tcp, TCP_MD5SIG, OWN, .is = TCP },
	{ "of one to come", set_tcp, TCP_MD5SIG, OWN, .state = TCP_SYN_SENT, .err = ENOPROTOOPT },
	{ "a key of TCP-AO", set_tcp, 38, OWN, .state = TCP_ESTABLISHED, .err = EISCONN },
	{ "the kernel has none", set_tcp, 38, OWN, .state = TCP_ESTABLISHED,
	  .fails = "setsockopt", ENOPROTOOPT, 1, ENOPROTOOPT },
	{ "another process may have it", set_tcp, TCP_MD5SIG, .err = ENOPROTOOPT },
	{ "no descriptor", set_tcp, TCP_MD5SIG, OWN, .fails = "socket", EMFILE, 1, ENOPROTOOPT },
	{ "with SMC_STRICT", set_tcp, TCP_MD5SIG, STRICT | OWN, .err = ENOPROTOOPT },
	{ "a locked program", set_tcp, TCP_MD5SIG, LOCKED | OWN, .err = ENOPROTOOPT },
	{ "its address is taken", set_tcp, TCP_MD5SIG, OWN, .state = TCP_LISTEN, .port = 179,
	  .fails = "bind", INUSE, 1, INUSE, TCP },
	{ "another listens there", set_tcp, TCP_MD5SIG, OWN, .state = TCP_LISTEN, .port = 179,
	  .fails = "listen", INUSE, 1, INUSE, TCP, .bound = 179 },
	/* Requests about the network. */
	{ "TCP answers", ask, 0x8915, .smc = ENOTTY },
	{ "for IPv6", ask, 0x8915, 0, 1, .smc = ENOTTY, .is = 1 },
	{ "so does its refusal", ask, 0x8915, .smc = ENOTTY, .fails = "ioctl", EADDRNOTAVAIL, 1,
	  EADDRNOTAVAIL },
	{ "no descriptor left", ask, 0x8915, .smc = ENOTTY, .fails = "socket", EMFILE, 1, ENOTTY },
	{ "raw", ask, 0x8915, RAW, .smc = ENOTTY, .err = ENOTTY },
	/* Each way to replace a socket. */
	{ "to IPv6", replace_it, KIND_TCP, .family = AF_INET6, .port = 80, .is = TCP, .bound = 80 },
	{ "no address", replace_it, KIND_TCP, .port = 80, .fails = "getsockname", ENOBUFS, 1,
	  .is = TCP },
	{ "not again", replace_unbound, KIND_TCP, .port = 80, .is = TCP },
	{ "address in use", replace_it, KIND_TCP, .port = 80, .fails = "bind", INUSE, 1, INUSE,
	  TCP },
	{ "dup3() fails", replace_unbound, KIND_INET, .fails = "dup3", EBADF, 1, EBADF },
	{ "no memory", replace_by_rule, 0, .fails = "socket", ENOMEM, 1, ENOMEM },
	{ "except by a rule", replace_by_rule, 0, STRICT, .is = TCP },
};
/* clang-format on */

TEST(calls_that_may_replace_the_socket)
{
	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++) {
		do_deed(&deeds[i], 9);
		do_deed(&deeds[i], 0);
	}
}

enum effect { WORKS, NEEDS_TCP, PROTECTS, IGNORED, UNDONE, ANSWERS };

static int set_current(int value)
{
	return set_int(current[0], current[1], value);
}

static void check_option(const struct deed *deed, int now)
{
	do_deed(deed, 9);
	assert_int_equal(MAX(option_of(5, current[0], current[1]), 0), now);
	do_deed(deed, 0);
	/* Rules do not make it an SMC socket again. */
	shim_fd_clear(FD_SMC, 5);
	assert_false(deed->is == TCP && shim_fd_is_tcp(5));
}

/* Check an option that is set, switched off, and refused by one of the sockets. */
static void check_effect(enum effect effect, const int option[2], const char *says)
{
	bool is_tcp = effect == NEEDS_TCP || effect == PROTECTS, is_ignored = effect == IGNORED;
	struct deed set = { "set", set_current, 2, OWN, .says = says };
	struct deed off = { "off", set_current, 0, OWN, .smc = is_ignored ? EIO : 0 };
	struct deed refused = { "refused", set_current, 2, OWN, .err = EPERM };

	memcpy(current, option, sizeof(current));
	set.is = is_tcp ? TCP : 0;
	set.err = effect == ANSWERS ? ENOPROTOOPT : 0;
	set.smc = is_ignored ? EIO : 0;
	refused.smc = is_tcp ? 0 : EPERM;
	refused.fails = is_tcp || is_ignored ? "setsockopt" : NULL;
	refused.with = EPERM;
	refused.times = 1;
	check_option(&set, effect == WORKS || is_tcp ? 2 : 0);
	check_option(&refused, 0);
	if (effect != PROTECTS || option[1] == IP_MINTTL)
		check_option(&off, 0);
}

/* clang-format off */
static const struct {
	enum effect effect;
	const char *says;
	int names[12][2];
} effects[] = {
	{ WORKS, NULL, { { SOL_SOCKET, SO_KEEPALIVE }, { IPPROTO_TCP, TCP_NODELAY },
		{ IPPROTO_IP, IP_TOS }, { IPPROTO_IPV6, IPV6_TCLASS }, { 286, TCP_FASTOPEN } } },
	{ NEEDS_TCP, "fd 5: rcvlowat -> TCP\n", { { SOL_SOCKET, SO_RCVLOWAT } } },
	{ NEEDS_TCP, "fd 5: options -> TCP\n", { { SOL_SOCKET, SO_PEEK_OFF } } },
	{ NEEDS_TCP, "fd 5: options -> TCP\n", { { SOL_SOCKET, SO_LOCK_FILTER } } },
	{ NEEDS_TCP, "fd 5: options -> TCP\n", { { IPPROTO_TCP, TCP_REPAIR },
		{ IPPROTO_IP, IP_MULTICAST_ALL }, { IPPROTO_IPV6, IPV6_RECVRTHDR },
		{ IPPROTO_IPV6, IPV6_JOIN_GROUP }, { IPPROTO_UDP, SO_KEEPALIVE } } },
	/* By number: TCP_MD5SIG_EXT, TCP_AO_ADD_KEY, TCP_AO_REPAIR, IPV6_MINHOPCOUNT. */
	{ PROTECTS, "fd 5: keys -> TCP\n", { { IPPROTO_TCP, TCP_MD5SIG },
		{ IPPROTO_TCP, 32 }, { IPPROTO_TCP, 38 }, { IPPROTO_TCP, 42 },
		{ IPPROTO_IP, IP_MINTTL }, { IPPROTO_IPV6, 73 },
		{ IPPROTO_IP, IP_XFRM_POLICY }, { IPPROTO_IP, IP_IPSEC_POLICY },
		{ IPPROTO_IPV6, IPV6_XFRM_POLICY }, { IPPROTO_IPV6, IPV6_IPSEC_POLICY },
		{ SOL_SOCKET, SO_ATTACH_FILTER }, { SOL_SOCKET, SO_ATTACH_BPF } } },
	{ IGNORED, "fd 5: fast_open\n", { { IPPROTO_TCP, TCP_FASTOPEN },
		{ IPPROTO_TCP, TCP_FASTOPEN_CONNECT }, { IPPROTO_IP, TCP_FASTOPEN_KEY },
		{ IPPROTO_IP, TCP_FASTOPEN_NO_COOKIE } } },
	{ UNDONE, "fd 5: cork\n",
	  { { IPPROTO_TCP, TCP_CORK }, { IPPROTO_TCP, TCP_DEFER_ACCEPT } } },
	{ ANSWERS, "fd 5: control\nfd 5: TCP_INQ is refused*\n", { { IPPROTO_TCP, TCP_INQ } } },
	{ ANSWERS, "fd 5: control\n", { { SOL_SOCKET, SO_TIMESTAMPING_NEW } } },
};
/* clang-format on */

TEST(effects_of_options)
{
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++) {
		for (size_t j = 0; j < 12 && effects[i].names[j][1]; j++)
			check_effect(effects[i].effect, effects[i].names[j], effects[i].says);
	}
}

TEST(accepted_options_cost_one_call)
{
	comes_to(set_int(SOL_SOCKET, SO_KEEPALIVE, 1), 0, 0);
	only_call();
	fake.config.raw = true;
	comes_to(set_int(IPPROTO_TCP, TCP_FASTOPEN, 1), 0, ERRNO_NOISE);
	only_call();
	fake.config.raw = false;
	fake_socket(5, AF_INET, IPPROTO_TCP);
	keeps(set_int(IPPROTO_TCP, TCP_FASTOPEN, 1));
	keeps(set_int(IPPROTO_TCP, TCP_CORK, 1));
	calls(1);
	/* A TCP socket that could become an SMC socket stays TCP if it needs the option. */
	shim_fd_new(5, FD_OWN);
	comes_to(set_int(IPPROTO_TCP, TCP_CORK, 1), 0, ERRNO_NOISE);
	only_call();
	assert_true(shim_fd_is_tcp(5));
	set_int(IPPROTO_TCP, TCP_INQ, 1);
	assert_false(shim_fd_is_tcp(5));
}

TEST(debug_lines_are_for_standard_error)
{
	debug_to_stderr();
	fake_begin();
	shim_log_fd(5, "anything", "TCP", EADDRINUSE);
	shim_log_fd(10, "more", NULL, ENOTTY);
	assert_string_equal(fake.said, "fd 5: anything -> TCP, bind: EADDRINUSE\n"
				       "fd 10: more, bind: errno 25\n");
	fake_begin();
	for (int i = 0; i < 4; i++) {
		debug_to_stderr();
		fake.config.err.st_dev += i == 0;
		fake.config.err.st_ino += i == 1;
		fake.config.err_open = i != 2;
		shim_is_locked = i == 3;
		shim_log_fd(5, "anything", NULL, 0);
	}
	assert_string_equal(fake.said, "");
}

/* A plain socket stays plain, so that connect() needs no query, until one of these calls. */
TEST(sockets_that_are_as_socket_gave_them)
{
	const struct linger linger = { 0, 0 };

	for (int i = 0; i < 4; i++) {
		shim_fd_mark_plain(5);
		set_int(SOL_SOCKET, SO_KEEPALIVE, 1);
		set_int(IPPROTO_TCP, SO_LINGER, 1);
		assert_true(shim_fd_is_set(FD_PLAIN, 5));
		if (i == 0)
			set_bytes(SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
		else
			assert_int_equal((i == 1 ? bind_to :
					  i == 2 ? listen_with :
						   replace_it)(KIND_TCP),
					 0);
		assert_false(shim_fd_is_set(FD_PLAIN, 5));
	}
	/* A number that was never opened. */
	comes_to((shim_close(9), 0), 0, 0);
}

/* FIOGETOWN, and the requests that set an owner. */
TEST(an_owner_may_be_set_by_ioctl)
{
	for (int request = 0x8901; request <= 0x8903; request++) {
		shim_has_owners = false;
		ask(request);
		assert_int_equal(shim_has_owners, request < 0x8903);
	}
}

TEST(tcp_ulp_smc_is_done)
{
	fake_fails("setsockopt 5", EOPNOTSUPP, 99);
	keeps(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 3));
	keeps(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 4));
	refuses(set_bytes(IPPROTO_TCP, TCP_ULP, "smcx", 5), EOPNOTSUPP);
	refuses(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 2), EOPNOTSUPP);
	fake_socket(5, AF_INET, IPPROTO_TCP);
	refuses(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 3), EOPNOTSUPP);
}

/* ---- SO_RCVTIMEO, which accept() uses as a mark ---- */

/* Sets the time; returns that of the kernel, -1 for none. In microseconds. */
static long long set_time(long long time)
{
	const struct timeval value = { time / 1000000, time % 1000000 };
	const struct fake_option *option;
	struct timeval now = { 0, -1 };

	assert_int_equal(set_bytes(SOL_SOCKET, SO_RCVTIMEO, &value, sizeof(value)), 0);
	option = fake_option_of(5, SOL_SOCKET, SO_RCVTIMEO);
	memcpy(&now, option->value, sizeof(now));
	return now.tv_sec * 1000000LL + now.tv_usec;
}

static long long get_time(int level, int name)
{
	struct timeval time = { -1, -1 };
	socklen_t len = sizeof(time);

	assert_int_equal(getsockopt(5, level, name, &time, &len), 0);
	fake_forgive();
	return time.tv_sec * 1000000LL + time.tv_usec;
}

TEST(timeouts_differ_from_accepts_mark)
{
	static const long times[][2] = {
		{ 0, 0 }, { 1, 10001 }, { 10000, 10001 }, { 10001, 10001 }, { 1000001, 1000001 },
	};
	const struct timeval mark = { 0, 1 };
	const int64_t wide[][2] = { { 1, 1 }, { 0, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		comes_to(set_time(times[i][0]), times[i][1], 0);
	comes_to(set_bytes(SOL_SOCKET, SO_RCVTIMEO_NEW, wide[0], sizeof(wide[0])), 0, 0);
	calls(1);
	comes_to(set_bytes(SOL_SOCKET, SO_RCVTIMEO_NEW, wide[1], sizeof(wide[1])), 0, 0);
	calls(2);
	assert_int_equal(get_time(SOL_SOCKET, SO_RCVTIMEO), 10001);
	/* Values that the kernel would not accept. */
	comes_to(set_bytes(SOL_SOCKET, SO_RCVTIMEO_NEW, wide[1], sizeof(wide[1]) - 1), 0, 0);
	calls(1);
	comes_to(set_bytes(SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark) - 1), 0, 0);
	calls(1);
	fake.fds[5].is_connected = true;
	comes_to(set_time(1), 1, 0);
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(set_time(2), 2, 0);
}

TEST(the_time_of_accept_is_not_shown)
{
	const struct timeval mark = { 0, 1 };

	fake_option(FAKE_ANY, SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark));
	comes_to(get_time(SOL_SOCKET, SO_RCVTIMEO), 1, 0);
	fake_int(FAKE_ANY, SOL_SOCKET, SO_ACCEPTCONN, 1);
	comes_to(get_time(SOL_SOCKET, SO_RCVTIMEO), 0, 0);
	/* The second query fails. */
	fake_fails("getsockopt 5 1 20", EBADF, 1);
	fake_gives("getsockopt 5 1 20", 0, 1, NULL);
	comes_to(get_time(SOL_SOCKET, SO_RCVTIMEO), 0, 0);
	fake.config.raw = true;
	comes_to(get_time(SOL_SOCKET, SO_RCVTIMEO), 1, 0);
	fake.config.raw = false;
	set_time(3000000);
	comes_to(get_time(SOL_SOCKET, SO_RCVTIMEO), 3000000, 0);
	/* Another timeout is not hidden, nor that of another socket. */
	fake_option(5, SOL_SOCKET, SO_SNDTIMEO, &mark, sizeof(mark));
	comes_to(get_time(SOL_SOCKET, SO_SNDTIMEO), 1, 0);
	fake_option(5, IPPROTO_TCP, SO_RCVTIMEO, &mark, sizeof(mark));
	comes_to(get_time(IPPROTO_TCP, SO_RCVTIMEO), 1, 0);
	fake_shut(5);
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(get_time(SOL_SOCKET, SO_RCVTIMEO), 1, 0);
}

static void check_error(int protocol, int revents, int state, int error, int want)
{
	fake_socket(5, protocol ? AF_INET : AF_SMC, protocol)->revents = revents;
	fake.fds[5].state = state;
	fake.fds[5].error = error;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), want, 0);
}

TEST(an_error_that_was_lost)
{
	fake_int(FAKE_ANY, IPPROTO_TCP, TCP_SYNCNT, 2);
	check_error(0, POLLHUP, TCP_CLOSE, 0, EHOSTUNREACH);
	fake.retransmitted = 1;
	check_error(0, POLLHUP, TCP_CLOSE, 0, EHOSTUNREACH);
	fake.retransmitted = 2;
	check_error(0, POLLHUP, TCP_CLOSE, 0, ETIMEDOUT);
	fake_int(FAKE_ANY, IPPROTO_TCP, TCP_USER_TIMEOUT, 1);
	fake.retransmitted = 1;
	check_error(0, POLLHUP, TCP_CLOSE, 0, ETIMEDOUT);
	check_error(0, POLLHUP | POLLIN, TCP_CLOSE, 0, 0);
	check_error(0, POLLHUP, TCP_CLOSE_WAIT, 0, 0);
	check_error(IPPROTO_TCP, POLLHUP, TCP_CLOSE, 0, 0);
	check_error(0, 0, TCP_CLOSE, EPIPE, EPIPE);
	check_error(0, 0, TCP_CLOSE, ECONNABORTED, ETIMEDOUT);
	check_error(IPPROTO_TCP, 0, TCP_CLOSE, ECONNABORTED, ECONNABORTED);
	fake_fails("getsockopt 5 6 11", ENOPROTOOPT, 1);
	check_error(0, POLLHUP, TCP_CLOSE, 0, 0);
}

/* A call that waits gets the error itself, the others find it in SO_ERROR. */
TEST(a_dead_link_is_a_timeout)
{
	char byte;

	shim_fd_mark_plain(5);
	fake_fails("send 5", ECONNABORTED, 1);
	comes_to(send(5, "x", 1, 0), -1, ETIMEDOUT);
	fake_fails("recv 5", ECONNABORTED, 1);
	comes_to(recv(5, &byte, 1, 0), -1, ETIMEDOUT);
	fake.fds[5].error = ECONNABORTED;
	fake_fails("recv 5", ENOTCONN, 1);
	comes_to(recv(5, &byte, 1, 0), -1, ETIMEDOUT);
}

/* ---- replacements ---- */

/* Socket 5 has another value of the option than new sockets. */
static void has_int(int level, int name, int value)
{
	fake_int(FAKE_ANY, level, name, 0);
	fake_int(5, level, name, value);
}

/* Only this process can have set options of its own socket, except a privileged helper. */
TEST(only_options_set_are_copied)
{
	static const int levels[] = { SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6 };

	has_int(IPPROTO_IP, IP_FREEBIND, 3);
	has_int(SOL_SOCKET, SO_MARK, 7);
	shim_fd_mark_plain(5);
	comes_to(shim_replace_open(known(5, smc), KIND_TCP), 9, 0);
	assert_int_equal(option_of(9, SOL_SOCKET, SO_MARK), 7);
	assert_int_equal(option_of(9, IPPROTO_IP, IP_FREEBIND), -1);
	fake_shut(9);
	set_int(IPPROTO_IP, IP_FREEBIND, 3);
	comes_to(shim_replace_open(known(5, smc), KIND_TCP), 9, 0);
	assert_int_equal(option_of(9, IPPROTO_IP, IP_FREEBIND), 3);
	/* The option has an older name, too. */
	assert_false(shim_option_was_set(SOL_SOCKET, SO_TIMESTAMPNS));
	set_int(SOL_SOCKET, SO_TIMESTAMPNS_NEW, 1);
	assert_true(shim_option_was_set(SOL_SOCKET, SO_TIMESTAMPNS));
	assert_true(shim_option_was_set(IPPROTO_IP, IP_TRANSPARENT));
	assert_true(shim_option_was_set(IPPROTO_IPV6, IPV6_TRANSPARENT));
	assert_false(shim_option_was_set(IPPROTO_IPV6, IPV6_RECVERR));
	assert_false(shim_option_was_set(SOL_SOCKET, 128));
	set_int(SOL_SOCKET, 1000, 1);
	for (int i = 0; i < 4; i++) {
		shim_option_note(levels[i], 100 + i);
		for (int level = 0; level < 4; level++)
			assert_int_equal(shim_option_was_set(levels[level], 100 + i), level == i);
	}
}

/* Replace a socket with SO_SNDBUF @sndbuf and SO_RCVBUF 3000. Expect these values; -1: not set */
static void check_buffers(int locks, int sndbuf, enum shim_kind kind, int new_sndbuf,
			  int new_rcvbuf, int new_locks)
{
	fake_int(5, SOL_SOCKET, SO_SNDBUF, sndbuf);
	fake_int(5, SOL_SOCKET, SO_RCVBUF, 3000);
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, locks);
	comes_to(shim_replace_open(known(5, smc), kind), 9, 0);
	assert_int_equal(option_of(9, SOL_SOCKET, SO_SNDBUF), new_sndbuf);
	assert_int_equal(option_of(9, SOL_SOCKET, SO_RCVBUF), new_rcvbuf);
	assert_int_equal(option_of(9, SOL_SOCKET, SO_BUF_LOCK), new_locks);
	fake_shut(9);
}

/* SMC sockets inherit sizes; TCP sockets only those that the program has set. */
TEST(buffers_go_along)
{
	check_buffers(0, 2000, KIND_TCP, -1, -1, -1);
	check_buffers(0, 2000, KIND_INET, 2000, 3000, 0);
	check_buffers(1, 2000, KIND_TCP, 2000, -1, 1);
	check_buffers(2, 2000, KIND_TCP, -1, 3000, 2);
	/* A size above the limit, which root can set, and a small one. */
	fake.most = 100;
	check_buffers(2, 1, KIND_INET, -1, 3000, 2);
}

TEST(an_option_that_smc_refuses_keeps_tcp)
{
	const struct shim_sock tcp = { .kind = KIND_TCP, .family = AF_INET6 };
	static const int cases[][2] = {
		{ SOL_SOCKET, SO_KEEPALIVE },
		{ IPPROTO_TCP, TCP_NODELAY },
		{ IPPROTO_IP, IP_TTL },
		{ IPPROTO_IPV6, IPV6_V6ONLY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_setup(state);
		fake_socket(5, AF_INET6, IPPROTO_TCP);
		has_int(cases[i][0], cases[i][1], 1);
		fake_fails("setsockopt", EOPNOTSUPP, 2);
		refuses(shim_replace_open(known(5, tcp), KIND_AF_SMC), EOPNOTSUPP);
		/* An option that new sockets have already is not set. */
		fake_int(FAKE_ANY, cases[i][0], cases[i][1], 1);
		comes_to(shim_replace_open(known(5, tcp), KIND_AF_SMC), 9, 0);
	}
}

/* In a program without standard input a new socket is file descriptor 0. */
TEST(number_zero_is_a_number)
{
	fake_socket(0, AF_SMC, 0);
	comes_to(shim_replace_unbound(known(0, smc), KIND_TCP, "test"), 0, 0);
	is_tcp(0);
	fake.first = 0;
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
	for (int bytes = 0; bytes <= 4096; bytes += 4096) {
		fake_shut(0);
		fake.config.sndbuf = (struct smc_buffer){ bytes, INT_MAX };
		atomic_store(&shim_openers[0], NULL);
		/* An errno from before the call does not mean that SMC is refused. */
		errno = EAFNOSUPPORT;
		assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 0);
		assert_int_equal(errno, EAFNOSUPPORT);
		is_socket(0, AF_SMC, 0);
		assert_int_equal(option_of(0, SOL_SOCKET, SO_SNDBUF), bytes ? 8192 : -1);
		assert_int_equal(option_of(0, SOL_SOCKET, SO_BUF_LOCK), bytes ? 0 : -1);
		assert_int_equal(!atomic_load(&shim_openers[0]), bytes != 0);
	}
	/* The first socket() queries a TCP socket. */
	assert_int_in_range(fake.opened[KIND_TCP], 1, 2);
}

/* A socket that becomes SMC gets the sizes for SMC, unless the program has set sizes. */
TEST(tcp_sockets_become_smc_sockets)
{
	use_rules("80");
	for (int lock = 1; lock <= 2; lock++) {
		fake.config.sndbuf = fake.config.rcvbuf = (struct smc_buffer){ 0 };
		connect_often(80);
		fake_int(5, SOL_SOCKET, SO_BUF_LOCK, lock);
		fake_int(5, SOL_SOCKET, lock == 1 ? SO_SNDBUF : SO_RCVBUF, 2000);
		fake.config.sndbuf = fake.config.rcvbuf = (struct smc_buffer){ 4096, INT_MAX };
		makes_smc(connect_to(81));
		options_kept(5);
		assert_true(shim_fd_is_marked(5) && !shim_fd_is_tcp(5));
		assert_int_equal(option_of(5, SOL_SOCKET, lock == 1 ? SO_RCVBUF : SO_SNDBUF), 8192);
	}
	fake.config.sndbuf = fake.config.rcvbuf = (struct smc_buffer){ 0 };
	connect_often(81);
	is_socket(5, AF_SMC, 0);
	keeps(connect_to(81));
}

/* A TCP socket stays TCP if it has an option that SMC lacks, or a duplicate. */
TEST(sockets_that_stay_tcp)
{
	static const int options[][2] = { { SOL_SOCKET, SO_RCVLOWAT },
					  { IPPROTO_TCP, TCP_MD5SIG } };

	use_rules("80");
	connect_often(80);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++, new_socket()) {
		set_int(options[i][0], options[i][1], 1);
		assert_false(shim_fd_is_tcp(5));
	}
	set_int(IPPROTO_TCP, TCP_FASTOPEN, 1);
	set_int(SOL_SOCKET, SO_KEEPALIVE, 1);
	assert_true(shim_fd_is_tcp(5));
	dup(5);
	assert_false(shim_fd_is_tcp(5) || shim_fd_is_tcp(11));
	/* If SMC is refused, the next socket() tries it again. */
	new_socket();
	fake_fails("socket", EPROTONOSUPPORT, 1);
	keeps(connect_to(81));
	new_socket();
	is_socket(5, AF_SMC, 0);
	/* TCP is never first with SMC_STRICT. */
	fake.config.strict = true;
	connect_often(81);
	connect_often(80);
	is_socket(5, AF_SMC, 0);
}

/* A program of the control group refuses TCP sockets, then it marks them. */
TEST(a_control_group_is_asked_by_a_tcp_socket)
{
	debug_to_stderr();
	fake.config.kinds[1] = KIND_INET;
	fake.config.nkinds = 2;
	fake_int(FAKE_ANY, SOL_SOCKET, SO_MARK, 7);
	fake_fails("socket 10", EPERM, 1);
	comes_to(socket(AF_INET6, SOCK_STREAM, 0), -1, EPERM);
	assert_like(fake.said, "* -> error EPERM (* is refused)\n");
	fake_begin();
	assert_int_equal(socket(AF_INET6, SOCK_STREAM, 0), 9);
	is_socket(9, AF_INET6, 256);
	assert_like(fake.said, "* -> IPPROTO_SMC fd 9 (* a mark: no AF_SMC)\n");
}

/* ---- listen() ---- */

static int locks_below;

static void note_locks(void)
{
	locks_below = option_of(5, SOL_SOCKET, SO_BUF_LOCK);
}

/*
 * Expect @below as locks of the sizes while the kernel's listen() runs, which fails with errno
 * @err, and @locks before and after it; -1 if the kernel lacks the option. @sndbuf, @rcvbuf: the
 * sizes are for descriptors below these numbers; the limit of descriptors is the number of clients
 */
static void check_locks(int locks, int sndbuf, int rcvbuf, int err, int below)
{
	fake_shut(5);
	fake_socket(5, AF_SMC, 0);
	if (locks >= 0)
		fake_int(5, SOL_SOCKET, SO_BUF_LOCK, locks);
	fake.config.sndbuf = (struct smc_buffer){ sndbuf ? 65536 : 0, sndbuf };
	fake.config.rcvbuf = (struct smc_buffer){ rcvbuf ? 65536 : 0, rcvbuf };
	fake_gives("listen", err ? -1 : 0, 1, note_locks);
	fake.answers[fake.n_answers - 1].err = err;
	comes_to(listen(5, 1), err ? -1 : 0, err);
	assert_int_equal(locks_below, below);
	assert_int_equal(option_of(5, SOL_SOCKET, SO_BUF_LOCK), locks);
}

TEST(sizes_are_locked_for_listen_alone)
{
	const int any = INT_MAX;
	struct rlimit limit, most;

	check_locks(0, 0, 0, 0, 0);
	check_locks(0, any, 0, 0, 1);
	check_locks(0, any, any, EADDRINUSE, 3);
	check_locks(1, 0, any, 0, 3);
	check_locks(-1, 0, any, 0, -1);
	shim_is_locked = true;
	check_locks(0, 0, any, 0, 0);
	shim_is_locked = false;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	most = limit;
	most.rlim_cur = 16 * SMC_LISTENER_SHARE;
	setrlimit(RLIMIT_NOFILE, &most);
	check_locks(0, any, 16, 0, 3);
	most.rlim_cur = 17 * SMC_LISTENER_SHARE;
	setrlimit(RLIMIT_NOFILE, &most);
	check_locks(0, any, 16, 0, 1);
	debug_to_stderr();
	check_locks(1, 6, 16, 0, 1);
	assert_like(fake.said, "fd 5: RLIMIT_NOFILE *\n");
	setrlimit(RLIMIT_NOFILE, &limit);
	fake.fds[5].protocol = IPPROTO_TCP;
	keeps(listen(5, 1));
	calls(1);
}

/* Locks of a client with that protocol. */
static int locks_of_client(int protocol)
{
	fake_shut(12);
	fake_socket(12, AF_INET, protocol);
	shim_accepted_buffers(5, 12);
	return option_of(12, SOL_SOCKET, SO_BUF_LOCK);
}

TEST(accepted_tcp_sockets_have_the_listeners_locks)
{
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 2);
	assert_int_equal(locks_of_client(IPPROTO_TCP), -1);
	fake.config.rcvbuf = (struct smc_buffer){ 9, 6 };
	assert_int_equal(locks_of_client(IPPROTO_TCP), 2);
	assert_int_equal(locks_of_client(256), -1);
	fake_fails("getsockopt 5 1 72", ENOPROTOOPT, 1);
	assert_int_equal(locks_of_client(IPPROTO_TCP), -1);
}

/* ---- filters, data ---- */

static int check_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
		       unsigned long d)
{
	assert_true(a == 1 && b == 2 && c == 3 && d == 4);
	return fake_call(0, "prctl %d", option);
}

/* A refused filter locks nothing, but another may follow. */
TEST(a_filter_to_come_is_noticed)
{
	static const int options[] = { PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, 99 };

	atomic_store(&shim_next_fn[SHIM_PRCTL], (shim_any_fn)check_prctl);
	for (int i = 0; i < 3; i++) {
		shim_is_locked = shim_in_sandbox = false;
		fake_fails("prctl", EINVAL, 1);
		comes_to(prctl(options[i], 1UL, 2UL, 3UL, 4UL), -1, EINVAL);
		assert_true(shim_in_sandbox == (i < 2) && !shim_is_locked);
	}
}

/* Out of socket 5 into pipe 7, while a call comes to something else: what was read was written. */
static void check_splice(size_t len, unsigned int flags, const char *call, int ret, int err,
			 int want)
{
	fake.fds[5].bytes_in = fake.fds[7].bytes_out = 0;
	fake_gives(call, ret, *call ? 1 : 0, NULL);
	fake.answers[fake.n_answers - 1].err = err;
	comes_to(splice(5, NULL, 7, NULL, len, flags), want, err);
	assert_int_equal(fake.fds[7].bytes_out, want < 0 ? 0 : want);
	assert_int_equal(fake.fds[5].bytes_in, fake.fds[7].bytes_out);
}

TEST(splice_copies)
{
	fake_socket(7, 0, 0)->mode = S_IFIFO;
	fake.fds[7].is_socket = false;
	check_splice(100, 0, "", 0, 0, 100);
	check_splice(100, SPLICE_F_NONBLOCK, "", 0, EAGAIN, -1);
	check_splice(100, SPLICE_F_NONBLOCK, "recv", 0, 0, 0);
	fake.fds[7].revents = POLLERR;
	check_splice(100, SPLICE_F_NONBLOCK, "", 0, 0, 100);
	fake.fds[7].revents = POLLOUT;
	check_splice(100000, 0, "", 0, 0, 8192);
	check_splice(100000, SPLICE_F_NONBLOCK, "", 0, 0, 4096);
	check_splice(100, 0, "write", 10, 0, 10);
	check_splice(100, 0, "write", -1, EPIPE, -1);
	check_splice(100, 0, "recv", -1, EAGAIN, -1);
	/* The kernel's splice() moves 3 bytes. */
	fake.config.raw = true;
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 3, 0);
}

/* A locked program's socket is not queried. */
TEST(data_is_not_held_back)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		shim_is_locked = true;
		shim_fd_unknown(5);
		if (is_known)
			shim_fd_mark_socket(5);
		comes_to(send(5, "x", 1, MSG_MORE), 1, 0);
		assert_int_equal(fake.fds[5].send_flags, is_known ? 0 : MSG_MORE);
	}
}

/* The last test: the refusal is remembered. The file has number 0. */
TEST(a_denied_program_is_named)
{
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
	atomic_store(&shim_openers[0], NULL);
	debug_to_stderr();
	fake.file_fd = 0;
	fake.files[0].path = "/proc/thread-self/attr/current";
	fake.files[0].text = "profile\n";
	fake_fails("socket 43", EACCES, 1);
	fake_begin();
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 9);
	assert_like(fake.said, "*denied to profile,*\n");
	fake.config.strict = true;
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), -1);
}

static struct fixture fixture = { .setup = fake_setup, .teardown = fake_teardown };
