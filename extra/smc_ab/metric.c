// SPDX-License-Identifier: MIT
/* Output of a command, and the number in it. */
#include "smc_ab/metric.h"

#include <math.h>
#include <sys/param.h>

#define MOST (4 << 20)
#define CHUNK 65536

void output_add(struct out_text *output, const char *text, size_t len)
{
	if (output->len + len > MOST && output->len > MOST / 2) {
		memmove(output->data, output->data + output->len - MOST / 2, MOST / 2);
		output->len = MOST / 2;
	}
	for (size_t i = 0; i < len; i++)
		out_char(output, (char)(text[i] ? text[i] : ' '));
	out_char(output, '\0');
	output->len--;
}

bool output_read(struct out_text *output, int fd)
{
	char chunk[CHUNK];
	ssize_t len;

	while ((len = read(fd, chunk, sizeof(chunk))) > 0)
		output_add(output, chunk, (size_t)len);
	return len < 0 && (errno == EAGAIN || errno == EINTR);
}

int metric_compile(regex_t *regex, const char *text, struct smc_err *err)
{
	char why[128];
	int code = regcomp(regex, text, REG_EXTENDED | REG_NEWLINE);

	if (!code)
		return 0;
	regerror(code, regex, why, sizeof(why));
	return smc_err_say(err, EINVAL, "'%s' is not a regular expression: %s", text, why);
}

static bool find_last(const regex_t *regex, const char *text, regmatch_t found[2],
		      const char **where)
{
	regmatch_t match[2];
	bool is_found = false;
	int flags = 0;

	while (!regexec(regex, text, 2, match, flags)) {
		memcpy(found, match, sizeof(match));
		*where = text;
		is_found = true;
		text += match[0].rm_eo;
		if (match[0].rm_eo == match[0].rm_so && !*text++)
			break;
		flags = text[-1] == '\n' ? 0 : REG_NOTBOL;
	}
	return is_found;
}

int metric_find(const regex_t *regex, const struct out_text *output, double *value,
		struct smc_err *err)
{
	const char *where, *number;
	regmatch_t found[2];
	char *end;
	int length;

	if (!output->data || !find_last(regex, output->data, found, &where))
		return smc_err_say(err, ENOENT, "--metric matches nothing in the command's output");
	found[0] = regex->re_nsub ? found[1] : found[0];
	number = where + found[0].rm_so;
	length = (int)(found[0].rm_eo - found[0].rm_so);
	if (found[0].rm_so >= 0) {
		*value = strtod(number, &end);
		if (end != number && end <= number + length && isfinite(*value))
			return 0;
	}
	return smc_err_say(err, EINVAL, "--metric matches '%.*s', which is not a number",
			   MIN(length, 80), number);
}
