// SPDX-License-Identifier: MIT
/* Addresses and reasons of SMC sockets as text and as JSON. */
#include "sockets/show.h"

#include <arpa/inet.h>

#include "base/array.h"
#include "out/list.h"
#include "smc/reason.h"

static void append_ip(struct out_text *text, const struct smc_addr *addr)
{
	char buf[INET6_ADDRSTRLEN];

	if (addr->family == AF_INET6) {
		out_str(text, inet_ntop(AF_INET6, addr->ip, buf, sizeof(buf)));
		return;
	}
	/* inet_ntop() is too slow for this most common case of a long table. */
	for (int i = 0; i < 4; i++) {
		if (i)
			out_char(text, '.');
		out_dec(text, addr->ip[i], 0);
	}
}

void sockets_append_addr(struct out_text *text, const struct smc_addr *addr)
{
	if (addr->family == AF_UNSPEC) {
		out_str(text, "n/a");
		if (!addr->port)
			return;
	} else if (addr->family == AF_INET6) {
		out_char(text, '[');
		append_ip(text, addr);
		out_char(text, ']');
	} else {
		append_ip(text, addr);
	}
	out_char(text, ':');
	/* No port: the TCP socket inside was reset or killed (ss -K); SMC continues without it. */
	if (addr->port)
		out_dec(text, addr->port, 0);
	else
		out_char(text, '-');
}

json_t *sockets_json_addr(const struct smc_addr *addr)
{
	struct out_text text = { 0 };
	json_t *json = json_object();

	if (addr->family != AF_UNSPEC) {
		append_ip(&text, addr);
		json_object_set_new(json, "address", json_stringn(text.data, text.len));
		out_free(&text);
	}
	if (addr->port)
		json_object_set_new(json, "port", json_integer(addr->port));
	return json;
}

/* A reason of 0 means none; sockets that never fell back have it. */
bool sockets_has_reason(const struct smc_sock *sock)
{
	return smc_sock_mode(sock) == SMC_MODE_TCP && sock->has & SMC_SOCK_HAS_FALLBACK;
}

void sockets_append_symbol(struct out_text *text, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (reason) {
		out_str(text, reason->symbol);
	} else {
		out_str(text, "0x");
		out_hex(text, code, 8);
	}
}

void sockets_append_reason(struct out_text *text, const struct smc_diag_fallback *fallback)
{
	sockets_append_symbol(text, fallback->reason);
	if (!fallback->peer_diagnosis)
		return;
	out_char(text, '/');
	sockets_append_symbol(text, fallback->peer_diagnosis);
}

json_t *sockets_json_reason(uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (!reason)
		return json_pack("{s:I}", "code", (json_int_t)code);
	return json_pack("{s:I, s:s, s:s, s:s}", "code", (json_int_t)code, "symbol", reason->symbol,
			 "meaning", reason->meaning, "check", reason->check);
}

json_t *sockets_json_remedies(uint32_t code, bool is_peer)
{
	static const char *const places[] = { "here", "peer", "both" };
	json_t *array = json_array();

	for (const struct smc_remedy *at = smc_remedies(code); at; at = smc_remedy_next(at))
		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:s}", "where",
						places[smc_remedy_at(at, is_peer)], "command",
						at->command, "purpose", at->purpose));
	return array;
}

void sockets_explain_code(struct out_text *text, size_t width, const char *side, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);
	size_t start = text->len, at;

	out_printf(text, "    %s", side);
	sockets_append_symbol(text, code);
	out_str(text, ": ");
	at = text->len - start;
	out_wrap(text, width, at, 8, reason ? reason->meaning : "a reason that Linux does not use");
	out_char(text, '\n');
	if (!reason)
		return;
	out_str(text, "        check: ");
	out_wrap(text, width, 15, 15, reason->check);
	out_char(text, '\n');
}

void sockets_explain(struct out_text *text, const struct smc_sock *sock)
{
	if (!sockets_has_reason(sock))
		return;
	sockets_explain_code(text, 0, "local: ", sock->fallback.reason);
	if (sock->fallback.peer_diagnosis)
		sockets_explain_code(text, 0, "peer: ", sock->fallback.peer_diagnosis);
}

bool sockets_codes_add(struct sockets_codes *codes, uint32_t code)
{
	for (size_t i = 0; i < codes->count; i++)
		if (codes->codes[i] == code)
			return false;
	*smc_array_add(&codes->codes, &codes->count) = code;
	return true;
}
