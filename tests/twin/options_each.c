// SPDX-License-Identifier: MIT
/* Every option as set and get: lengths, pointers, values, states, and what sockets inherit. */
#include <ctype.h>

#include "twin.h"

/* How a value is shown: CLASS as zero, the same as the one set, its double, or some. */
enum how { PLAIN, CLASS, SIGN, LENGTH };

/**
 * struct option
 * @values: two, of @len bytes each: the second is off, or wrong
 */
struct option {
	int level, name;
	enum how how;
	const char *values;
	socklen_t len;
};

static const char *class_of(int value, int wanted)
{
	if (!value)
		return "zero";
	if (value == wanted)
		return "same";
	return value == 2 * wanted ? "twice" : "some";
}

static void show_value(const struct option *o, const int *value, socklen_t len, char text[80])
{
	socklen_t count = len / sizeof(*value);
	int wanted = 0;

	memcpy(&wanted, o->values, o->len < sizeof(wanted) ? o->len : sizeof(wanted));
	if (o->how == LENGTH || !len)
		snprintf(text, 80, "length-%u", len);
	else if (o->how == CLASS)
		strcpy(text, class_of(*value, wanted));
	else if (o->how == SIGN)
		strcpy(text, *value < 0 ? "negative" : "positive");
	else if (len != sizeof(*value) && isalpha(*(const char *)value))
		snprintf(text, 80, "%.15s", (const char *)value);
	else if (count <= 1)
		snprintf(text, 80, "%d", *value);
	else
		snprintf(text, 80, "%u:%d.%d.%d.%d", len, value[0], value[1], value[2], value[3]);
}

static const char *shown(const struct option *o, int fd)
{
	static char texts[8][80];
	static unsigned int next;
	char *text = texts[next++ % 8];
	int value[128] = { 0 };
	socklen_t len = sizeof(value);

	if (getsockopt(fd, o->level, o->name, value, &len))
		return result(-1);
	show_value(o, value, len, text);
	return text;
}

static const char *changed(const struct option *o, int fd, const void *value, socklen_t len)
{
	return result(setsockopt(fd, o->level, o->name, value, len));
}

static void try_lengths(const struct option *o, const char *state, int fd)
{
	static const socklen_t lens[] = { (socklen_t)-1, 0, 1, 2, 3, 4, 8, 512 };
	static char data[512], *bad = (char *)8;
	socklen_t len;
	size_t i;

	say("%s", state);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		len = lens[i];
		memset(data, 0, sizeof(data));
		say("get%d=%s", (int)lens[i],
		    result(getsockopt(fd, o->level, o->name, data, &len)));
		say("len=%d:%d", (int)len, o->how == PLAIN ? *(int *)(void *)data : 0);
	}
	len = 4;
	say("get_null=%s", result(getsockopt(fd, o->level, o->name, NULL, &len)));
	say("get_bad=%s", result(getsockopt(fd, o->level, o->name, bad, &len)));
	say("no_len=%s", result(getsockopt(fd, o->level, o->name, data, NULL)));
	memset(data, 0, sizeof(data));
	memcpy(data, o->values, o->len);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		say("set%d=%s", (int)lens[i], changed(o, fd, data, lens[i]));
		say("now=%s", shown(o, fd));
	}
	say("set_null=%s", changed(o, fd, NULL, o->len));
	say("set_none=%s", changed(o, fd, NULL, 0));
	say("set_bad=%s", changed(o, fd, bad, o->len));
	say("now=%s", shown(o, fd));
}

static void try_values(const struct option *o, const char *state, int fd)
{
	say("%s=%s", state, shown(o, fd));
	say("set=%s", changed(o, fd, o->values, o->len));
	say("now=%s", shown(o, fd));
	say("other=%s", changed(o, fd, o->values + o->len, o->len));
	say("now=%s", shown(o, fd));
}

/* Connect a socket with the option, after an attempt at @port. */
static void inherit(const struct option *o, const char *name, int l, int port)
{
	int c = fresh(), a;

	changed(o, c, o->values, o->len);
	if (port) {
		say("%s=%s", name, result(connect_to(c, port)));
		say("now=%s", shown(o, c));
	}
	say("%s=%s", name, result(connect_to(c, port_of(l))));
	send(c, "x", 1, MSG_DONTWAIT);
	a = poll(&(struct pollfd){ .fd = l, .events = POLLIN }, 1, 1500) ? accept(l, NULL, NULL) :
									   -1;
	say("client=%s", shown(o, c));
	say("accepted=%s", a < 0 ? "none" : shown(o, a));
	close(a);
	close(c);
}

