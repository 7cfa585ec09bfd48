// SPDX-License-Identifier: MIT
#include "smc/tcp.h"

#include <libmnl/libmnl.h>
#include <linux/tcp.h>

#include "smc/inet.h"

/* States of the kernel's <net/tcp_states.h>, as bits. */
enum {
	ESTABLISHED = 1 << 1,
	FIN_WAIT1 = 1 << 4,
	FIN_WAIT2 = 1 << 5,
	CLOSE_WAIT = 1 << 8,
	LAST_ACK = 1 << 9,
	LISTEN = 1 << 10,
	CLOSING = 1 << 11,
};

/* Values of idiag_timer, sock_diag(7) */
#define TIMER_TIME_WAIT 3

/* TCPI_OPT_SYN_DATA of <linux/tcp.h>: data in a SYN was acknowledged, by the peer or by us. */
#define OPTION_SYN_DATA 32

struct inet_diag_req_v2 smc_tcp_request(uint8_t family)
{
	struct inet_diag_req_v2 req = smc_inet_request(family);

	req.idiag_states =
		ESTABLISHED | FIN_WAIT1 | FIN_WAIT2 | CLOSE_WAIT | LAST_ACK | LISTEN | CLOSING;
	req.idiag_ext = 1 << (INET_DIAG_INFO - 1);
	return req;
}

void smc_addr_unmap(struct smc_addr *addr)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

	if (addr->family != AF_INET6 || memcmp(addr->ip, mapped, sizeof(mapped)))
		return;
	addr->family = AF_INET;
	memcpy(addr->ip, addr->ip + sizeof(mapped), 4);
	memset(addr->ip + 4, 0, sizeof(addr->ip) - 4);
}

static void take_info(struct smc_tcp *tcp, const struct nlattr *attr)
{
	struct tcp_info info = { 0 };
	size_t len = mnl_attr_get_payload_len(attr);

	/* Members up to here are in Linux 4.6; older kernels have too few. */
	if (len < offsetof(struct tcp_info, tcpi_data_segs_out) + sizeof(info.tcpi_data_segs_out))
		return;
	memcpy(&info, mnl_attr_get_payload(attr), len < sizeof(info) ? len : sizeof(info));
	tcp->has_info = true;
	tcp->segs_sent = info.tcpi_data_segs_out;
	tcp->segs_received = info.tcpi_data_segs_in;
	/* Since 4.19; bytes acked include SYN and FIN, one each. */
	if (len >= offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof(info.tcpi_bytes_retrans))
		tcp->sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
	else if (tcp->segs_sent)
		tcp->sent = info.tcpi_bytes_acked;
	tcp->received = info.tcpi_bytes_received;
	tcp->mss = info.tcpi_snd_mss;
	tcp->is_fast_open = info.tcpi_options & OPTION_SYN_DATA;
}

static void take_ulp(struct smc_tcp *tcp, const struct nlattr *nest)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == INET_ULP_INFO_NAME &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			strncpy(tcp->ulp, mnl_attr_get_str(attr), sizeof(tcp->ulp) - 1);
	}
}

static void take(struct smc_tcp *tcp, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case INET_DIAG_INFO: take_info(tcp, attr); break;
	case INET_DIAG_MD5SIG: tcp->is_signed = mnl_attr_get_payload_len(attr) > 0; break;
	case INET_DIAG_ULP_INFO: take_ulp(tcp, attr); break;
	default: break;
	}
}

int smc_tcp_decode(struct smc_tcp *tcp, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	struct inet_diag_msg msg;
	int ret = smc_inet_message(&msg, nlh);
	unsigned int state;

	if (ret)
		return ret;
	state = 1U << (msg.idiag_state & 31);
	*tcp = (struct smc_tcp){ .uid = msg.idiag_uid, .inode = msg.idiag_inode };
	smc_inet_ends(&msg, &tcp->local, &tcp->peer);
	smc_addr_unmap(&tcp->local);
	smc_addr_unmap(&tcp->peer);
	tcp->is_listener = state == LISTEN;
	tcp->is_remnant = msg.idiag_timer == TIMER_TIME_WAIT;
	tcp->is_over = !msg.idiag_inode && state & (FIN_WAIT1 | FIN_WAIT2 | LAST_ACK | CLOSING);
	tcp->cookie = (uint64_t)msg.id.idiag_cookie[1] << 32 | msg.id.idiag_cookie[0];
	mnl_attr_for_each(attr, nlh, sizeof(msg))
		take(tcp, attr);
	return 0;
}
