// SPDX-License-Identifier: MIT
/*
 * launch/learned: the memory of destinations, compared with a model, and from several threads.
 * LEARNED_SEED=N in the environment repeats one.
 */
#include "test.h"

#include <pthread.h>
#include <time.h>

#include "launch/learned.h"

#define PLACES 3000
#define STEPS 300000
#define THREADS 4

static struct learned_table table;
static const struct learned_program program;

static unsigned int seed(void)
{
	const char *text = getenv("LEARNED_SEED");
	unsigned int chosen =
		text ? (unsigned int)strtoul(text, NULL, 10) : (unsigned int)time(NULL);

	printf("# LEARNED_SEED=%u\n", chosen);
	return chosen;
}

/* Addresses differ in one word, ports in one bit, or programs differ. */
static void key_of(struct learned_key *key, unsigned int number)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	const char name[] = { (char)('a' + number % 3), '\0' };
	struct learned_program other;

	learned_program(&other, name);

	if (number % 2) {
		in.sin_port = htons((uint16_t)(1U << number % 16));
		in.sin_addr.s_addr = htonl(0x0a000000 + number / 16);
		learned_key(key, (struct sockaddr *)&in, &other);
	} else {
		in6.sin6_port = htons((uint16_t)(1U << number % 16));
		in6.sin6_addr.s6_addr[number % 15] = 1;
		in6.sin6_addr.s6_addr[15] = (uint8_t)(number / 16);
		in6.sin6_addr.s6_addr[14] = (uint8_t)(number / 16 / 256);
		learned_key(key, (struct sockaddr *)&in6, &other);
	}
}

static struct learned_place find_or_add(const struct learned_key *key, uint32_t second)
{
	struct learned_place place = learned_find(&table, key);

	return place.entry ? place : learned_add(&table, key, &program, second);
}

static struct learned_place fresh(unsigned int number, uint32_t second)
{
	struct learned_key key;

	key_of(&key, number);
	return find_or_add(&key, second);
}

/* One connection: handshake over SMC, if any, and its duration. Return: the choice. */
static struct learned_choice live(struct learned_place place, uint32_t second, uint32_t handshake,
				  uint32_t smc, uint32_t tcp)
{
	struct learned_choice choice = learned_choose(place);

	learned_used(place, second);
	if (!choice.is_tcp)
		learned_shook(place, handshake);
	learned_lived(place, choice.is_tcp, choice.is_tcp ? tcp : smc);
	return choice;
}

/* Number of connections until one is over TCP, or not, or the first trial, at most 1000. */
static int until(struct learned_place place, bool is_tcp, uint32_t smc, uint32_t tcp)
{
	int n = 0;

	while (live(place, 1, 100, smc, tcp).is_tcp != is_tcp && n < 1000)
		n++;
	return n;
}

TEST(the_shorter_life_is_taken)
{
	struct learned_place place;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	assert_int_equal(until(place, true, 200, 100), 9);
	/* LEARNED_TRIAL: one connection in this many is tried over SMC. */
	assert_int_equal(until(place, false, 200, 100), LEARNED_TRIAL - 2);
	assert_int_equal(until(place, false, 200, 100), LEARNED_TRIAL - 1);
	/* If TCP connections last longer, few use TCP. The duration over SMC counts, too. */
	place = fresh(2, 1);
	until(place, true, 200, 250);
	assert_int_equal(until(place, false, 200, 250), LEARNED_LEAST - 1);
	assert_int_equal(until(place, true, 200, 250), LEARNED_CLOSE_TRIAL - LEARNED_LEAST - 2);
	assert_int_equal(until(place, true, 200, 250), LEARNED_CLOSE_TRIAL - 1);
	place = fresh(3, 1);
	until(place, true, 200, 220);
	assert_int_equal(until(place, false, 200, 220), LEARNED_CLOSE_TRIAL - 2);
	/* A connection that was kept waiting decides nothing. */
	place = fresh(4, 1);
	until(place, true, 200, 3000);
	assert_int_equal(until(place, false, 200, 100), LEARNED_TRIAL - 2);
	live(place, 1, 100, 200, 3000);
	assert_true(place.entry->counts & LEARNED_IS_TCP);
	place = fresh(5, 1);
	until(place, true, 200, 100);
	live(place, 1, 100, 200, 100);
	live(place, 1, 100, 200, 100);
	live(place, 1, 100, 200, 3000);
	assert_true(place.entry->counts & LEARNED_IS_TCP);
	place = fresh(3, 1);
	/* The trials detect the change. */
	for (int i = 0; i < 1000; i++)
		live(place, 1, 100, 100, 300);
	assert_false(place.entry->counts & LEARNED_IS_TCP);
	for (int i = 0; i < 1000; i++)
		live(place, 1, 100, 300, 100);
	assert_true(place.entry->counts & LEARNED_IS_TCP);
}