static void each(struct option o)
{
	int early = fresh(), late = listener();

	for (const struct named_state *s = states; s->name; s++)
		try_values(&o, s->name, enter(s->state));
	try_lengths(&o, "fresh", fresh());
	try_lengths(&o, "connected", enter(IS_CONNECTED));
	changed(&o, early, o.values, o.len);
	start_listening(early);
	changed(&o, late, o.values, o.len);
	inherit(&o, "early", early, 0);
	inherit(&o, "late", late, 0);
	inherit(&o, "again", early, refused_port());
	forget_kinds();
}

#define OPTION(test, level, name, how, type, ...)                                                  \
	CASE_OF(opt_##test,                                                                        \
		each((struct option){ level, name, how, (const char *)(type[2]){ __VA_ARGS__ },    \
				      sizeof(type) }))
#define SO(test, name, ...) OPTION(so_##test, SOL_SOCKET, name, PLAIN, int, __VA_ARGS__)
#define IP(test, name, ...) OPTION(ip_##test, IPPROTO_IP, name, PLAIN, int, __VA_ARGS__)
#define IPV6(test, name, ...) OPTION(ipv6_##test, IPPROTO_IPV6, name, PLAIN, int, __VA_ARGS__)
#define TCP(test, name, ...) OPTION(tcp_##test, IPPROTO_TCP, name, PLAIN, int, __VA_ARGS__)

/* Let everything pass. */
static struct sock_filter filter[] = { { BPF_RET | BPF_K, 0, 0, 0xffffffff } };

typedef char text[16];

/* A socket in repair mode connects without a peer: nothing is accepted, after a long wait. */
WAITING_CASE_OF(opt_tcp_repair,
		each((struct option){ IPPROTO_TCP, TCP_REPAIR, PLAIN,
				      (const char *)(int[2]){ 1, 2 }, sizeof(int) }))

/* Print where the results of get, and of set to zero, change. */
static void try_numbers(int fd, int count, int level, int name)
{
	char before[80] = "", now[80];
	int value = 0, is_level = level < 0;

	for (int i = -1; i < count; i++) {
		socklen_t len = sizeof(value);

		level = is_level ? i : level;
		name = is_level ? name : i;
		snprintf(now, sizeof(now), "%s,",
			 result(getsockopt(fd, level, name, &value, &len)));
		strcat(now, result(set(fd, level, name, 0)));
		if (strcmp(before, now))
			say("%d=%s", i, now);
		strcpy(before, now);
	}
	forget_kinds();
}

CASE_OF(opt_numbers_socket, try_numbers(enter(IS_CONNECTED), 256, SOL_SOCKET, 0))
CASE_OF(opt_numbers_ip, try_numbers(enter(IS_CONNECTED), 256, IPPROTO_IP, 0))
CASE_OF(opt_numbers_ipv6, try_numbers(enter(IS_CONNECTED), 256, IPPROTO_IPV6, 0))
CASE_OF(opt_numbers_tcp, try_numbers(enter(IS_CONNECTED), 256, IPPROTO_TCP, 0))
CASE_OF(opt_numbers_level, try_numbers(fresh(), 300, -1, 1))
CASE_OF(opt_numbers_levels, try_numbers(enter(IS_CONNECTED), 300, -1, 13))

/* A connected IPv6 socket with a mapped address becomes an IPv4 socket. */
CASE(opt_addrform_mapped)
{
	struct address addr = address_of("::ffff:127.0.0.1", 0);
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	int l, c;

	family = AF_INET6;
	l = fresh();
	c = fresh();
	bind(l, (void *)&addr.any, addr.len);
	listen(l, 1);
	addr = address_of("::ffff:127.0.0.1", port_of(l));
	SAY("connect", connect(c, (void *)&addr.any, addr.len));
	SAY("form", set(c, IPPROTO_IPV6, IPV6_ADDRFORM, AF_INET));
	SAY("name", getsockname(c, (void *)&name, &len));
	say("len=%u family=%d domain=%d", len, name.ss_family, get(c, SOL_SOCKET, SO_DOMAIN));
	SAY("v6only", set(c, IPPROTO_IPV6, IPV6_V6ONLY, 0));
	SAY("send", send(c, "x", 1, 0));
	SAY("recv", call_recv(accept(l, NULL, NULL)));
}

/* clang-format off */
/* For a peer that does not exist. */
#define KEY { .tcpm_addr = { .ss_family = AF_INET }, .tcpm_keylen = 3, .tcpm_key = "key" }

