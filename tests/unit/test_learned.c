// SPDX-License-Identifier: MIT
/*
 * launch/learned: what the memory of destinations says, against a model, and from several threads.
 * LEARNED_SEED=N in the environment repeats one.
 */
#include "test.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "launch/learned.h"

#define PLACES 3000
#define STEPS 300000
#define THREADS 4

static struct learned_table table;
static const uint32_t program[LEARNED_PROGRAM / 4] = { 0x6c727563 };

static unsigned int seed(void)
{
	const char *text = getenv("LEARNED_SEED");
	unsigned int chosen =
		text ? (unsigned int)strtoul(text, NULL, 10) : (unsigned int)time(NULL);

	printf("# LEARNED_SEED=%u\n", chosen);
	return chosen;
}

/* Addresses that differ in one word, ports that differ in one bit, programs. */
static void key_of(struct learned_key *key, unsigned int number)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	uint32_t other[LEARNED_PROGRAM / 4] = { number % 3 };

	if (number % 2) {
		in.sin_port = htons((uint16_t)(1U << number % 16));
		in.sin_addr.s_addr = htonl(0x0a000000 + number / 16);
		learned_key(key, (struct sockaddr *)&in, other);
	} else {
		in6.sin6_port = htons((uint16_t)(1U << number % 16));
		in6.sin6_addr.s6_addr[number % 15] = 1;
		in6.sin6_addr.s6_addr[15] = (uint8_t)(number / 16);
		in6.sin6_addr.s6_addr[14] = (uint8_t)(number / 16 / 256);
		learned_key(key, (struct sockaddr *)&in6, other);
	}
}

static struct learned_place fresh(unsigned int number, uint32_t second)
{
	struct learned_key key;

	key_of(&key, number);
	return learned_find(&table, &key, second);
}

/* One connection: its handshake over SMC, if it has one, and its life. Return: the choice. */
static enum learned_choice live(struct learned_place place, uint32_t second, uint32_t handshake,
				uint32_t ticks)
{
	enum learned_choice choice = learned_choose(place, second);

	if (choice != LEARNED_SHORT)
		learned_shook(place, handshake);
	learned_lived(place, ticks);
	return choice;
}

/* How many connections of @ticks before the choice is @wanted. */
static int until(struct learned_place place, enum learned_choice wanted, uint32_t ticks)
{
	int n = 0;

	while (live(place, 1, 100, ticks) != wanted && n < 1000)
		n++;
	return n;
}

static void short_lives_go_to_tcp(void **state)
{
	struct learned_place place;

	(void)state;
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	assert_int_equal(until(place, LEARNED_SHORT, 150), 9);
	/* One of 64 is tried; that one is as short. */
	assert_int_equal(until(place, LEARNED_TRY_SMC, 150), LEARNED_TRIAL - 2);
	assert_int_equal(until(place, LEARNED_TRY_SMC, 150), LEARNED_TRIAL - 1);
	/* One long life, over TCP, and SMC is back; longer lives are remembered longer. */
	live(place, 1, 100, 100 * LEARNED_PAYS);
	assert_int_equal(until(place, LEARNED_SHORT, 150), 1);
	live(place, 1, 100, 100000 * LEARNED_PAYS);
	assert_int_equal(until(place, LEARNED_SHORT, 150), 12);
}

static void long_lives_stay(void **state)
{
	struct learned_place place;

	(void)state;
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	assert_int_equal(until(place, LEARNED_SHORT, 100 * LEARNED_PAYS), 1000);
	/* Without a handshake there is nothing to compare with. */
	place = fresh(2, 1);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(learned_choose(place, 1), LEARNED_SMC);
		learned_lived(place, 1);
	}
}