TEST(long_lives_use_smc)
{
	const uint32_t longer = 100 * LEARNED_LONG;
	struct learned_place place;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	assert_int_equal(until(place, true, longer, 1), 1000);
	place = fresh(3, 1);
	until(place, true, 200, 100);
	/* One long connection over TCP, and SMC is back; longer ones are remembered longer. */
	live(place, 1, 100, 1, longer);
	assert_int_equal(until(place, true, 200, 100), 1);
	live(place, 1, 100, 1, 1000 * longer);
	assert_int_equal(until(place, true, 200, 100), 11);
	/* Without a handshake there is no comparison. */
	place = fresh(2, 1);
	for (int i = 0; i < 100; i++) {
		assert_false(learned_choose(place).is_tcp);
		learned_lived(place, false, 1);
		assert_int_equal(place.entry->turn, place.turn);
	}
	learned_shook(place, 100);
	assert_false(learned_is_long(place, longer - 1));
	assert_true(learned_is_long(place, longer));
}

/* Only measured lives teach. After a thousand short ones, SMC is back within twenty. */
TEST(a_change_is_noticed_soon)
{
	const uint32_t longer = 100 * LEARNED_LONG;
	struct learned_choice choice;
	struct learned_place place;
	int back = 0;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	for (int i = 0; i < 1000; i++) {
		choice = learned_choose(place);
		if (choice.is_timed && !choice.is_tcp)
			learned_shook(place, 100);
		if (choice.is_timed)
			learned_lived(place, choice.is_tcp, choice.is_tcp ? 100 : 200);
	}
	assert_true(place.entry->counts & LEARNED_IS_TCP);
	while ((choice = learned_choose(place)).is_tcp && ++back < 1000) {
		if (choice.is_timed)
			learned_lived(place, true, longer);
	}
	assert_int_in_range(back, 1, 20);
}

/* A difference of half is not significant, a little more is. */
TEST(means_are_of_both)
{
	struct learned_place place;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	learned_shook(place, 100);
	place.entry->score = 0;
	learned_lived(place, false, 150);
	learned_lived(place, true, 100);
	assert_int_equal(place.entry->smc, 150);
	assert_int_equal(place.entry->tcp, 100);
	assert_false(place.entry->counts & LEARNED_IS_CLEAR);
	learned_lived(place, false, 158);
	assert_true(place.entry->counts & LEARNED_IS_CLEAR);
	place = fresh(2, 1);
	learned_shook(place, 100);
	learned_lived(place, false, 0);
	assert_int_equal(place.entry->smc, 1);
}

TEST(handshakes_are_a_mean_that_falls_fast)
{
	struct learned_place place;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	learned_shook(place, 0);
	assert_int_equal(place.entry->handshake, 1);
	learned_shook(place, 801);
	assert_int_equal(place.entry->handshake, 101);
	learned_shook(place, 2);
	assert_int_equal(place.entry->handshake, 52);
}

TEST(old_ones_are_forgotten)
{
	struct learned_place place;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	until(place, true, 200, 100);
	learned_used(place, 1 + LEARNED_FORGET);
	assert_int_equal(place.entry->used, 1 + LEARNED_FORGET);
	assert_true(learned_choose(place).is_tcp);
	learned_used(place, 2 + 2 * LEARNED_FORGET);
	assert_false(learned_choose(place).is_tcp);
	assert_int_equal(learned_connections(place.entry->counts), 1);
	assert_false(learned_is_broken(place, 5));
	learned_broke(place, 5);
	assert_int_equal(place.entry->turn, place.turn);
	assert_true(learned_is_broken(place, 5));
	assert_true(learned_is_broken(place, 4 + LEARNED_BROKEN));
	assert_false(learned_is_broken(place, 5 + LEARNED_BROKEN));
	assert_false(learned_is_broken(place, 4));
}