SO(debug, SO_DEBUG, 1)				SO(reuseaddr, SO_REUSEADDR, 1)
SO(type, SO_TYPE, 1)				SO(error, SO_ERROR, 1)
SO(dontroute, SO_DONTROUTE, 1)			SO(broadcast, SO_BROADCAST, 1)
SO(keepalive, SO_KEEPALIVE, 1)			SO(oobinline, SO_OOBINLINE, 1)
SO(no_check, SO_NO_CHECK, 1)			SO(priority, SO_PRIORITY, 3, -1)
SO(bsdcompat, SO_BSDCOMPAT, 1)			SO(reuseport, SO_REUSEPORT, 1)
SO(passcred, SO_PASSCRED, 1)			SO(peercred, SO_PEERCRED, 1)
SO(rcvlowat, SO_RCVLOWAT, 2)		SO(sndlowat, SO_SNDLOWAT, 2)
SO(network, SO_SECURITY_ENCRYPTION_NETWORK, 1)	SO(detach_filter, SO_DETACH_FILTER, 1)
SO(acceptconn, SO_ACCEPTCONN, 1)		SO(passsec, SO_PASSSEC, 1)
SO(mark, SO_MARK, 7)				SO(protocol, SO_PROTOCOL, 1)
SO(domain, SO_DOMAIN, 1)			SO(rxq_ovfl, SO_RXQ_OVFL, 1)
SO(wifi_status, SO_WIFI_STATUS, 1)		SO(peek_off, SO_PEEK_OFF, 0, -2)
SO(nofcs, SO_NOFCS, 1)				SO(lock_filter, SO_LOCK_FILTER, 1)
SO(select_err_queue, SO_SELECT_ERR_QUEUE, 1)	SO(busy_poll, SO_BUSY_POLL, 50, -1)
SO(bpf_extensions, SO_BPF_EXTENSIONS, 1)	SO(attach_bpf, SO_ATTACH_BPF, -1)
SO(cnx_advice, SO_CNX_ADVICE, 1)		SO(reuseport_ebpf, SO_ATTACH_REUSEPORT_EBPF, -1)
SO(opt_stats, 54, 1)				SO(pktinfo, 58, 1)
SO(peergroups, SO_PEERGROUPS, 1)		SO(zerocopy, SO_ZEROCOPY, 1, 2)
SO(bindtoifindex, 62, 1, 99999)			SO(timestamp, SO_TIMESTAMP, 1)
SO(timestampns, SO_TIMESTAMPNS, 1)		SO(timestamping, SO_TIMESTAMPING, 8, -1)
SO(timestamp_new, 63, 1)			SO(timestampns_new, 64, 1)
SO(timestamping_new, 65, 8, -1)			SO(detach_reuseport, 68, 1)
SO(prefer_busy_poll, 69, 1)			SO(busy_poll_budget, 70, 16, 70000)
SO(buf_lock, 72, 3, 4)				SO(reserve_mem, 73, 4096, -1)
SO(txrehash, SO_TXREHASH, 1, 3)			SO(rcvmark, 75, 1)
SO(passpidfd, 76, 1)				SO(peerpidfd, 77, 1)
SO(devmem_linear, 78, 1)			SO(devmem_dmabuf, 79, 1)
SO(devmem_dontneed, 80, 1)			SO(ts_opt_id, 81, 1)
SO(rcvpriority, 82, 1)				SO(passrights, 83, 1)
SO(inq, 84, 1)
SO(authentication, SO_SECURITY_AUTHENTICATION, 1)
SO(transport, SO_SECURITY_ENCRYPTION_TRANSPORT, 1)
SO(max_pacing_rate, SO_MAX_PACING_RATE, 1000000, -1)
OPTION(so_sndbuf, SOL_SOCKET, SO_SNDBUF, CLASS, int, 40000, -1)
OPTION(so_rcvbuf, SOL_SOCKET, SO_RCVBUF, CLASS, int, 40000, -1)
OPTION(so_sndbufforce, SOL_SOCKET, SO_SNDBUFFORCE, CLASS, int, 40000, -1)
OPTION(so_rcvbufforce, SOL_SOCKET, SO_RCVBUFFORCE, CLASS, int, 40000, -1)
OPTION(so_incoming_cpu, SOL_SOCKET, SO_INCOMING_CPU, SIGN, int, 0, -1)
OPTION(so_meminfo, SOL_SOCKET, SO_MEMINFO, LENGTH, int, 0)
OPTION(so_napi_id, SOL_SOCKET, SO_INCOMING_NAPI_ID, CLASS, int, 1)
OPTION(so_cookie, SOL_SOCKET, SO_COOKIE, LENGTH, long, 1)
OPTION(so_netns_cookie, SOL_SOCKET, 71, LENGTH, long, 1)
OPTION(so_peername, SOL_SOCKET, SO_PEERNAME, LENGTH, text, "")
OPTION(so_peersec, SOL_SOCKET, SO_PEERSEC, LENGTH, text, "")
OPTION(so_linger, SOL_SOCKET, SO_LINGER, PLAIN, struct linger, { 1, 3 }, { -1, -1 })
OPTION(so_txtime, SOL_SOCKET, SO_TXTIME, PLAIN, struct linger, { 1, 0 }, { 1, 8 })
OPTION(so_rcvtimeo, SOL_SOCKET, SO_RCVTIMEO, PLAIN, struct timeval, { 3, 500000 }, { 0, 1000000 })
OPTION(so_sndtimeo, SOL_SOCKET, SO_SNDTIMEO, PLAIN, struct timeval, { 3, 500000 }, { 0, 1000000 })
OPTION(so_rcvtimeo_new, SOL_SOCKET, 66, PLAIN, struct timeval, { 3, 500000 }, { 0, 1000000 })
OPTION(so_sndtimeo_new, SOL_SOCKET, 67, PLAIN, struct timeval, { 3, 500000 }, { 0, 1000000 })
OPTION(so_bindtodevice, SOL_SOCKET, SO_BINDTODEVICE, PLAIN, text, "lo", "nowhere")
OPTION(so_attach_filter, SOL_SOCKET, SO_ATTACH_FILTER, PLAIN, struct sock_fprog, { 1, filter },
        { 0, filter })
