// SPDX-License-Identifier: MIT
#include "smc_dump/print_event.h"

#include <arpa/inet.h>
#include <time.h>

#define PER_LINE 16

const char *line_host(char text[LINE_ADDR_SIZE], const struct smc_addr *addr)
{
	return inet_ntop(addr->family, addr->ip, text, LINE_ADDR_SIZE) ? text : "?";
}

const char *line_addr(char text[LINE_ADDR_SIZE], const struct smc_addr *addr)
{
	char host[LINE_ADDR_SIZE];

	snprintf(text, LINE_ADDR_SIZE, addr->family == AF_INET6 ? "[%.46s]:%u" : "%.46s:%u",
		 line_host(host, addr), addr->port);
	return text;
}

void line_head(struct out_text *text, struct packet_time time, const struct smc_addr *from,
	       const struct smc_addr *to)
{
	char from_text[LINE_ADDR_SIZE], to_text[LINE_ADDR_SIZE];
	time_t seconds = (time_t)time.seconds;
	struct tm tm = { 0 };

	localtime_r(&seconds, &tm);
	if (packet_has_time(time))
		out_printf(text, "%02d:%02d:%02d.%06" PRIu32, tm.tm_hour, tm.tm_min, tm.tm_sec,
			   time.nanoseconds / 1000);
	else
		out_str(text, "--:--:--.------");
	out_printf(text, " %s > %s", line_addr(from_text, from), line_addr(to_text, to));
}

/* Same format as tcpdump -x and -X. */
void line_hex(struct out_text *text, const uint8_t *data, size_t len, bool has_text)
{
	for (size_t i = 0; i < len; i += PER_LINE) {
		size_t count = len - i < PER_LINE ? len - i : PER_LINE;

		out_printf(text, "\t0x%04zx:  ", i);
		for (size_t k = 0; k < count; k++) {
			if (k && k % 2 == 0)
				out_char(text, ' ');
			out_hex(text, data[i + k], 2);
		}
		if (has_text) /* in the same column on each line */
			out_fill(text, ' ', (PER_LINE - count) * 2 + (PER_LINE - count) / 2 + 2);
		for (size_t k = i; has_text && k < i + count; k++)
			out_char(text, data[k] >= ' ' && data[k] <= '~' ? (char)data[k] : '.');
		out_char(text, '\n');
	}
}

json_t *line_json_hex(const uint8_t *data, size_t len)
{
	struct out_text hex AUTO(out_free) = { 0 };
	json_t *json;

	for (size_t i = 0; i < len; i++)
		out_hex(&hex, data[i], 2);
	json = json_stringn(len ? hex.data : "", hex.len);
	return json;
}
