// SPDX-License-Identifier: MIT
/* What socket(2) did, and which variables it ignored, in words. */
#include "ld_pre_smc/socket_log.h"

#include <stdatomic.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "ld_pre_smc/log.h"

#define NOT_A_SIZE " is not a size up to 2147483647, such as 65536, 64K or 1M: ignored"
#define NOT_RULES " is not a list of rules such as 6379,listen:80,10.0.0.0/8: ignored"

static const char *const invalid_texts[VARIABLES] = {
	[VAR_FAMILY] = " is not smc, inet or auto: ignored",
	[VAR_RCVBUF] = NOT_A_SIZE,
	[VAR_SNDBUF] = NOT_A_SIZE,
	[VAR_INCLUDE] = NOT_RULES,
	[VAR_EXCLUDE] = NOT_RULES,
};

static void put_call(struct log_line *line, int domain, int type, int protocol)
{
	int other = type & ~(SOCK_TYPE_BITS | SOCK_NONBLOCK | SOCK_CLOEXEC);

	log_text(line, domain == AF_INET ? "socket(AF_INET" : "socket(AF_INET6");
	log_text(line, ", SOCK_STREAM");
	log_text(line, type & SOCK_NONBLOCK ? "|SOCK_NONBLOCK" : "");
	log_text(line, type & SOCK_CLOEXEC ? "|SOCK_CLOEXEC" : "");
	if (other) {
		log_text(line, "|");
		log_number(line, other);
	}
	log_text(line, protocol ? ", IPPROTO_TCP) -> " : ", 0) -> ");
}

static void put_buffer(struct log_line *line, const char *name, int bytes, int err)
{
	if (!bytes)
		return;
	log_text(line, name);
	log_number(line, bytes);
	if (err) {
		log_text(line, ": ");
		log_errno(line, err);
	}
}

static void put_refusals(struct log_line *line, const struct socket_attempt *try,
			  const struct shim_config *cfg)
{
	const char *before = " (";
	int i, kind;

	for (i = 0; i < cfg->nkinds; i++) {
		kind = cfg->kinds[i];
		if (!try->refused[kind])
			continue;
		log_text(line, before);
		log_text(line, shim_kind_names[kind]);
		log_text(line, ": ");
		log_errno(line, try->refused[kind]);
		log_text(line, try->remembered[kind] ? ", seen before" : "");
		before = "; ";
	}
	log_text(line, *before == ';' ? ")" : "");
}

void log_socket(const struct socket_attempt *try, const struct shim_config *cfg, int domain,
		int type, int protocol)
{
	struct log_line line;

	log_start(&line);
	put_call(&line, domain, type, protocol);
	if (try->fd >= 0) {
		log_text(&line, shim_kind_names[try->kind]);
		log_text(&line, " fd ");
		log_number(&line, try->fd);
	} else {
		log_text(&line, "error ");
		log_errno(&line, try->err);
	}
	if (try->fd >= 0 && try->kind != KIND_TCP) {
		put_buffer(&line, ", SO_SNDBUF ", cfg->sndbuf, try->sndbuf_err);
		put_buffer(&line, ", SO_RCVBUF ", cfg->rcvbuf, try->rcvbuf_err);
	}
	put_refusals(&line, try, cfg);
	log_write(&line, cfg);
}

void log_invalid(const struct shim_config *cfg)
{
	static atomic_bool told;
	struct log_line line;
	int i;

	if (atomic_exchange_explicit(&told, true, memory_order_relaxed))
		return;
	for (i = 0; i < VARIABLES; i++) {
		if (!(cfg->invalid & 1U << i))
			continue;
		log_start(&line);
		log_text(&line, smc_variables[i]);
		log_text(&line, invalid_texts[i]);
		log_write(&line, cfg);
	}
}
