// SPDX-License-Identifier: MIT
/* ioctl(2), TCP_INFO and SO_COOKIE. */
#include <sys/stat.h>

#include "twin.h"

/* The argument is the name of a device, or a number. Say which words of it change. */
static void request(const char *name, int fd, unsigned long number)
{
	static const int before[32] = { [0] = 'l' | 'o' << 8 };
	int now[32], i;

	memcpy(now, before, sizeof(now));
	SAY(name, ioctl(fd, number, now));
	for (i = 0; i < 32; i++)
		if (now[i] != before[i])
			say("[%d]=%d", i, now[i]);
}

/* A FIN is acknowledged within 200 ms. */
static int enter_slowly(enum state state)
{
	int fd = enter(state);

	if (state == IS_SHUT_BOTH)
		nap(300);
	return fd;
}

static void each_request(unsigned long number)
{
	int fd = -1;

	for (const struct named_state *s = states; s->name; s++) {
		fd = enter_slowly(s->state);
		request(s->name, fd, number);
	}
	SAY("null", ioctl(fd, number, NULL));
	SAY("bad", ioctl(fd, number, (void *)8));
	say("flags=%x", (unsigned int)fcntl(fd, F_GETFL));
	forget_kinds();
}

/* No more than one address. */
CASE(ioctl_ifconf)
{
	struct ifreq one;
	struct ifconf conf = { .ifc_req = &one };
	int fd;

	for (const struct named_state *s = states; s->name; s++) {
		fd = enter(s->state);
		conf.ifc_len = sizeof(one);
		SAY(s->name, ioctl(fd, SIOCGIFCONF, &conf));
		say("len=%d first=%.15s", conf.ifc_len, one.ifr_name);
	}
	forget_kinds();
}

CASE(ioctl_namespace)
{
	for (const struct named_state *s = states; s->name; s++) {
		int fd = ioctl(enter(s->state), SIOCGSKNS, 0);

		say("%s=%s", s->name, fd < 0 ? result(fd) : "fd");
	}
	forget_kinds();
}

static void own(unsigned long number)
{
	int pid = getpid(), group = -getpgrp(), none = 0x7fffffff, fd;

	for (const struct named_state *s = states; s->name; s++) {
		fd = enter(s->state);
		SAY(s->name, ioctl(fd, number, &pid));
		say("self=%d", fcntl(fd, F_GETOWN) == pid);
		SAY("group", ioctl(fd, number, &group));
		SAY("none", ioctl(fd, number, &none));
	}
	forget_kinds();
}

CASE_OF(ioctl_setown, own(0x8901))
CASE_OF(ioctl_spgrp, own(SIOCSPGRP))

static int queued(int fd, unsigned long number)
{
	int bytes = -1;

	return ioctl(fd, number, &bytes) ? -errno : bytes;
}

/* Bytes that the peer has not read, and the mark. */
CASE(ioctl_unread)
{
	struct pair p = make_pair();
	char data[10];

	for (int i = 0; i < 3; i++) {
		SAY("send", send(p.c, "hello", 5, 0));
		nap(50);
		say("inq=%d nsd=%d", queued(p.a, SIOCINQ), queued(p.c, SIOCOUTQNSD));
	}
	SAY("peek", recv(p.a, data, 4, MSG_PEEK));
	say("inq=%d", queued(p.a, SIOCINQ));
	SAY("recv", recv(p.a, data, 4, 0));
	say("inq=%d mark=%d", queued(p.a, SIOCINQ), queued(p.a, SIOCATMARK));
	shutdown(p.c, SHUT_WR);
	nap(50);
	say("ended=%d", queued(p.a, SIOCINQ));
	read_all(p.a);
	say("empty=%d outq=%d", queued(p.a, SIOCINQ), queued(p.a, SIOCOUTQ));
}

CASE(ioctl_urgent)
{
	struct pair p = make_pair();
	char data[10];

	send(p.c, "abc", 3, 0);
	SAY("urgent", send(p.c, "!", 1, MSG_OOB));
	wait_for(p.a, POLLPRI);
	say("inq=%d mark=%d", queued(p.a, SIOCINQ), queued(p.a, SIOCATMARK));
	SAY("recv", recv(p.a, data, 10, 0));
	say("inq=%d mark=%d", queued(p.a, SIOCINQ), queued(p.a, SIOCATMARK));
	SAY("oob", recv(p.a, data, 10, MSG_OOB));
	say("inq=%d mark=%d", queued(p.a, SIOCINQ), queued(p.a, SIOCATMARK));
}

