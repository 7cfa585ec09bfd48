// SPDX-License-Identifier: MIT
/* What a live test found, for people and as JSON. */
#include "smc_chk/live/report.h"

#include <inttypes.h>
#include <string.h>

#include "out/table.h"
#include "smc/reason.h"
#include "smc_chk/smc_chk.h"

#define REASON_PEERNOSMC 0x03010000U

static const char *mode_title(enum smc_mode mode)
{
	switch (mode) {
	case SMC_MODE_SMCR: return "SMC-R";
	case SMC_MODE_SMCD: return "SMC-D";
	case SMC_MODE_TCP: return "TCP";
	default: return "SMC";
	}
}

static bool has_reason(const struct client_result *result)
{
	return result->mode == SMC_MODE_TCP && result->has_sock &&
	       result->sock.has & SMC_SOCK_HAS_FALLBACK && result->sock.fallback.reason;
}

static bool has_server_reason(const struct client_result *result)
{
	return result->has_who && result->who.has_reason && result->who.reason;
}

/* ---- text ---- */

static void put_verdict(struct out_text *text, const struct client_result *result)
{
	char peer[ENDPOINT_TEXT_SIZE];
	unsigned int port = endpoint_port(&result->peer);

	endpoint_text(peer, &result->peer);
	switch (result->status) {
	case CHK_OK:
		out_printf(text, "%s works: %s port %u\n", mode_title(result->mode), peer, port);
		break;
	case CHK_TCP:
		out_printf(text, "TCP, not SMC: %s port %u\n", peer, port);
		break;
	default:
		out_printf(text, "Not tested: %s\n", result->err.text);
		out_printf(text, "  %-12s %s port %u is reached\n", "over TCP", peer, port);
		break;
	}
}

static void put_version(struct out_text *text, const struct client_result *result)
{
	const struct smc_lgr *lgr = &result->lgr;

	if (!result->has_lgr)
		return;
	out_printf(text, "  %-12s %08" PRIx32 ", %sv%d", "link group", lgr->id, mode_title(result->mode),
	    lgr->is_v2 ? 2 : 1);
	if (lgr->has & SMC_LGR_HAS_RELEASE)
		out_printf(text, " release %u", lgr->release);
	if (lgr->has & SMC_LGR_HAS_EID && lgr->eid[0]) {
		out_str(text, ", EID ");
		out_escaped(text, lgr->eid, sizeof(lgr->eid));
	}
	if (lgr->has & SMC_LGR_HAS_PEER_HOST && lgr->peer_host[0]) {
		out_str(text, ", peer ");
		out_escaped(text, lgr->peer_host, sizeof(lgr->peer_host));
	}
	out_char(text, '\n');
}

static void put_device(struct out_text *text, const struct client_result *result)
{
	const struct smc_sock *sock = &result->sock;

	if (!result->has_sock)
		return;
	if (result->mode == SMC_MODE_SMCR && sock->has & SMC_SOCK_HAS_LGR) {
		out_printf(text, "  %-12s ", "device");
		out_escaped(text, sock->lgr.ibname, sizeof(sock->lgr.ibname));
		out_printf(text, " port %u\n  %-12s %s\n  %-12s %s\n", sock->lgr.ibport, "GID",
		    sock->lgr.gid, "peer's GID", sock->lgr.peer_gid);
	} else if (result->mode == SMC_MODE_SMCD && sock->has & SMC_SOCK_HAS_DMB) {
		if (result->has_lgr && result->lgr.has & SMC_LGR_HAS_CHID)
			out_printf(text, "  %-12s CHID %04" PRIx32 "%s\n", "device", result->lgr.chid,
			    result->lgr.chid == SMC_ABI_CHID_LOOPBACK ? " (loopback)" : "");
		out_printf(text, "  %-12s %016" PRIx64 "\n  %-12s %016" PRIx64 "\n", "GID",
		    sock->dmb.my_gid, "peer's GID", sock->dmb.peer_gid);
	}
}

static void put_reason(struct out_text *text, const char *side, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	out_printf(text, "  %-12s 0x%08" PRIx32 " %s%s%s\n", side, code, reason ? reason->symbol : "",
	    reason ? ": " : "", reason ? reason->meaning : "a reason that Linux does not use");
}

/*
 * The side that raised the reason has to be mended. A server of ours is known to speak
 * SMC: then the option was lost on the way.
 */
static void put_remedy(struct out_text *text, const struct client_result *result)
{
	const struct smc_abi_fallback *fallback = &result->sock.fallback;
	bool is_peer = fallback->reason == SMC_REASON_PEERDECL && fallback->peer_diagnosis;
	uint32_t code = is_peer ? fallback->peer_diagnosis : fallback->reason;
	const struct smc_reason *reason = smc_reason_find(code);
	char peer[ENDPOINT_TEXT_SIZE];

	if (code == REASON_PEERNOSMC && result->is_ours) {
		out_printf(text, "Try: look for what removed SMC's TCP option (254) from the handshake, "
		    "since both ends speak SMC: a firewall on the way, SYN cookies, or handshake "
		    "limitation (smcr hs)\n");
		return;
	}
	if (reason && is_peer)
		out_printf(text, "Try on %s: %s\n", endpoint_text(peer, &result->peer), reason->check);
	else if (reason)
		out_printf(text, "Try: %s\n", reason->check);
	out_printf(text, "More: smc_chk -e 0x%08" PRIx32, fallback->reason);
	if (fallback->peer_diagnosis)
		out_printf(text, "/0x%08" PRIx32, fallback->peer_diagnosis);
	out_char(text, '\n');
}

