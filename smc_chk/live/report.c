// SPDX-License-Identifier: MIT
/* Print the result of a live test, as text and JSON. */
#include "smc_chk/live/client.h"

#include "base/array.h"
#include "cli/screen.h"
#include "out/list.h"
#include "smc/reason.h"
#include "sockets/show.h"

#define REASON_PEERNOSMC 0x03010000U

static const char *mode_title(enum smc_mode mode)
{
	static const char *const titles[] = { "SMC", "SMC-R", "SMC-D", "TCP" };

	return titles[mode];
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

#define put(text, label, fmt, ...) out_printf(text, "  %-12s " fmt "\n", label, ##__VA_ARGS__)

static void put_verdict(struct out_text *text, const struct client_result *result)
{
	char peer[ENDPOINT_TEXT_SIZE], verdict[32];
	unsigned int port = endpoint_port(&result->peer);

	endpoint_text(peer, &result->peer);
	if (result->status == CHK_UNTESTED) {
		out_printf(text, "Not tested: %s\n", result->err.text);
		put(text, "over TCP", "%s port %u is reached", peer, port);
	} else {
		snprintf(verdict, sizeof(verdict), "%s%s",
			 result->status == CHK_TCP ? "TCP, not SMC" : "Success, using ",
			 result->status == CHK_TCP ? "" : mode_title(result->mode));
		out_styled(text, result->status == CHK_TCP ? OUT_WARNING : OUT_GOOD, verdict);
		out_printf(text, ": %s port %u\n", peer, port);
	}
}

static void put_name(struct out_text *text, const char *what, const char *name)
{
	out_str(text, what);
	out_escaped(text, name, strlen(name));
}

static void put_group(struct out_text *text, const struct client_result *result)
{
	const struct smc_lgr *lgr = &result->lgr;

	if (!result->has_lgr)
		return;
	out_printf(text, "  %-12s %08" PRIx32 ", %sv%d", "link group", lgr->id,
		   mode_title(result->mode), lgr->is_v2 ? 2 : 1);
	if (lgr->has & SMC_LGR_HAS_RELEASE)
		out_printf(text, " release %u", lgr->release);
	if (lgr->has & SMC_LGR_HAS_EID && lgr->eid[0])
		put_name(text, ", EID ", lgr->eid);
	if (lgr->has & SMC_LGR_HAS_PEER_HOST && lgr->peer_host[0])
		put_name(text, ", peer ", lgr->peer_host);
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
		out_printf(text, " port %u\n", sock->lgr.ibport);
		put(text, "GID", "%s", sock->lgr.gid);
		put(text, "peer's GID", "%s", sock->lgr.peer_gid);
	} else if (result->mode == SMC_MODE_SMCD && sock->has & SMC_SOCK_HAS_DMB) {
		if (result->has_lgr && result->lgr.has & SMC_LGR_HAS_CHID)
			put(text, "device", "CHID %04" PRIx32 "%s", result->lgr.chid,
			    result->lgr.chid == SMC_ABI_CHID_LOOPBACK ? " (loopback)" : "");
		put(text, "GID", "%016" PRIx64, sock->dmb.my_gid);
		put(text, "peer's GID", "%016" PRIx64, sock->dmb.peer_gid);
	}
}

static void put_reason(struct out_text *text, const char *side, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (reason)
		put(text, side, "0x%08" PRIx32 " %s: %s", code, reason->symbol, reason->meaning);
	else
		put(text, side, "0x%08" PRIx32 " a reason that Linux does not use", code);
}

/* Fix the side that raised the reason. If our server speaks SMC, the option was lost on the way. */
static void put_remedy(struct out_text *text, const struct client_result *result)
{
	const struct smc_diag_fallback *fallback = &result->sock.fallback;
	bool is_peer = fallback->reason == SMC_REASON_PEERDECL && fallback->peer_diagnosis;
	uint32_t code = is_peer ? fallback->peer_diagnosis : fallback->reason;
	const struct smc_reason *reason = smc_reason_find(code);
	char peer[ENDPOINT_TEXT_SIZE];

	if (code == REASON_PEERNOSMC && result->is_ours) {
		out_str(text,
			"Try: look for what removed SMC's TCP option (254) from the "
			"handshake, since both ends speak SMC: a firewall on the way, SYN cookies, "
			"or handshake limitation (smcr hs)\n");
		return;
	}
	if (reason && is_peer)
		out_printf(text, "Try on %s: %s\n", endpoint_text(peer, &result->peer),
			   reason->check);
	else if (reason)
		out_printf(text, "Try: %s\n", reason->check);
	out_printf(text, "More: smc_chk explain 0x%08" PRIx32, fallback->reason);
	if (fallback->peer_diagnosis)
		out_printf(text, "/0x%08" PRIx32, fallback->peer_diagnosis);
	out_char(text, '\n');
}