OPTION(so_reuseport_cbpf, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, PLAIN, struct sock_fprog,
        { 1, filter }, { 0, filter })

IP(tos, IP_TOS, 16, -1)				IP(ttl, IP_TTL, 44, 256)
IP(hdrincl, IP_HDRINCL, 1)			IP(router_alert, IP_ROUTER_ALERT, 1)
IP(recvopts, IP_RECVOPTS, 1)			IP(retopts, IP_RETOPTS, 1)
IP(pktinfo, IP_PKTINFO, 1)			IP(pktoptions, IP_PKTOPTIONS, 1)
IP(mtu_discover, IP_MTU_DISCOVER, 2, 9)		IP(recverr, IP_RECVERR, 1)
IP(recvttl, IP_RECVTTL, 1)			IP(recvtos, IP_RECVTOS, 1)
IP(freebind, IP_FREEBIND, 1)			IP(ipsec_policy, IP_IPSEC_POLICY, 1)
IP(xfrm_policy, IP_XFRM_POLICY, 1)		IP(passsec, IP_PASSSEC, 1)
IP(transparent, IP_TRANSPARENT, 1)		IP(recvorigdstaddr, IP_ORIGDSTADDR, 1)
IP(minttl, IP_MINTTL, 64, 256)			IP(nodefrag, IP_NODEFRAG, 1)
IP(checksum, 23, 1)				IP(bind_no_port, IP_BIND_ADDRESS_NO_PORT, 1)
IP(recvfragsize, 25, 1)				IP(recverr_rfc4884, 26, 1)
IP(multicast_if, IP_MULTICAST_IF, 0, -1)	IP(multicast_ttl, IP_MULTICAST_TTL, 9, 256)
IP(multicast_loop, IP_MULTICAST_LOOP, 0, 1)	IP(add_membership, IP_ADD_MEMBERSHIP, 1)
IP(drop_membership, IP_DROP_MEMBERSHIP, 1)	IP(unblock_source, IP_UNBLOCK_SOURCE, 1)
IP(block_source, IP_BLOCK_SOURCE, 1)		IP(add_source, IP_ADD_SOURCE_MEMBERSHIP, 1)
IP(drop_source, IP_DROP_SOURCE_MEMBERSHIP, 1)	IP(msfilter, IP_MSFILTER, 1)
IP(join_group, MCAST_JOIN_GROUP, 1)		IP(group_block, MCAST_BLOCK_SOURCE, 1)
IP(group_unblock, MCAST_UNBLOCK_SOURCE, 1)	IP(leave_group, MCAST_LEAVE_GROUP, 1)
IP(join_source, MCAST_JOIN_SOURCE_GROUP, 1)	IP(leave_source, MCAST_LEAVE_SOURCE_GROUP, 1)
IP(group_filter, MCAST_MSFILTER, 1)		IP(multicast_all, IP_MULTICAST_ALL, 0, 2)
IP(unicast_if, IP_UNICAST_IF, 1 << 24, 9)
IP(port_range, 51, 30000 + 300 * 65536, 60000 + 30000 * 65536)
OPTION(ip_protocol, IPPROTO_IP, 52, CLASS, int, 1)
OPTION(ip_mtu, IPPROTO_IP, IP_MTU, CLASS, int, 1400, 10)
OPTION(ip_options, IPPROTO_IP, IP_OPTIONS, PLAIN, int, 0x1010101, -1)