TEST(some_lives_are_measured)
{
	struct learned_place place;
	int n = 0;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	for (int i = 0; i < LEARNED_FIRST + 10 * LEARNED_EACH; i++) {
		uint32_t counts = place.entry->counts;

		if (learned_is_usual(counts))
			assert_false(learned_pass(place, counts));
		else
			n += learned_choose(place).is_timed;
	}
	assert_int_equal(learned_connections(place.entry->counts),
			 LEARNED_FIRST + 10 * LEARNED_EACH);
	assert_int_equal(n, LEARNED_FIRST + 10);
	/* After a short life the next one is timed, after a long one it is not. */
	assert_true(learned_choose(place).is_timed);
	assert_false(learned_choose(place).is_timed);
	learned_shook(place, 100);
	learned_lived(place, false, 100);
	assert_true(learned_choose(place).is_timed);
	learned_lived(place, false, 100 * 5 * LEARNED_LONG);
	assert_false(learned_choose(place).is_timed);
	while (!(place.entry->counts & LEARNED_IS_TCP))
		live(place, 1, 100, 200, 100);
	n = 0;
	for (int i = 0; i < LEARNED_TRIAL; i++)
		n += live(place, 1, 100, 200, 100).is_timed;
	assert_int_in_range(n, LEARNED_TRIAL / LEARNED_EACH, LEARNED_TRIAL / LEARNED_EACH + 2);
	place = fresh(2, 1);
	while (!(place.entry->counts & LEARNED_IS_TCP))
		live(place, 1, 100, 2000, 100);
	n = 0;
	for (int i = 0; i < 12 * LEARNED_TRIAL; i++)
		n += !live(place, 1, 100, 2000, 100).is_tcp;
	assert_int_in_range(n, 2, 3);
}

/* noinline: gcc would assume a struct sockaddr_in6 in a shorter buffer. */
static __attribute__((noinline)) bool key_to(struct learned_key *key, const void *addr,
					     const struct learned_program *from)
{
	return learned_key(key, addr, from);
}

TEST(mapped_addresses_are_the_same)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	struct learned_key one, other;
	struct learned_program long_name, other_name;

	learned_program(&long_name, "a program with a long name");
	assert_memory_equal(long_name.name, "a program wi", LEARNED_PROGRAM);
	in.sin_addr.s_addr = htonl(0x0a000001);
	inet_pton(AF_INET6, "::ffff:10.0.0.1", &in6.sin6_addr);
	in6.sin6_flowinfo = 7;
	assert_true(key_to(&one, &in, &program));
	assert_true(key_to(&other, &in6, &program));
	assert_memory_equal(one.addr, other.addr, sizeof(one.addr));
	assert_int_equal(one.port, other.port);
	learned_program(&other_name, "new");
	assert_memory_equal(other_name.name, "new\0\0\0\0\0\0\0\0\0", LEARNED_PROGRAM);
	assert_true(key_to(&other, &in6, &other_name));
	assert_int_not_equal(one.port, other.port);
	memset(&table, 0, sizeof(table));
	assert_memory_equal(learned_add(&table, &one, &long_name, 1).entry->name, "a program wi",
			    LEARNED_PROGRAM);
	assert_null(learned_add(&table, &one, &long_name, 1).entry);
	inet_pton(AF_INET6, "2001:db8::1", &in6.sin6_addr);
	assert_true(key_to(&other, &in6, &long_name));
	assert_non_null(learned_add(&table, &other, &long_name, 1).entry);
	assert_non_null(learned_find(&table, &other).entry);
	in.sin_port = 0;
	assert_false(key_to(&one, &in, &program));
}

TEST(network_namespaces_differ)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct learned_program here = program, there = program;
	struct learned_key one, other;

	for (uint64_t net = 1; net < 100; net++) {
		learned_enter(&here, net);
		learned_enter(&there, net + 1);
		assert_true(key_to(&one, &in, &here));
		assert_true(key_to(&other, &in, &there));
		assert_int_not_equal(one.port, other.port);
		assert_int_equal((uint16_t)one.port, 80);
		here = there = program;
	}
}

