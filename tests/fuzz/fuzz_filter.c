// SPDX-License-Identifier: MIT
/* A filter expression, split into arguments at line feeds. */
#include "fuzz.h"

#include <netdb.h>
#include <pwd.h>

#include "smc/filter.h"
#include "smc/sock.h"

#define MAX_WORDS 64

/* Do not look up services and users of this machine: this is slow, and not under test. */
struct servent *getservbyname(const char *name, const char *proto)
{
	static struct servent service = { .s_port = 20480 };

	return strcmp(name, "http") ? NULL : &service;
}

struct passwd *getpwnam(const char *name)
{
	static struct passwd user;

	return strcmp(name, "root") ? NULL : &user;
}

static int split(char *text, char **argv)
{
	int argc = 0;

	for (argv[argc++] = text; argc < MAX_WORDS && (text = strchr(text, '\n'));) {
		*text++ = '\0';
		argv[argc++] = text;
	}
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_sock sock = {
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.local = { .family = AF_INET, .ip = { 10, 0, 0, 1 }, .port = 80 },
		.peer = { .family = AF_INET6, .ip = { [10] = 0xff, 0xff, 10, 0, 0, 2 } },
	};
	char *text = fuzz_text(data, size), *argv[MAX_WORDS];
	struct smc_err err = { 0 };
	struct filter filter;
	int ret;

	ret = filter_parse(&filter, split(text, argv), argv, &err);
	MUST(!ret || err.text[0]);
	for (unsigned int state = 0; !ret && state < 256; state += 5) {
		sock.state = (uint8_t)state;
		sock.mode = (uint8_t)(state % 4);
		sock.netns = state % 2 ? "host" : NULL;
		filter_match(&filter, &sock);
	}
	free(text);
	return 0;
}