static void put_times(struct out_text *text, const struct client_result *result)
{
	char local[ENDPOINT_TEXT_SIZE];

	out_printf(text, "  %-12s %s\n", "from", endpoint_text(local, &result->local));
	out_printf(text, "  %-12s %.3f ms\n", "handshake", (double)result->handshake_ns / 1e6);
	if (!result->is_ours) {
		out_printf(text, "  %-12s none: the server is not smc_chk -S\n", "data");
		return;
	}
	out_printf(text, "  %-12s %" PRIu64 " bytes each way, verified\n", "data",
	    result->bytes);
	out_printf(text, "  %-12s %.3f ms at least, median %.3f ms\n", "round trip",
	    (double)result->rtt_min_ns / 1e6, (double)result->rtt_median_ns / 1e6);
}

/* How much better SMC is: more of @more_is_better, or less of the other. */
static void put_ratio(struct out_text *text, const char *name, const char *unit, double smc,
		      double tcp, bool more_is_better)
{
	out_printf(text, "  %-12s %12.3f %12.3f %-7s", name, smc, tcp, unit);
	if (smc > 0 && tcp > 0)
		out_printf(text, " %8.2f", more_is_better ? smc / tcp : tcp / smc);
	out_char(text, '\n');
}

static void put_rates(struct out_text *text, const struct client_result *result)
{
	const struct client_rates *smc = &result->smc, *tcp = &result->tcp;

	if (!result->has_rates)
		return;
	out_printf(text, "  %-12s %12s %12s %-7s %8s\n", "measured", mode_title(result->mode), "plain TCP",
	    "", "better");
	put_ratio(text, "connecting", "ms", (double)smc->connect_ns / 1e6,
		  (double)tcp->connect_ns / 1e6, false);
	put_ratio(text, "connections", "1/s", smc->connects_per_second, tcp->connects_per_second,
		  true);
	if (!result->is_ours)
		return;
	put_ratio(text, "round trip", "ms", (double)smc->round_trip_ns / 1e6,
		  (double)tcp->round_trip_ns / 1e6, false);
	put_ratio(text, "throughput", "MB/s", smc->bytes_per_second / 1e6,
		  tcp->bytes_per_second / 1e6, true);
}

void report_text(struct out_text *text, const struct client_result *result)
{
	put_verdict(text, result);
	if (has_reason(result))
		put_reason(text, "here", result->sock.fallback.reason);
	if (result->status == CHK_TCP && has_server_reason(result))
		put_reason(text, "server", result->who.reason);
	else if (has_reason(result) && result->sock.fallback.peer_diagnosis)
		put_reason(text, "server", result->sock.fallback.peer_diagnosis);
	put_version(text, result);
	put_device(text, result);
	put_times(text, result);
	put_rates(text, result);
	if (has_reason(result))
		put_remedy(text, result);
}

/* ---- JSON ---- */

/* All of json_object_set_new(), which takes NULL for no memory. */
static int set(json_t *json, const char *key, json_t *value)
{
	return json_object_set_new(json, key, value);
}

/* As in smcss's JSON. */
static json_t *json_reason(uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (!reason)
		return json_pack("{s:I}", "code", (json_int_t)code);
	return json_pack("{s:I, s:s, s:s, s:s}", "code", (json_int_t)code, "symbol", reason->symbol,
			 "meaning", reason->meaning, "check", reason->check);
}

static int set_reason(json_t *json, uint32_t code, uint32_t peer)
{
	return set(json, "reason", json_reason(code)) |
	       (peer ? set(json, "peer_reason", json_reason(peer)) : 0);
}

static int set_group(json_t *json, const struct smc_lgr *lgr)
{
	int ret = set(json, "link_group", json_sprintf("%08" PRIx32, lgr->id)) |
		  set(json, "version", json_integer(lgr->is_v2 ? 2 : 1));

	if (lgr->has & SMC_LGR_HAS_RELEASE)
		ret |= set(json, "release", json_integer(lgr->release));
	if (lgr->has & SMC_LGR_HAS_EID && lgr->eid[0])
		ret |= set(json, "eid", out_json_string(lgr->eid, sizeof(lgr->eid)));
	if (lgr->has & SMC_LGR_HAS_PEER_HOST && lgr->peer_host[0])
		ret |= set(json, "peer_host",
			   out_json_string(lgr->peer_host, sizeof(lgr->peer_host)));
	if (lgr->has & SMC_LGR_HAS_CHID)
		ret |= set(json, "chid", out_json_hex(lgr->chid, 4));
	return ret;
}