IPV6(addrform, IPV6_ADDRFORM, AF_INET)		IPV6(pktinfo_2292, IPV6_2292PKTINFO, 1)
IPV6(hopopts_2292, IPV6_2292HOPOPTS, 1)		IPV6(dstopts_2292, IPV6_2292DSTOPTS, 1)
IPV6(rthdr_2292, IPV6_2292RTHDR, 1)		IPV6(pktoptions_2292, IPV6_2292PKTOPTIONS, 1)
IPV6(checksum, IPV6_CHECKSUM, 2)		IPV6(hoplimit_2292, IPV6_2292HOPLIMIT, 1)
IPV6(nexthop, IPV6_NEXTHOP, 1)			IPV6(authhdr, IPV6_AUTHHDR, 1)
IPV6(flowinfo, 11, 1)				IPV6(unicast_hops, IPV6_UNICAST_HOPS, 44, 256)
IPV6(multicast_if, IPV6_MULTICAST_IF, 1, 99999)	IPV6(multicast_loop, IPV6_MULTICAST_LOOP, 0, 2)
IPV6(add_membership, IPV6_JOIN_GROUP, 1)	IPV6(drop_membership, IPV6_LEAVE_GROUP, 1)
IPV6(router_alert, IPV6_ROUTER_ALERT, 1)	IPV6(mtu_discover, IPV6_MTU_DISCOVER, 2, 9)
IPV6(recverr, IPV6_RECVERR, 1)			IPV6(v6only, IPV6_V6ONLY, 1)
IPV6(join_anycast, IPV6_JOIN_ANYCAST, 1)	IPV6(leave_anycast, IPV6_LEAVE_ANYCAST, 1)
IPV6(multicast_all, 29, 0, 2)			IPV6(alert_isolate, 30, 1)
IPV6(recverr_rfc4884, 31, 1)			IPV6(flowlabel_mgr, 32, 1)
IPV6(flowinfo_send, 33, 1)			IPV6(ipsec_policy, IPV6_IPSEC_POLICY, 1)
IPV6(xfrm_policy, IPV6_XFRM_POLICY, 1)		IPV6(hdrincl, 36, 1)
IPV6(recvpktinfo, IPV6_RECVPKTINFO, 1)		IPV6(recvhoplimit, IPV6_RECVHOPLIMIT, 1)
IPV6(hoplimit, IPV6_HOPLIMIT, 44, 256)		IPV6(recvhopopts, IPV6_RECVHOPOPTS, 1)
IPV6(hopopts, IPV6_HOPOPTS, 1)			IPV6(rthdrdstopts, IPV6_RTHDRDSTOPTS, 1)
IPV6(recvrthdr, IPV6_RECVRTHDR, 1)		IPV6(rthdr, IPV6_RTHDR, 1)
IPV6(recvdstopts, IPV6_RECVDSTOPTS, 1)		IPV6(dstopts, IPV6_DSTOPTS, 1)
IPV6(recvpathmtu, IPV6_RECVPATHMTU, 1)		IPV6(dontfrag, IPV6_DONTFRAG, 1)
IPV6(use_min_mtu, 63, 1)			IPV6(join_group, MCAST_JOIN_GROUP, 1)
IPV6(group_filter, MCAST_MSFILTER, 1)		IPV6(recvtclass, IPV6_RECVTCLASS, 1)
IPV6(tclass, IPV6_TCLASS, 32, 256)		IPV6(autoflowlabel, 70, 1)
IPV6(addr_preferences, 72, 2, 3)		IPV6(minhopcount, 73, 64, 256)
IPV6(recvorigdstaddr, 74, 1)			IPV6(transparent, IPV6_TRANSPARENT, 1)
IPV6(unicast_if, IPV6_UNICAST_IF, 1 << 24, 9)	IPV6(recvfragsize, 77, 1)
IPV6(freebind, 78, 1)
IPV6(multicast_hops, IPV6_MULTICAST_HOPS, 9, 256)
OPTION(ipv6_mtu, IPPROTO_IPV6, IPV6_MTU, CLASS, int, 1280, 10)
OPTION(ipv6_pathmtu, IPPROTO_IPV6, IPV6_PATHMTU, LENGTH, int, 1)
OPTION(ipv6_pktinfo, IPPROTO_IPV6, IPV6_PKTINFO, PLAIN, struct in6_pktinfo,
        { .ipi6_ifindex = 1 }, { .ipi6_ifindex = 99999 })