static void handshakes_are_a_mean_that_falls_fast(void **state)
{
	struct learned_place place;

	(void)state;
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	learned_shook(place, 0);
	assert_int_equal(place.entry->handshake, 1);
	learned_shook(place, 801);
	assert_int_equal(place.entry->handshake, 101);
	learned_shook(place, 1);
	assert_int_equal(place.entry->handshake, 51);
}

static void old_ones_are_forgotten(void **state)
{
	struct learned_place place;

	(void)state;
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	until(place, LEARNED_SHORT, 150);
	assert_int_equal(learned_choose(place, 1 + LEARNED_FORGET), LEARNED_SHORT);
	assert_int_equal(learned_choose(place, 2 + 2 * LEARNED_FORGET), LEARNED_SMC);
	assert_int_equal(place.entry->lives, 1);
	assert_false(learned_is_broken(place, 5));
	learned_broke(place, 5);
	assert_true(learned_is_broken(place, 5));
	assert_true(learned_is_broken(place, 4 + LEARNED_BROKEN));
	assert_false(learned_is_broken(place, 5 + LEARNED_BROKEN));
	assert_false(learned_is_broken(place, 4));
}

static void some_lives_are_measured(void **state)
{
	struct learned_place place;
	int n = 0;

	(void)state;
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	for (int i = 0; i < LEARNED_FIRST + 10 * LEARNED_EACH; i++) {
		n += learned_is_timed(place);
		learned_choose(place, 0);
	}
	assert_int_equal(n, LEARNED_FIRST + 10);
	/* All over SMC, unless they are long. */
	learned_choose(place, 0);
	assert_false(learned_is_timed(place));
	learned_shook(place, 100);
	assert_true(learned_is_timed(place));
	learned_lived(place, 100 * 5 * LEARNED_PAYS);
	assert_false(learned_is_timed(place));
	while (learned_is_timed(place) || place.entry->score >= LEARNED_ONE)
		live(place, 0, 100, 100);
	assert_false(learned_is_timed(place));
}

static void mapped_addresses_are_the_same(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	struct learned_key one, other;
	char path[LEARNED_PATH];

	(void)state;
	in.sin_addr.s_addr = htonl(0x0a000001);
	inet_pton(AF_INET6, "::ffff:10.0.0.1", &in6.sin6_addr);
	in6.sin6_flowinfo = 7;
	learned_key(&one, (struct sockaddr *)&in, program);
	learned_key(&other, (struct sockaddr *)&in6, program);
	assert_memory_equal(&one, &other, sizeof(one));
	learned_path(path, 4294967295U, 4026531840U);
	assert_string_equal(path, "/dev/shm/smc-tools-learned-1.4294967295.4026531840");
}

/* ---- a model ---- */

struct model {
	int score;
	uint32_t handshake, lives, streak;
};

static const struct model as_new = { .score = LEARNED_START };

static enum learned_choice model_choose(struct model *model)
{
	model->lives++;
	if (model->score >= LEARNED_ONE) {
		model->streak = 0;
		return LEARNED_SMC;
	}
	model->streak = (model->streak + 1) % LEARNED_TRIAL;
	return model->streak ? LEARNED_SHORT : LEARNED_TRY_SMC;
}

static void model_live(struct model *model, enum learned_choice choice, uint32_t handshake,
		       uint32_t ticks)
{
	double life;

	if (choice != LEARNED_SHORT && !model->handshake)
		model->handshake = handshake;
	if (!model->handshake)
		return;
	life = (double)ticks * LEARNED_ONE / LEARNED_PAYS / model->handshake;
	if (life > LEARNED_MOST)
		life = LEARNED_MOST;
	if ((int)life >= LEARNED_ONE && (int)life > model->score)
		model->score = (int)life;
	else
		model->score += ((int)life - model->score) / LEARNED_WEIGHT;
}