/* Any number, as a user's other programs may write anything. */
TEST(corrupt_entries_are_replaced)
{
	static const uint32_t words[] = { 0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff };
	struct learned_key key;

	key_of(&key, 1);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct learned_place place = fresh(1, 5);
		struct learned_entry *set = learned_set(&table, &key);

		place.entry->score = words[i];
		place.entry->handshake = 1;
		learned_lived(place, false, 1);
		assert_int_in_range(place.entry->score, 0, LEARNED_MOST);
		for (int way = 0; way < LEARNED_WAYS; way++) {
			memset((void *)&set[way], 0xff, sizeof(*set));
			set[way].used = 1000000 + words[i] % 3;
		}
		assert_non_null(find_or_add(&key, 5).entry);
		memset(&table, 0, sizeof(table));
	}
}

TEST(keys_of_users_differ_and_are_never_private)
{
	for (uint32_t user = 0; user < 70000; user += 9)
		assert_int_not_equal(learned_ipc_key(user, 0), learned_ipc_key(user + 1, 0));
	for (uint32_t n = 0; n < LEARNED_KEYS; n++)
		assert_int_not_equal(learned_ipc_key(1000, n), IPC_PRIVATE);
}

/* ---- a model ---- */

struct model {
	int score;
	uint32_t handshake, lives, streak, tcp_lives;
	long long life[2];
};

static const struct model as_new = { .score = LEARNED_START };

static bool model_is_tcp(const struct model *model)
{
	return model->tcp_lives < LEARNED_LEAST ||
	       model->life[true] < model->life[false] + model->handshake / LEARNED_END;
}

static bool model_is_clear(const struct model *model)
{
	long long shorter = model->life[model->life[true] < model->life[false]];

	return model->life[true] + model->life[false] - shorter > shorter + shorter / 2;
}

static bool model_is_due(const struct model *model)
{
	long long one = model->life[false], other = model->life[true], times;

	if (!one || !other)
		return true;
	times = one > other ? one / other : other / one;
	return (model->lives - 1) / LEARNED_TRIAL % (1 + times / LEARNED_FAR) == 0;
}

/* Return: true if it uses TCP. */
static bool model_choose(struct model *model)
{
	bool is_tcp = model->score < LEARNED_ONE && model_is_tcp(model);

	model->lives++;
	if (model->score >= LEARNED_ONE)
		return is_tcp;
	if (++model->streak <
	    (uint32_t)(model_is_clear(model) ? LEARNED_TRIAL : LEARNED_CLOSE_TRIAL))
		return is_tcp;
	model->streak = 0;
	return is_tcp != model_is_due(model);
}

static void model_live(struct model *model, bool is_tcp, uint32_t handshake, uint32_t ticks)
{
	long long *mean = &model->life[is_tcp];
	double life;

	if (!is_tcp && !model->handshake)
		model->handshake = handshake;
	if (!model->handshake)
		return;
	life = (double)ticks * LEARNED_ONE / LEARNED_LONG / model->handshake;
	if (life > LEARNED_MOST)
		life = LEARNED_MOST;
	if ((int)life < LEARNED_ONE) {
		if (*mean && is_tcp && model->tcp_lives < LEARNED_LEAST)
			*mean = *mean < ticks ? *mean : ticks;
		else if (*mean && ticks > LEARNED_OUTLIER * *mean)
			*mean += (LEARNED_OUTLIER * *mean - *mean) / LEARNED_WEIGHT;
		else
			*mean = *mean ? *mean + ((long long)ticks - *mean) / LEARNED_WEIGHT : ticks;
		model->tcp_lives += is_tcp;
	}
	if ((int)life >= LEARNED_ONE && (int)life > model->score)
		model->score = (int)life;
	else
		model->score += ((int)life - model->score) / LEARNED_WEIGHT;
}