static int set_device(json_t *json, const struct client_result *result)
{
	const struct smc_sock *sock = &result->sock;
	int ret = 0;

	if (result->mode == SMC_MODE_SMCR && sock->has & SMC_SOCK_HAS_LGR)
		ret = set(json, "ib_device", out_json_string(sock->lgr.ibname, SMC_IB_NAME_LEN)) |
		      set(json, "ib_port", json_integer(sock->lgr.ibport)) |
		      set(json, "gid", out_json_string(sock->lgr.gid, SMC_GID_TEXT_LEN)) |
		      set(json, "peer_gid", out_json_string(sock->lgr.peer_gid, SMC_GID_TEXT_LEN));
	else if (result->mode == SMC_MODE_SMCD && sock->has & SMC_SOCK_HAS_DMB)
		ret = set(json, "gid", out_json_hex(sock->dmb.my_gid, 16)) |
		      set(json, "peer_gid", out_json_hex(sock->dmb.peer_gid, 16));
	return ret;
}

static json_t *json_rates(const struct client_result *result, const struct client_rates *rates)
{
	json_t *json = json_pack("{s:f, s:I}", "connects_per_second", rates->connects_per_second,
				 "connect_ns", (json_int_t)rates->connect_ns);

	if (json && result->is_ours &&
	    set(json, "bytes_per_second", json_real(rates->bytes_per_second)) |
	    set(json, "round_trip_ns", json_integer((json_int_t)rates->round_trip_ns))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

/* Greater than 1: SMC is better. Left out where one was not measured. */
static int set_ratio(json_t *json, const char *key, double better, double worse)
{
	return better > 0 && worse > 0 ? set(json, key, json_real(better / worse)) : 0;
}

static json_t *json_ratios(const struct client_result *result)
{
	const struct client_rates *smc = &result->smc, *tcp = &result->tcp;
	json_t *json = json_object();

	if (!(set_ratio(json, "connects_per_second", smc->connects_per_second,
			tcp->connects_per_second) |
	      set_ratio(json, "connect", (double)tcp->connect_ns, (double)smc->connect_ns) |
	      set_ratio(json, "round_trip", (double)tcp->round_trip_ns, (double)smc->round_trip_ns) |
	      set_ratio(json, "throughput", smc->bytes_per_second, tcp->bytes_per_second)))
		return json;
	json_decref(json);
	return NULL;
}

static json_t *json_server(const struct client_result *result)
{
	json_t *json = json_pack("{s:b}", "is_smc_chk", result->is_ours);
	int ret = 0;

	if (result->has_who && result->who.mode != SMC_MODE_NONE)
		ret |= set(json, "mode", json_string(smc_mode_name(result->who.mode)));
	if (has_server_reason(result))
		ret |= set_reason(json, result->who.reason, result->who.peer_diagnosis);
	if (!ret)
		return json;
	json_decref(json);
	return NULL;
}

static json_t *json_endpoint(const union endpoint_addr *addr)
{
	char text[ENDPOINT_TEXT_SIZE];

	return json_pack("{s:s, s:i}", "address", endpoint_text(text, addr), "port",
			 endpoint_port(addr));
}

int report_json(json_t *json, const struct client_result *result)
{
	static const char *const names[] = { [CHK_OK] = "smc", [CHK_ERROR] = "error",
					     [CHK_TCP] = "tcp", [CHK_UNTESTED] = "untested" };
	int ret = set(json, "result", json_string(names[result->status]));

	if (result->status == CHK_ERROR || result->status == CHK_UNTESTED)
		ret |= set(json, "error", json_string(result->err.text));
	if (result->status == CHK_ERROR)
		return ret;
	ret |= set(json, "peer", json_endpoint(&result->peer)) |
	       set(json, "local", json_endpoint(&result->local)) |
	       set(json, "server", json_server(result)) |
	       set(json, "handshake_ns", json_integer((json_int_t)result->handshake_ns));
	if (result->mode != SMC_MODE_NONE)
		ret |= set(json, "mode", json_string(smc_mode_name(result->mode)));
	if (has_reason(result))
		ret |= set_reason(json, result->sock.fallback.reason,
				  result->sock.fallback.peer_diagnosis);
	if (result->has_lgr)
		ret |= set_group(json, &result->lgr);
	if (result->has_sock)
		ret |= set_device(json, result);
	if (result->is_ours)
		ret |= set(json, "bytes", json_integer((json_int_t)result->bytes)) |
		       set(json, "round_trip_min_ns",
			   json_integer((json_int_t)result->rtt_min_ns)) |
		       set(json, "round_trip_ns", json_integer((json_int_t)result->rtt_median_ns));
	if (result->has_rates)
		ret |= set(json, "smc", json_rates(result, &result->smc)) |
		       set(json, "tcp", json_rates(result, &result->tcp)) |
		       set(json, "ratios", json_ratios(result));
	return ret;
}