TCP(nodelay, TCP_NODELAY, 1)			TCP(cork, TCP_CORK, 1)
TCP(keepidle, TCP_KEEPIDLE, 44, 0)		TCP(keepintvl, TCP_KEEPINTVL, 44, 40000)
TCP(keepcnt, TCP_KEEPCNT, 4, 200)		TCP(syncnt, TCP_SYNCNT, 3, 0)
TCP(linger2, TCP_LINGER2, 4, -1)		TCP(defer_accept, TCP_DEFER_ACCEPT, 60)
TCP(quickack, TCP_QUICKACK, 0, 1)		TCP(cookie_transactions, 15, 1)
TCP(thin_dupack, TCP_THIN_DUPACK, 1, 2)		TCP(thin_linear, TCP_THIN_LINEAR_TIMEOUTS, 1, 2)
TCP(user_timeout, TCP_USER_TIMEOUT, 3333, -1)	TCP(repair_queue, TCP_REPAIR_QUEUE, 1, 9)
TCP(queue_seq, TCP_QUEUE_SEQ, 1)		TCP(repair_options, TCP_REPAIR_OPTIONS, 1)
TCP(fastopen, TCP_FASTOPEN, 5, -1)		TCP(notsent_lowat, TCP_NOTSENT_LOWAT, 3000)
TCP(save_syn, TCP_SAVE_SYN, 1, 3)		TCP(repair_window, TCP_REPAIR_WINDOW, 1)
TCP(no_cookie, TCP_FASTOPEN_NO_COOKIE, 1, 2)	TCP(zerocopy, TCP_ZEROCOPY_RECEIVE, 1)
TCP(inq, TCP_INQ, 1, 2)				TCP(tx_delay, TCP_TX_DELAY, 1000)
TCP(ao_add_key, 38, 1)				TCP(ao_del_key, 39, 1)
TCP(ao_info, 40, 1)				TCP(ao_get_keys, 41, 1)
TCP(ao_repair, 42, 1)				TCP(is_mptcp, 43, 1)
TCP(rto_max_ms, 44, 2000, 10)			TCP(rto_min_us, 45, 100000, 0)
TCP(delack_max_us, 46, 100000, 0)
TCP(fastopen_connect, TCP_FASTOPEN_CONNECT, 1, 2)
OPTION(tcp_maxseg, IPPROTO_TCP, TCP_MAXSEG, CLASS, int, 900, 1)
OPTION(tcp_window_clamp, IPPROTO_TCP, TCP_WINDOW_CLAMP, CLASS, int, 50000, -1)
OPTION(tcp_timestamp, IPPROTO_TCP, TCP_TIMESTAMP, LENGTH, int, 1)
OPTION(tcp_info, IPPROTO_TCP, TCP_INFO, LENGTH, int, 1)
OPTION(tcp_cc_info, IPPROTO_TCP, TCP_CC_INFO, LENGTH, int, 1)
OPTION(tcp_saved_syn, IPPROTO_TCP, TCP_SAVED_SYN, LENGTH, int, 1)
OPTION(tcp_congestion, IPPROTO_TCP, TCP_CONGESTION, PLAIN, text, "reno", "none")
OPTION(tcp_ulp, IPPROTO_TCP, TCP_ULP, PLAIN, text, "nothing", "tls")
OPTION(tcp_fastopen_key, IPPROTO_TCP, TCP_FASTOPEN_KEY, LENGTH, text, "0123456789abcde")
OPTION(tcp_md5sig, IPPROTO_TCP, TCP_MD5SIG, LENGTH, struct tcp_md5sig, KEY, { .tcpm_keylen = 81 })
OPTION(tcp_md5sig_ext, IPPROTO_TCP, TCP_MD5SIG_EXT, LENGTH, struct tcp_md5sig, KEY,
	{ .tcpm_keylen = 81 })