CASE(ioctl_unsent)
{
	struct pair p = make_pair();

	fill(p.c);
	say("outq=%d nsd=%d inq=%d", queued(p.c, SIOCOUTQ) > 0, queued(p.c, SIOCOUTQNSD) > 0,
	    queued(p.a, SIOCINQ) > 0);
	nonblocking(p.a, true);
	for (int i = 0; i < 99 && queued(p.c, SIOCOUTQ) + queued(p.a, SIOCINQ); i++) {
		wait_for(p.a, POLLIN);
		while (recv(p.a, much, sizeof(much), 0) > 0)
			;
		nap(20);
	}
	say("outq=%d nsd=%d inq=%d", queued(p.c, SIOCOUTQ), queued(p.c, SIOCOUTQNSD),
	    queued(p.a, SIOCINQ));
}

static struct tcp_info info_of(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	SAY("info", getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len));
	return info;
}

CASE(info_state)
{
	for (const struct named_state *s = states; s->name; s++)
		say("%s=%d", s->name, info_of(enter_slowly(s->state)).tcpi_state);
	forget_kinds();
}

CASE(info_lengths)
{
	static const socklen_t lens[] = { 0, 1, 2, 104, 105, 192, 232, 1000 };
	struct pair p = make_pair();
	unsigned char data[1000];

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		socklen_t len = lens[i];

		memset(data, 0xee, sizeof(data));
		SAY("info", getsockopt(p.c, IPPROTO_TCP, TCP_INFO, data, &len));
		say("len=%u state=%d all=%d", len, *data,
		    touched((char *)data, len, (char)0xee) == len);
	}
}

/* Bytes and segments of a connection that has sent 5 bytes and received 3, and their relation. */
CASE(info_bytes)
{
	struct pair p = make_pair();
	struct tcp_info c, a;
	char data[10];

	send(p.c, "hello", 5, 0);
	recv(p.a, data, 10, 0);
	send(p.a, "you", 3, 0);
	recv(p.c, data, 10, 0);
	nap(100);
	c = info_of(p.c);
	a = info_of(p.a);
	say("acked=%d received=%d sent=%d retrans=%d", (int)c.tcpi_bytes_acked,
	    (int)c.tcpi_bytes_received, (int)c.tcpi_bytes_sent, (int)c.tcpi_bytes_retrans);
	say("acked=%d received=%d sent=%d", (int)a.tcpi_bytes_acked, (int)a.tcpi_bytes_received,
	    (int)a.tcpi_bytes_sent);
	say("out=%u in=%u unacked=%u notsent=%u", c.tcpi_data_segs_out, c.tcpi_data_segs_in,
	    c.tcpi_unacked, c.tcpi_notsent_bytes);
}

CASE(info_fields)
{
	struct pair p = make_pair();
	struct tcp_info i = info_of(p.c);

	say("ca=%d retransmits=%d probes=%d backoff=%d options=%d", i.tcpi_ca_state,
	    i.tcpi_retransmits, i.tcpi_probes, i.tcpi_backoff, i.tcpi_options);
	say("rto=%d snd_mss=%d rcv_mss=%d pmtu=%d rtt=%d cwnd=%d advmss=%d", i.tcpi_rto > 0,
	    i.tcpi_snd_mss > 0, i.tcpi_rcv_mss > 0, i.tcpi_pmtu > 0, i.tcpi_rtt > 0,
	    i.tcpi_snd_cwnd > 0, i.tcpi_advmss > 0);
	say("lost=%u retrans=%u sacked=%u", i.tcpi_lost, i.tcpi_retrans, i.tcpi_sacked);
}

/* The queue of a listener, and its backlog. */
CASE(info_listener)
{
	int l = listener(), i;
	struct tcp_info info;

	for (i = 0; i < 3; i++)
		connect_to(fresh(), port_of(l));
	wait_for(l, POLLIN);
	nap(200);
	info = info_of(l);
	say("queue=%u backlog=%u", info.tcpi_unacked, info.tcpi_sacked);
	call_accept(l);
	listen(l, 4);
	info = info_of(l);
	say("queue=%u backlog=%u", info.tcpi_unacked, info.tcpi_sacked);
}

