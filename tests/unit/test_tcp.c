// SPDX-License-Identifier: MIT
/* extra/lib/smc/tcp: TCP sockets with TCP_INFO, which is shorter on older kernels. */
#include "test.h"

#include <linux/inet_diag.h>
#include <linux/tcp.h>

#include "smc/tcp.h"

static struct inet_diag_msg socket_of(int family, const char *src, const char *dst)
{
	struct inet_diag_msg msg = { .idiag_family = (uint8_t)family,
				     .idiag_state = 1,
				     .idiag_uid = 7,
				     .idiag_inode = 4711,
				     .id.idiag_cookie = { 2, 1 } };

	msg.id.idiag_sport = htons(80);
	msg.id.idiag_dport = htons(4000);
	set_words(msg.id.idiag_src, family, src);
	set_words(msg.id.idiag_dst, family, dst);
	return msg;
}

static const struct tcp_info numbers = {
	.tcpi_options = 32,
	.tcpi_snd_mss = 1448,
	.tcpi_bytes_acked = 1002,
	.tcpi_bytes_received = 50,
	.tcpi_data_segs_in = 3,
	.tcpi_data_segs_out = 4,
	.tcpi_bytes_sent = 1100,
	.tcpi_bytes_retrans = 100,
};

static int decode(struct smc_tcp *tcp, const struct inet_diag_msg *msg, size_t info_len)
{
	struct message m;

	message_start(&m, SOCK_DIAG_BY_FAMILY);
	message_put(&m, msg, sizeof(*msg));
	if (info_len)
		message_attr(&m, INET_DIAG_INFO, &numbers, info_len);
	return smc_tcp_decode(tcp, &m.nlh);
}

static struct smc_tcp tcp;

TEST(whole)
{
	const struct inet_diag_msg msg = socket_of(AF_INET, "10.0.0.1", "10.0.0.2");

	assert_int_equal(decode(&tcp, &msg, sizeof(numbers)), 0);
	assert_true(tcp.has_info && tcp.is_fast_open && !tcp.is_listener && !tcp.is_signed);
	assert_int_equal(tcp.cookie, 1ULL << 32 | 2);
	assert_int_equal(tcp.inode, 4711);
	assert_int_equal(tcp.uid, 7);
	assert_int_equal(tcp.local.port, 80);
	assert_int_equal(tcp.peer.port, 4000);
	assert_int_equal(tcp.peer.ip[3], 2);
	/* Retransmissions are not counted, nor are SYN and FIN. */
	assert_int_equal(tcp.sent, 1000);
	assert_int_equal(tcp.received, 50);
	assert_int_equal(tcp.segs_sent, 4);
	assert_int_equal(tcp.segs_received, 3);
	assert_int_equal(tcp.mss, 1448);
}

/* In FIN_WAIT2, as a socket and as a timewait socket. */
TEST(remnant)
{
	struct inet_diag_msg msg = socket_of(AF_INET, "10.0.0.1", "10.0.0.2");

	msg.idiag_state = 5;
	assert_int_equal(decode(&tcp, &msg, 0), 0);
	assert_false(tcp.is_remnant);
	msg.idiag_timer = 3;
	assert_int_equal(decode(&tcp, &msg, 0), 0);
	assert_true(tcp.is_remnant);
}

TEST(older)
{
	const struct inet_diag_msg msg = socket_of(AF_INET, "10.0.0.1", "10.0.0.2");

	assert_int_equal(decode(&tcp, &msg, offsetof(struct tcp_info, tcpi_bytes_sent)), 0);
	assert_true(tcp.has_info);
	assert_int_equal(tcp.sent, 1002);
	assert_int_equal(decode(&tcp, &msg, offsetof(struct tcp_info, tcpi_data_segs_out)), 0);
	assert_false(tcp.has_info);
	assert_int_equal(decode(&tcp, &msg, 0), 0);
	assert_false(tcp.has_info);
}

TEST(short_message)
{
	struct message m;

	message_start(&m, SOCK_DIAG_BY_FAMILY);
	message_put(&m, "abcd", 4);
	assert_int_equal(smc_tcp_decode(&tcp, &m.nlh), -EBADMSG);
}

TEST(mapped)
{
	struct inet_diag_msg msg = socket_of(AF_INET6, "::ffff:10.0.0.1", "2001:db8::1");

	msg.idiag_state = 10;
	assert_int_equal(decode(&tcp, &msg, 0), 0);
	assert_true(tcp.is_listener);
	assert_int_equal(tcp.local.family, AF_INET);
	assert_memory_equal(tcp.local.ip, "\x0a\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(tcp.peer.family, AF_INET6);
	assert_int_equal(tcp.peer.ip[0], 0x20);
}

TEST(extras)
{
	const struct inet_diag_msg msg = socket_of(AF_INET, "10.0.0.1", "10.0.0.2");
	const struct nlattr name = { .nla_len = 8, .nla_type = INET_ULP_INFO_NAME };
	uint8_t ulp[8];
	struct message m;

	memcpy(ulp, &name, sizeof(name));
	memcpy(ulp + sizeof(name), "tls", 4);
	message_start(&m, SOCK_DIAG_BY_FAMILY);
	message_put(&m, &msg, sizeof(msg));
	message_attr(&m, INET_DIAG_ULP_INFO, ulp, sizeof(ulp));
	message_attr(&m, INET_DIAG_MD5SIG, "key", 3);
	assert_int_equal(smc_tcp_decode(&tcp, &m.nlh), 0);
	assert_string_equal(tcp.ulp, "tls");
	assert_true(tcp.is_signed);
	/* Not terminated. */
	m.nlh.nlmsg_len = NLMSG_HDRLEN + sizeof(msg);
	memcpy(ulp + sizeof(name), "tlsx", 4);
	message_attr(&m, INET_DIAG_ULP_INFO, ulp, sizeof(ulp));
	assert_int_equal(smc_tcp_decode(&tcp, &m.nlh), 0);
	assert_string_equal(tcp.ulp, "");
}