/* More destinations than there is room for: who is gone begins anew, and nobody gets another's. */
static void destinations_are_never_mixed_up(void **state)
{
	static struct model models[PLACES];
	unsigned int random = seed(), number, ticks;
	struct learned_place place;
	enum learned_choice choice;
	struct learned_key key;
	int n_lost = 0, n_short = 0;

	(void)state;
	memset(&table, 0, sizeof(table));
	for (number = 0; number < PLACES; number++)
		models[number] = as_new;
	for (unsigned int step = 1; step <= STEPS; step++) {
		/* Some are used more often. */
		number = (unsigned int)rand_r(&random) % PLACES;
		number = number * (unsigned int)(rand_r(&random) % 100) / 100;
		ticks = (unsigned int)rand_r(&random) % 3000;
		key_of(&key, number);
		place = learned_find(&table, &key, 0);
		if (!place.entry) {
			n_lost += models[number].lives > 0;
			models[number] = as_new;
			place = learned_find(&table, &key, 1 + step / 1000);
		}
		choice = live(place, 1 + step / 1000, number + 1, ticks);
		assert_int_equal(choice, model_choose(&models[number]));
		n_short += choice == LEARNED_SHORT;
		model_live(&models[number], choice, number + 1, ticks);
		assert_int_equal(place.entry->score, models[number].score);
		assert_int_equal(place.entry->handshake, models[number].handshake);
		assert_int_equal(place.entry->lives, models[number].lives);
	}
	printf("# %d of %d forgotten, %d short\n", n_lost, STEPS, n_short);
	assert_true(n_lost > 1000 && n_short > 1000);
}

/* Each destination has its own handshake: who finds another one has another's entry. */
static void *race(void *arg)
{
	unsigned int random = (unsigned int)(uintptr_t)arg, number, n_wrong = 0;
	struct learned_place place;
	struct learned_key key;
	uint32_t handshake;

	for (int step = 0; step < STEPS / THREADS; step++) {
		number = (unsigned int)rand_r(&random) % PLACES;
		key_of(&key, number);
		place = learned_find(&table, &key, 1 + (unsigned int)step / 1000);
		if (!place.entry)
			continue;
		live(place, 1, number + 1, 1);
		handshake = place.entry->handshake;
		if (handshake && handshake != number + 1 && place.entry->turn == place.turn)
			n_wrong++;
	}
	return (void *)(uintptr_t)n_wrong;
}

static void threads_mix_nothing_up(void **state)
{
	pthread_t threads[THREADS];
	unsigned int start = seed();
	uintptr_t n_wrong = 0;
	int n_written = 0;
	void *result;

	(void)state;
	memset(&table, 0, sizeof(table));
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, race, (void *)(start + i)), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		n_wrong += (uintptr_t)result;
	}
	assert_int_equal(n_wrong, 0);
	for (size_t i = 0; i < ARRAY_SIZE(table.entries); i++)
		n_written += table.entries[i].turn & 1;
	assert_int_equal(n_written, 0);
}

/* A process that was killed as it wrote: its entry is lost, and no other one. */
static void a_killed_writer_costs_its_entry(void **state)
{
	struct learned_place place, again;
	struct learned_key key;

	(void)state;
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	place.entry->turn |= 1;
	key_of(&key, 1);
	assert_null(learned_find(&table, &key, 1).entry);
	assert_int_equal(learned_choose(place, 1), LEARNED_SMC);
	for (unsigned int i = 2; i < PLACES; i++) {
		again = fresh(i, 1);
		assert_true(again.entry && again.entry != place.entry);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lives_go_to_tcp),
		cmocka_unit_test(long_lives_stay),
		cmocka_unit_test(handshakes_are_a_mean_that_falls_fast),
		cmocka_unit_test(old_ones_are_forgotten),
		cmocka_unit_test(some_lives_are_measured),
		cmocka_unit_test(mapped_addresses_are_the_same),
		cmocka_unit_test(destinations_are_never_mixed_up),
		cmocka_unit_test(threads_mix_nothing_up),
		cmocka_unit_test(a_killed_writer_costs_its_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