/* More destinations than entries: a lost one starts again, and none gets another's entry. */
TEST(destinations_are_never_mixed_up)
{
	static struct model models[PLACES];
	unsigned int random = seed(), number, ticks;
	struct learned_place place;
	struct learned_choice choice;
	int n_lost = 0, n_tcp = 0;
	struct learned_key key;

	memset(&table, 0, sizeof(table));
	for (number = 0; number < PLACES; number++)
		models[number] = as_new;
	for (unsigned int step = 1; step <= STEPS; step++) {
		/* Some destinations are used more often. */
		number = (unsigned int)rand_r(&random) % PLACES;
		number = number * (unsigned int)(rand_r(&random) % 100) / 100;
		ticks = 1 + (unsigned int)rand_r(&random) % 3000;
		key_of(&key, number);
		place = learned_find(&table, &key);
		if (!place.entry) {
			n_lost += models[number].lives > 0;
			models[number] = as_new;
			place = find_or_add(&key, 1 + step / 1000);
		}
		choice = live(place, 1 + step / 1000, number + 1, ticks, ticks);
		assert_int_equal(choice.is_tcp, model_choose(&models[number]));
		n_tcp += choice.is_tcp;
		model_live(&models[number], choice.is_tcp, number + 1, ticks);
		assert_int_equal(place.entry->score, models[number].score);
		assert_int_equal(place.entry->handshake, models[number].handshake);
		assert_int_equal(place.entry->smc, models[number].life[false]);
		assert_int_equal(place.entry->tcp, models[number].life[true]);
		assert_int_equal(learned_connections(place.entry->counts), models[number].lives);
	}
	printf("# %d of %d forgotten, %d by TCP\n", n_lost, STEPS, n_tcp);
	assert_true(n_lost > 1000 && n_tcp > 1000);
}

/* Each destination has its own handshake time, which exposes an exchanged entry. */
static void *race(void *arg)
{
	unsigned int random = (unsigned int)(uintptr_t)arg, number, n_wrong = 0;
	struct learned_place place;
	struct learned_key key;
	uint32_t handshake;

	for (int step = 0; step < STEPS / THREADS; step++) {
		number = (unsigned int)rand_r(&random) % PLACES;
		key_of(&key, number);
		place = find_or_add(&key, 1 + (unsigned int)step / 1000);
		if (!place.entry)
			continue;
		live(place, 1, number + 1, 2, 1);
		handshake = place.entry->handshake;
		if (handshake && handshake != number + 1 && place.entry->turn == place.turn)
			n_wrong++;
	}
	return (void *)(uintptr_t)n_wrong;
}

TEST(threads_mix_nothing_up)
{
	pthread_t threads[THREADS];
	unsigned int start = seed();
	uintptr_t n_wrong = 0;
	int n_written = 0;
	void *result;

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

/* A process was killed while writing: only its entry is lost. */
TEST(a_killed_writer_costs_its_entry)
{
	struct learned_place place, again;
	struct learned_key key, other;
	int n_others = 0;

	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	place.entry->turn |= 1;
	key_of(&key, 1);
	assert_null(learned_find(&table, &key).entry);
	assert_null(learned_add(&table, &key, &program, 1).entry);
	learned_shook(place, 1);
	assert_int_equal(place.entry->handshake, 0);
	for (unsigned int i = 2; i < PLACES; i++) {
		again = fresh(i, 1);
		assert_true(again.entry && again.entry != place.entry);
	}
	/* The entry is not lost for ever: the other entries of its set are newer. */
	memset(&table, 0, sizeof(table));
	place = fresh(1, 1);
	learned_broke(place, 1);
	place.entry->turn |= 1;
	for (unsigned int i = 2; i < PLACES && n_others < LEARNED_WAYS - 1; i++) {
		key_of(&other, i);
		if (learned_set(&table, &other) == learned_set(&table, &key))
			n_others += !!find_or_add(&other, 3).entry;
	}
	assert_int_equal(n_others, LEARNED_WAYS - 1);
	assert_null(learned_add(&table, &key, &program, 1 + LEARNED_FORGET).entry);
	again = learned_add(&table, &key, &program, 2 + LEARNED_FORGET);
	assert_ptr_equal(again.entry, place.entry);
	assert_int_equal(again.entry->turn, again.turn);
	assert_int_not_equal(again.turn, place.turn);
	assert_false(learned_is_broken(again, 2 + LEARNED_FORGET));
}