CASE(info_full)
{
	struct pair p = make_pair();
	struct tcp_info c, a;

	fill(p.c);
	c = info_of(p.c);
	a = info_of(p.a);
	say("notsent=%d sent=%d limited=%d received=%d", c.tcpi_notsent_bytes > 0,
	    c.tcpi_bytes_sent > 1000, c.tcpi_rwnd_limited > 0, a.tcpi_bytes_received > 1000);
}

static unsigned long long cookie_of(int fd)
{
	unsigned long long cookie = 0;
	socklen_t len = sizeof(cookie);

	getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	return cookie;
}

/* The cookie stays the same while a socket listens, connects and closes. */
CASE(cookie)
{
	int l = fresh(), c = fresh();
	unsigned long long of_l = cookie_of(l), of_c = cookie_of(c);
	struct pair p;

	bind_to(l, 0);
	say("bound=%d", cookie_of(l) == of_l);
	listen(l, 5);
	say("listening=%d refused=%s", cookie_of(l) == of_l, result(connect_to(c, refused_port())));
	say("refused=%d", cookie_of(c) == of_c);
	join(&p, l, c);
	say("connected=%d dup=%d accepted=%d", cookie_of(c) == of_c, cookie_of(dup(c)) == of_c,
	    cookie_of(p.a) != of_l && cookie_of(p.a) != of_c);
	shutdown(c, SHUT_RDWR);
	say("shut=%d", cookie_of(c) == of_c);
}

static void keeps_cookie(int level, int name, int value)
{
	int fd = fresh();
	unsigned long long cookie = cookie_of(fd);
	struct stat before, after;

	fstat(fd, &before);
	set(fd, level, name, value);
	fstat(fd, &after);
	say("cookie=%d inode=%d", cookie_of(fd) == cookie, before.st_ino == after.st_ino);
}

CASE_OF(cookie_reuseport, keeps_cookie(SOL_SOCKET, SO_REUSEPORT, 1))
CASE_OF(cookie_peek_off, keeps_cookie(SOL_SOCKET, SO_PEEK_OFF, 0))
CASE_OF(cookie_rcvlowat, keeps_cookie(SOL_SOCKET, SO_RCVLOWAT, 2))
CASE_OF(cookie_minttl, keeps_cookie(IPPROTO_IP, IP_MINTTL, 1))

#define REQUEST(name, number) CASE_OF(ioctl_##name, each_request(number))

/* clang-format off */
REQUEST(inq, SIOCINQ)				REQUEST(outq, SIOCOUTQ)
REQUEST(outqnsd, SIOCOUTQNSD)			REQUEST(atmark, SIOCATMARK)
REQUEST(fionbio, FIONBIO)			REQUEST(fioasync, FIOASYNC)
REQUEST(fioclex, FIOCLEX)			REQUEST(getown, 0x8903)
REQUEST(gpgrp, SIOCGPGRP)			REQUEST(stamp, 0x8906)
REQUEST(stampns, 0x8907)			REQUEST(addrt, SIOCADDRT)
REQUEST(rtmsg, SIOCRTMSG)			REQUEST(ifname, SIOCGIFNAME)
REQUEST(ifflags, SIOCGIFFLAGS)			REQUEST(ifaddr, SIOCGIFADDR)
REQUEST(ifdstaddr, SIOCGIFDSTADDR)		REQUEST(ifbrdaddr, SIOCGIFBRDADDR)
REQUEST(ifnetmask, SIOCGIFNETMASK)		REQUEST(ifmetric, SIOCGIFMETRIC)
REQUEST(ifmtu, SIOCGIFMTU)			REQUEST(ifhwaddr, SIOCGIFHWADDR)
REQUEST(ifindex, SIOCGIFINDEX)			REQUEST(iftxqlen, SIOCGIFTXQLEN)
REQUEST(ifmap, SIOCGIFMAP)			REQUEST(ifslave, SIOCGIFSLAVE)
REQUEST(ifpflags, SIOCGIFPFLAGS)		REQUEST(ethtool, SIOCETHTOOL)
REQUEST(hwtstamp, 0x89b1)			REQUEST(arp, SIOCGARP)
REQUEST(vlan, SIOCGIFVLAN)			REQUEST(protocol_private, SIOCPROTOPRIVATE)
REQUEST(device_private, SIOCDEVPRIVATE)		REQUEST(termios, TCGETS)
REQUEST(winsize, TIOCGWINSZ)			REQUEST(unknown, 0x89ff)
