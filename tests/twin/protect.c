// SPDX-License-Identifier: MIT
/* Options with which TCP keeps others out. */
#include "twin.h"

static int set_key(int fd, int name)
{
	struct tcp_md5sig key = { .tcpm_keylen = 6, .tcpm_key = "secret" };
	struct address peer = loopback(0);

	memcpy(&key.tcpm_addr, &peer.any, peer.len);
	if (name == TCP_MD5SIG_EXT) {
		key.tcpm_flags = TCP_MD5SIG_FLAG_PREFIX;
		key.tcpm_prefixlen = 8;
	}
	return setsockopt(fd, IPPROTO_TCP, name, &key, sizeof(key));
}

/* Since Linux 6.7, with CONFIG_TCP_AO: struct tcp_ao_add of <linux/tcp.h>. */
static int set_ao_key(int fd)
{
	struct {
		struct sockaddr_storage addr;
		char name[64];
		int32_t ifindex;
		uint32_t flags;
		uint16_t reserved;
		uint8_t prefix, sndid, rcvid, maclen, keyflags, keylen, key[80];
	} __attribute__((aligned(8))) add = {
		.name = "hmac(sha1)",
		.sndid = 100,
		.rcvid = 100,
		.keylen = 6,
		.key = "secret",
	};
	struct address peer = loopback(0);

	memcpy(&add.addr, &peer.any, peer.len);
	add.prefix = family == AF_INET ? 32 : 128;
	return setsockopt(fd, IPPROTO_TCP, TCP_AO_ADD_KEY, &add, sizeof(add));
}

static int set_hops(int fd, bool least)
{
	if (family == AF_INET)
		return set(fd, IPPROTO_IP, least ? IP_MINTTL : IP_TTL, 255);
	return set(fd, IPPROTO_IPV6, least ? IPV6_MINHOPCOUNT : IPV6_UNICAST_HOPS, 255);
}

static int bound(void)
{
	int fd = fresh();

	bind_to(fd, 0);
	return fd;
}

/* A stranger tries first. The listener's only client is @in. */
static void keep_out(int l, int in)
{
	int out = fresh();
	struct pair p;

	listen(l, 5);
	nonblocking(out, true);
	SAY("stranger", connect_to(out, port_of(l)));
	nonblocking(in, true);
	join(&p, l, in);
	SAY("send", send(p.c, "x", 1, 0));
	SAY("recv", call_recv(p.a));
	nonblocking(l, true);
	SAY("more", accept(l, NULL, NULL));
	SAY("name", getpeername(out, &(struct sockaddr){ 0 }, &(socklen_t){ 0 }));
}

static void keys(int l, int name)
{
	int in = fresh();

	SAY("server", set_key(l, name));
	SAY("client", set_key(in, name));
	keep_out(l, in);
}

CASE_OF(key, keys(bound(), TCP_MD5SIG))
CASE_OF(key_prefix, keys(bound(), TCP_MD5SIG_EXT))
CASE_OF(key_listening, keys(listener(), TCP_MD5SIG))

CASE(key_reuseport)
{
	int l = fresh(), in = fresh();

	SAY("key", set_key(l, TCP_MD5SIG));
	SAY("reuseport", set(l, SOL_SOCKET, SO_REUSEPORT, 1));
	bind_to(l, 0);
	SAY("client", set_key(in, TCP_MD5SIG));
	keep_out(l, in);
}

CASE(key_retry)
{
	int l = bound(), in = fresh();

	SAY("refused", connect_to(in, refused_port()));
	/* TCP has given back the port that it had chosen. */
	bind_to(fresh(), port_of(in));
	SAY("server", set_key(l, TCP_MD5SIG));
	SAY("client", set_key(in, TCP_MD5SIG));
	keep_out(l, in);
}

CASE(key_ao)
{
	int l = bound(), in = fresh(), ret;

	errno = 0;
	ret = set_ao_key(l);
	say_result("server", ret);
	SAY("client", set_ao_key(in));
	if (!ret)
		keep_out(l, in);
}

CASE(hops)
{
	int l = bound(), in = fresh();

	SAY("server", set_hops(l, true));
	SAY("client", set_hops(in, false));
	keep_out(l, in);
}

CASE(filter)
{
	struct sock_filter none = { .code = BPF_RET | BPF_K };
	struct sock_fprog filter = { .len = 1, .filter = &none };
	int l = listener();

	SAY("attach", setsockopt(l, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)));
	say_kind("listener", l);
}

CASE(hops_connected)
{
	struct pair p = make_pair();

	SAY("set", set_hops(p.a, true));
}
