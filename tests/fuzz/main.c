// SPDX-License-Identifier: MIT
/*
 * Run a fuzz target without libFuzzer: on files, and on deterministic mutations of them.
 * usage: all TARGET COUNT SEED FILE...
 *        all                             names of the targets
 */
#include "fuzz.h"

#include <stdio.h>

#define MAX_FILES 64
#define MAX_SIZE 8192

struct input {
	uint8_t bytes[MAX_SIZE];
	size_t len;
};

/* See tests.mk: FUZZ_TARGETS is TARGET(answers) TARGET(bundle) and so on. */
#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS
#undef TARGET

static const struct {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) { #name, fuzz_##name },
	FUZZ_TARGETS
#undef TARGET
}, *target;

static uint64_t random_state;

/* xorshift64*: the same numbers on each machine, so failures can be reproduced. */
static uint32_t random_below(size_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 2685821657736338717ULL >> 32) % limit);
}

static int load(struct input *input, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		return -1;
	}
	input->len = fread(input->bytes, 1, sizeof(input->bytes), file);
	fclose(file);
	return 0;
}

/* Limits of integer types, and of the formats' counters. */
static void set_edge(struct input *input, size_t at)
{
	static const uint32_t edges[] = { 0,	  1,	      3,	  4,	     40,  55,
					  63,	  64,	      127,	  255,	     256, 0x7fff,
					  0xffff, 0x7fffffff, 0x80000000, 0xffffffff };
	uint32_t value = edges[random_below(sizeof(edges) / sizeof(edges[0]))];
	size_t width = 1U << random_below(3);

	if (width > input->len - at)
		width = input->len - at;
	memcpy(input->bytes + at, &value, width);
}

static void insert(struct input *input, size_t at, const uint8_t *bytes, size_t len)
{
	if (len > MAX_SIZE - input->len)
		return;
	memmove(input->bytes + at + len, input->bytes + at, input->len - at);
	memcpy(input->bytes + at, bytes, len);
	input->len += len;
}

static void mutate_once(struct input *input, const struct input *other)
{
	size_t at = input->len ? random_below(input->len) : 0;
	uint8_t copy[256];
	size_t len;

	switch (random_below(7)) {
	case 0:
		if (input->len)
			input->bytes[at] ^= (uint8_t)(1U << random_below(8));
		break;
	case 1:
		if (input->len)
			input->bytes[at] = (uint8_t)random_below(256);
		break;
	case 2:
		if (input->len)
			set_edge(input, at);
		break;
	case 3: /* cut the end off */ input->len = at; break;
	case 4: /* remove a piece */
		len = random_below(16);
		if (len > input->len - at)
			len = input->len - at;
		memmove(input->bytes + at, input->bytes + at + len, input->len - at - len);
		input->len -= len;
		break;
	case 5: /* repeat a piece */
		len = random_below(sizeof(copy));
		if (len > input->len - at)
			len = input->len - at;
		memcpy(copy, input->bytes + at, len);
		insert(input, at, copy, len);
		break;
	default: /* insert a piece of another seed */
		len = random_below(sizeof(copy));
		if (len > other->len)
			len = other->len;
		insert(input, at, other->bytes + random_below(other->len - len + 1), len);
	}
}

/* Copy the input to its own memory, so that any access beyond its end is detected. */
static void run(const struct input *input)
{
	uint8_t *copy = malloc(input->len ? input->len : 1);

	MUST(copy);
	memcpy(copy, input->bytes, input->len);
	target->run(copy, input->len);
	free(copy);
}

static void mutate(const struct input *seeds, size_t n_seeds, unsigned long count)
{
	static struct input input;

	while (count--) {
		const struct input *seed = &seeds[random_below(n_seeds)];

		input.len = seed->len;
		memcpy(input.bytes, seed->bytes, seed->len);
		for (uint32_t i = 1 + random_below(8); i; i--)
			mutate_once(&input, &seeds[random_below(n_seeds)]);
		run(&input);
	}
}

int main(int argc, char **argv)
{
	static struct input seeds[MAX_FILES];
	size_t n_seeds = 0;

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (argc == 1)
			puts(targets[i].name);
		else if (argc > 4 && !strcmp(argv[1], targets[i].name))
			target = &targets[i];
	}
	if (argc == 1)
		return 0;
	if (!target) {
		fprintf(stderr, "usage: %s TARGET COUNT SEED FILE...\n", argv[0]);
		return 1;
	}
	random_state = strtoull(argv[3], NULL, 10) * 2 + 1; /* never 0 */
	for (int i = 4; i < argc && n_seeds < MAX_FILES; i++) {
		if (load(&seeds[n_seeds], argv[i]))
			return 1;
		run(&seeds[n_seeds++]);
	}
	mutate(seeds, n_seeds, strtoul(argv[2], NULL, 10));
	return 0;
}