static void put_times(struct out_text *text, const struct client_result *result)
{
	char local[ENDPOINT_TEXT_SIZE];

	put(text, "from", "%s", endpoint_text(local, &result->local));
	put(text, "handshake", "%.3f ms", (double)result->handshake_ns / 1e6);
	if (!result->is_ours) {
		put(text, "data",
		    "none: the server did not greet as smc_chk serve does, or nothing gets through");
		return;
	}
	put(text, "data", "%" PRIu64 " bytes each way, verified", result->bytes);
	put(text, "round trip", "%.3f ms at least, median %.3f ms", result->rtt_min_ns / 1e6,
	    result->rtt_median_ns / 1e6);
}

/* A ratio that prints as 1.00 is neither faster nor slower. */
static void put_words(struct out_text *text, size_t width, double ratio)
{
	const char *times = width && cli_has_utf8() ? "\u00d7" : "x";
	enum out_style style = OUT_PLAIN;
	const char *what = "";
	char words[48];

	if (ratio < 0.995) {
		what = " (slower)";
		style = OUT_WARNING;
	} else if (ratio >= 1.005) {
		what = " (faster)";
		style = OUT_GOOD;
	}
	snprintf(words, sizeof(words), "%.2f %s TCP%s", ratio, times, what);
	out_styled(text, style, words);
}

static void put_rates(struct out_text *text, const struct client_result *result, size_t width)
{
	const struct client_rates *smc = &result->smc, *tcp = &result->tcp;
	const struct {
		const char *name, *unit;
		double smc, tcp;
		bool is_time; /* less is better */
	} rates[] = {
		{ "connecting", "ms", smc->connect_ns / 1e6, tcp->connect_ns / 1e6, true },
		{ "connections", "1/s", smc->connects_per_second, tcp->connects_per_second, false },
		{ "round trip", "ms", smc->round_trip_ns / 1e6, tcp->round_trip_ns / 1e6, true },
		{ "throughput", "MB/s", smc->bytes_per_second / 1e6, tcp->bytes_per_second / 1e6,
		  false },
	};

	if (!result->has_rates)
		return;
	put(text, "measured", "%12s %12s", mode_title(result->mode), "plain TCP");
	for_each(rate, rates, (result->is_ours ? 4 : 2)) {
		out_printf(text, "  %-12s %12.3f %12.3f %-4s  ", rate->name, rate->smc, rate->tcp,
			   rate->unit);
		if (rate->smc > 0 && rate->tcp > 0)
			put_words(text, width,
				  rate->is_time ? rate->tcp / rate->smc : rate->smc / rate->tcp);
		out_char(text, '\n');
	}
}

void report_text(struct out_text *text, const struct client_result *result, size_t width)
{
	put_verdict(text, result);
	if (has_reason(result))
		put_reason(text, "here", result->sock.fallback.reason);
	if (result->status == CHK_TCP && has_server_reason(result))
		put_reason(text, "server", result->who.reason);
	else if (has_reason(result) && result->sock.fallback.peer_diagnosis)
		put_reason(text, "server", result->sock.fallback.peer_diagnosis);
	put_group(text, result);
	put_device(text, result);
	put_times(text, result);
	put_rates(text, result, width);
	if (has_reason(result))
		put_remedy(text, result);
}

/* ---- JSON ---- */

static json_t *json_reasons(uint32_t code, uint32_t peer)
{
	return json_pack("{s:o, s:o*}", "reason", sockets_json_reason(code), "peer_reason",
			 peer ? sockets_json_reason(peer) : NULL);
}

static json_t *json_name(bool is_known, const char *name)
{
	return is_known && *name ? out_json_str(name) : NULL;
}

static json_t *json_group(const struct smc_lgr *lgr)
{
	json_t *release = lgr->has & SMC_LGR_HAS_RELEASE ? json_integer(lgr->release) : NULL;
	json_t *chid = lgr->has & SMC_LGR_HAS_CHID ? out_json_hex(lgr->chid, 4) : NULL;

	return json_pack("{s:o, s:i, s:o*, s:o*, s:o*, s:o*}", "link_group",
			 json_sprintf("%08" PRIx32, lgr->id), "version", lgr->is_v2 ? 2 : 1,
			 "release", release, "eid", json_name(lgr->has & SMC_LGR_HAS_EID, lgr->eid),
			 "peer_host", json_name(lgr->has & SMC_LGR_HAS_PEER_HOST, lgr->peer_host),
			 "chid", chid);
}

static json_t *json_device(const struct client_result *result)
{
	const struct smc_sock *sock = &result->sock;

	if (result->mode == SMC_MODE_SMCR && sock->has & SMC_SOCK_HAS_LGR)
		return json_pack("{s:o, s:i, s:o, s:o}", "ib_device",
				 out_json_string(sock->lgr.ibname, SMC_IB_NAME_LEN), "ib_port",
				 sock->lgr.ibport, "gid",
				 out_json_string(sock->lgr.gid, SMC_GID_TEXT_LEN), "peer_gid",
				 out_json_string(sock->lgr.peer_gid, SMC_GID_TEXT_LEN));
	if (result->mode == SMC_MODE_SMCD && sock->has & SMC_SOCK_HAS_DMB)
		return json_pack("{s:o, s:o}", "gid", out_json_hex(sock->dmb.my_gid, 16),
				 "peer_gid", out_json_hex(sock->dmb.peer_gid, 16));
	return json_object();
}

static json_t *json_rates(const struct client_result *result, const struct client_rates *rates)
{
	json_t *json = json_pack("{s:f, s:I}", "connects_per_second", rates->connects_per_second,
				 "connect_ns", (json_int_t)rates->connect_ns);

	if (result->is_ours)
		out_json_merge(json,
			       json_pack("{s:f, s:I}", "bytes_per_second", rates->bytes_per_second,
					 "round_trip_ns", (json_int_t)rates->round_trip_ns));
	return json;
}

/* Greater than 1: SMC is better. NULL if one was not measured. */
static json_t *json_ratio(double better, double worse)
{
	return better > 0 && worse > 0 ? json_real(better / worse) : NULL;
}

static json_t *json_ratios(const struct client_rates *smc, const struct client_rates *tcp)
{
	return json_pack("{s:o*, s:o*, s:o*, s:o*}", "connects_per_second",
			 json_ratio(smc->connects_per_second, tcp->connects_per_second), "connect",
			 json_ratio(tcp->connect_ns, smc->connect_ns), "round_trip",
			 json_ratio(tcp->round_trip_ns, smc->round_trip_ns), "throughput",
			 json_ratio(smc->bytes_per_second, tcp->bytes_per_second));
}

static const char *mode_key(enum smc_mode mode)
{
	return mode == SMC_MODE_NONE ? NULL : smc_mode_name(mode);
}

static json_t *json_endpoint(const union endpoint_addr *addr)
{
	char text[ENDPOINT_TEXT_SIZE];

	return json_pack("{s:s, s:i}", "address", endpoint_text(text, addr), "port",
			 endpoint_port(addr));
}

static void add_connection(json_t *json, const struct client_result *result)
{
	const struct proto_who *who = &result->who;
	json_t *server = json_pack("{s:b, s:s*}", "is_smc_chk", result->is_ours, "mode",
				   result->has_who ? mode_key(who->mode) : NULL);

	if (has_server_reason(result))
		out_json_merge(server, json_reasons(who->reason, who->peer_diagnosis));
	out_json_merge(json,
		       json_pack("{s:o, s:o, s:o, s:I, s:s*}", "peer", json_endpoint(&result->peer),
				 "local", json_endpoint(&result->local), "server", server,
				 "handshake_ns", (json_int_t)result->handshake_ns, "mode",
				 mode_key(result->mode)));
	if (has_reason(result))
		out_json_merge(json, json_reasons(result->sock.fallback.reason,
						  result->sock.fallback.peer_diagnosis));
	if (result->has_lgr)
		out_json_merge(json, json_group(&result->lgr));
	if (result->has_sock)
		out_json_merge(json, json_device(result));
	if (result->is_ours)
		out_json_merge(json,
			       json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)result->bytes,
					 "round_trip_min_ns", (json_int_t)result->rtt_min_ns,
					 "round_trip_ns", (json_int_t)result->rtt_median_ns));
	if (result->has_rates)
		out_json_merge(json,
			       json_pack("{s:o, s:o, s:o}", "smc", json_rates(result, &result->smc),
					 "tcp", json_rates(result, &result->tcp), "ratios",
					 json_ratios(&result->smc, &result->tcp)));
}

json_t *report_json(json_t *json, const struct client_result *result)
{
	static const char *const names[] = { "smc", "error", "tcp", "untested" }; /* chk_status */

	out_json_merge(json, json_pack("{s:s, s:s*}", "result", names[result->status], "error",
				       *result->err.text ? result->err.text : NULL));
	if (result->status != CHK_ERROR)
		add_connection(json, result);
	return json;
}
